"""Relations left out one at a time, with a toy matcher of toy graphs on the bundled example."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from pyramidion.analyses.ablate import Ablation, ablate, relations
from pyramidion.analyses.scores.corpus import annotated
from pyramidion.analyses.scores.table import TABLE, from_values
from pyramidion.errors import PyramidionError
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.examples import example
from pyramidion.language.graphs.meaning import INSTANCE, MeaningGraph, Triple
from pyramidion.matchers import MATCHERS
from pyramidion.methods import Method
from pyramidion.model import Annotation, Contributor, Match, Pyramid, Span, Summary, Topic
from pyramidion.stats.correlation import pearson

METHOD = "given+graphs"
MATCHED: list[tuple[str, str]] = []


def words(text: str) -> list[str]:
    return sorted(set(re.findall(r"[a-z]+", text.lower())))


def toy_graphs(text: str) -> list[MeaningGraph]:
    """Words up to m are concepts under ``mod``, which the matcher does not read; the others are op1 or op2."""
    if not text:
        return []
    triples = [Triple(INSTANCE, "t", "text")]
    for place, word in enumerate(words(text)):
        if word < "n":
            triples += [Triple(INSTANCE, f"x{place}", word), Triple("mod", "t", f"x{place}")]
        else:
            triples.append(Triple(f"op{1 + len(word) % 2}", "t", word))
    return [MeaningGraph(tuple(triples), Span(0, len(text)))]


def toy_matcher(pyramid: Pyramid, summary: Summary, *, graphs: str = "toy", without: str = "") -> Annotation:
    """SCUs of whose label the summary's graph has half the words."""
    MATCHED.append((without, summary.id))
    left_out = {"mod", *without.split()}
    triples = [triple for graph in toy_graphs(summary.text) for triple in graph.triples]
    said = {triple.target for triple in triples if triple.relation not in left_out}
    found = [scu.id for scu in pyramid.scus if 2 * len(said & {*words(scu.label)}) >= len(words(scu.label))]
    return Annotation(summary, tuple(map(Match, found)))


def register_graphs(monkeypatch: pytest.MonkeyPatch, path: Path | None = None) -> None:
    """Let methods name the toy; in PENMAN, the graphs of the example, each text a sentence, without ``mod``."""
    monkeypatch.setitem(MATCHERS._loaded, "graphs", toy_matcher)
    MATCHED.clear()
    if path:
        written = []
        texts = {one.text for topic in example() for one in (*topic.references, *topic.peers) if one.text}
        for text in sorted(texts):
            operands = [triple for triple in toy_graphs(text)[0].triples if triple.relation.startswith("op")]
            told = " ".join(f':{triple.relation} "{triple.target}"' for triple in operands)
            written.append(f"# ::snt {' '.join(text.split())}\n(t / text {told})\n")
        path.write_text("\n".join(written))


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    register_graphs(monkeypatch)


def run(topics: list[Topic] | None = None, **settings: object) -> Ablation:
    return ablate(topics or example(), method=METHOD, graphs=toy_graphs, samples=50, **settings)  # type: ignore[arg-type]


def test_operands_are_one_relation_and_everything_is_counted() -> None:
    topics = example()
    found = {one.name: one for one in relations(topics, METHOD, toy_graphs)}
    assert set(found) == {"instance", "mod", "op"}
    assert found["op"].spellings == ("op1", "op2")
    texts = [reference.text for topic in topics for reference in topic.references]
    assert found["op"].in_pyramids == sum(word >= "n" for text in texts for word in words(text))
    peers = [peer.text for topic in topics for peer in topic.peers]
    assert found["mod"].in_peers == sum(word < "n" for text in peers for word in words(text))
    assert found["op"].topics == tuple(topic.id for topic in topics)


def test_contributors_that_are_a_text_of_their_own_have_graphs_too() -> None:
    topic = example()[0]
    assert topic.pyramid
    scu = topic.pyramid.scus[0]
    own = replace(scu, contributors=(*scu.contributors[1:], Contributor(scu.contributors[0].summary, (), "zebras")))
    changed = replace(topic, pyramid=replace(topic.pyramid, scus=(own, *topic.pyramid.scus[1:])))
    before, after = (
        {one.name: one.in_pyramids for one in relations([one], METHOD, toy_graphs)} for one in (topic, changed)
    )
    assert after == {**before, "op": before["op"] + 1, "instance": before["instance"] + 1}


def test_an_effect_is_the_correlation_without_the_relation_less_that_with_all() -> None:
    topics = example()
    human = annotated(topics).by_peer()

    def worth(*parameters: tuple[str, str]) -> float:
        scored = evaluate(topics, Method("given", "graphs", parameters)).results
        values = {(one.scores.topic, one.scores.summary): one.scores.coverage for one in scored}
        found = pearson([values[key] for key in human], list(human.values()))
        assert found is not None
        return found

    found = run()
    effects = {one.relation.name: one for one in found.effects}
    assert found.whole["pearson"].value == pytest.approx(worth())
    assert effects["op"].differences["pearson"].value == pytest.approx(worth(("without", "op1 op2")) - worth())
    assert effects["mod"].changed == 0
    assert effects["mod"].differences["kendall"].value == 0
    assert effects["mod"].differences["kendall"].interval is None
    assert "No intervals: it takes 6 topics, and here are 2." in found.table("effects").caption
    assert effects["op"].changed > 0


def test_the_greatest_help_comes_first_by_the_statistic_asked_for() -> None:
    for by in ("pearson", "kendall"):
        values = [one.differences[by].value for one in run(by=by).effects]  # type: ignore[index]
        known = [value for value in values if value is not None]
        assert known == sorted(known)
        assert values[len(known) :] == [None] * (len(values) - len(known))


def test_topics_without_the_relation_are_not_matched_again() -> None:
    topics = example()
    found = [one for one in relations(topics, METHOD, toy_graphs) if one.name == "op"]
    MATCHED.clear()
    run(known=[replace(found[0], topics=(topics[1].id,))])
    assert len([1 for without, _ in MATCHED if not without]) == 12
    assert len([1 for without, _ in MATCHED if without == "op1 op2"]) == 6


def test_progress_is_called_for_the_whole_and_for_each_relation() -> None:
    calls: list[int] = []
    run(progress=lambda: calls.append(1))
    assert len(calls) == 1 + 3


def test_one_topic_is_drawn_by_peers_at_any_level() -> None:
    found = run(example()[:1], level="system")
    assert (found.level, found.summaries) == ("global", 6)
    assert found.whole["pearson"].interval


def test_the_table_counts_what_helps_and_what_harms_and_names_the_others() -> None:
    found = run()
    table = found.table()
    assert [row[0] for row in table.rows] == [one.relation.name for one in found.effects if one.relation.name != "mod"]
    values = [one.differences["pearson"].value or 0 for one in found.effects]
    helping, harming = sum(value < 0 for value in values), sum(value > 0 for value in values)
    caption = " ".join(table.caption.split())
    assert f"Of 3 relations in the pyramids' graphs {helping} help" in caption
    assert f"{harming} harm; 1 do not change any score: mod." in caption
    everything = [row[0] for row in found.table(whole=True).rows]
    assert everything == [one["relation"] for one in found.to_json()["relations"]]
    assert len(everything) == 3


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("given+wmin", "given.wmin does not match relations, so none can be left out"),
        ("rouge-2", "rouge-2 does not match relations"),
        ("given+graphs(without=op1)", "already leaves out relations"),
    ],
)
def test_a_method_that_cannot_leave_out_is_said(method: str, message: str) -> None:
    with pytest.raises(PyramidionError, match=message):
        relations(example(), method, toy_graphs)


def test_few_or_constant_human_scores_are_said() -> None:
    values = annotated(example()).by_peer()
    with pytest.raises(PyramidionError, match=r"3 peer\(s\) have a human score"):
        run(human=from_values(dict(list(values.items())[:3]), "judged", TABLE))
    with pytest.raises(PyramidionError, match="Every peer has the human score 2"):
        run(human=from_values(dict.fromkeys(values, 2.0), "flat", TABLE))
