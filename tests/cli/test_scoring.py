"""``score`` and ``evaluate``: the contract of their output."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from pathlib import Path

import pytest

from pyramidion.examples import example
from pyramidion.formats import ducview, dump, native
from pyramidion.model import Annotation, Summary, Topic
from pyramidion.scoring import scores
from pyramidion.signature import Signature
from tests.cli.conftest import Run

FIELDS = {
    "topic", "summary", "raw", "quality", "coverage", "comprehensive", "precision", "recall", "scus", "unmatched",
    "max_for_size", "max_for_average", "average_scus",
}  # fmt: skip


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("example") / "corpus"
    dump(example(), path)
    return path


def test_evaluate_prints_the_contracted_json(run: Run, corpus: Path) -> None:
    found = run("evaluate", corpus, "--method", "manual", "--json").json
    assert set(found) == {"signature", "scores", "systems"}
    assert str(Signature.parse(found["signature"])) == found["signature"]
    assert len(found["scores"]) == 12
    assert all(set(row) >= FIELDS for row in found["scores"])
    assert [row["summary"] for row in found["systems"]][:4] == ["copy", "paraphrase-1", "paraphrase-2", "padded"]
    best = found["systems"][0]
    assert (best["n"], best["coverage"]) == (2, pytest.approx((33 / 37.2 + 35 / 37.2) / 2))
    assert best["intervals"]["coverage"] is None  # of two topics


def test_like_ducview_sets_what_ducview_does_and_nothing_may_contradict_it(run: Run, corpus: Path) -> None:
    settings = (
        "--average",
        "floor",
        "--cap",
        "--weights",
        "contributors",
        "--presence",
        "counted",
        "--mean",
        "harmonic",
    )
    asked = ("evaluate", corpus, "--method", "manual", "--json")
    found = run(*asked, "--like", "ducview").json
    assert found == run(*asked, *settings).json == run(*asked, "--like", "ducview", *settings).json
    assert "average:floor|cap:yes|mean:harmonic|weights:contributors|presence:counted" in found["signature"]
    refused = run(*asked, "--like", "ducview", "--average", "exact")
    assert refused.status == 2
    assert "--average exact contradicts --like ducview, which sets floor" in " ".join(refused.err.split())


def test_a_peer_that_nobody_annotated_has_null_and_empty_cells(run: Run, tmp_path: Path) -> None:
    topic = example()[0]
    assert topic.pyramid is not None
    for name, text in (("anna", "Something was written."), ("empty", " ")):
        peer = Summary(name, text, "peer")
        one = Topic(topic.id, topic.references, (peer,), (), topic.pyramid, (Annotation(peer),))
        (tmp_path / f"{name}.pan").write_bytes(ducview.dumps([one]))
    asked = run("score", tmp_path / "anna.pan", tmp_path / "empty.pan", "--json")
    assert "1 summary in which nothing is marked" in asked.err
    unread, empty = asked.json["scores"]
    assert (unread["raw"], unread["coverage"], unread["quality"], unread["recall"]) == (None, None, None, None)
    assert (empty["raw"], empty["coverage"], empty["quality"], empty["recall"]) == (0, 0, 0, 0)
    assert [(row["summary"], row["n"], row["left_out"]) for row in asked.json["systems"]] == [
        ("empty", 1, 0),
        ("anna", 0, 1),
    ]
    table = run("score", tmp_path / "anna.pan", "--format", "csv").out
    (row,) = csv.DictReader(io.StringIO(table))
    assert (row["raw"], row["coverage"], row["scus"]) == ("", "", "0")
    told = run("score", tmp_path / "anna.pan", "--explain").out
    assert "nobody annotated it: no scores" in told
    systems = run("score", tmp_path / "anna.pan", tmp_path / "empty.pan", "--table", "systems", "--format", "csv").out
    assert systems.splitlines()[0].startswith("system,topics,left_out,raw")


def test_score_and_evaluate_agree(run: Run, corpus: Path) -> None:
    topic = corpus / "tidal-lagoon"
    scored = run("score", topic / "pyramid.json", *sorted((topic / "annotations").iterdir()), "--json").json["scores"]
    evaluated = run("evaluate", topic, "--method", "manual", "--json").json["scores"]
    assert scored == evaluated
    pyramid = example()[1].pyramid
    assert pyramid is not None
    assert scored[0]["quality"] == scores(pyramid, example()[1].annotations[0]).quality


def test_score_reads_pan_files_that_carry_their_pyramids(run: Run, tmp_path: Path) -> None:
    topic = example()[0]
    for annotation in topic.annotations[:2]:
        one = Topic(topic.id, topic.references, (annotation.summary,), (), topic.pyramid, (annotation,))
        (tmp_path / f"{annotation.summary.id}.pan").write_bytes(ducview.dumps([one]))
    rows = run("score", tmp_path / "copy.pan", tmp_path / "empty.pan", "--average", "floor", "--cap", "--json").json[
        "scores"
    ]
    assert [(row["summary"], row["raw"], row["average_scus"]) for row in rows] == [("copy", 33, 10), ("empty", 0, 10)]


def test_settings_reach_the_scores_and_the_signature(run: Run, corpus: Path) -> None:
    found = run(
        "evaluate",
        corpus,
        "--method",
        "manual",
        "--average",
        "ceil",
        "--mean",
        "arithmetic",
        "--weights",
        "contributors",
        "--cap",
        "--json",
    ).json
    assert found["signature"].startswith(
        "method:manual|average:ceil|cap:yes|mean:arithmetic|weights:contributors|presence:expected|version:"
    )
    assert found["scores"][0]["average_scus"] == 11


def test_jackknife_scores_people_and_systems_alike(run: Run, corpus: Path) -> None:
    found = run("evaluate", corpus, "--method", "manual", "--jackknife", "--json").json
    assert "|jackknife:yes|" in found["signature"]
    assert {row["summary"] for row in found["systems"]} >= {"A", "B", "C", "D", "E", "copy"}


def test_tables(run: Run, corpus: Path) -> None:
    text = run("evaluate", corpus, "--method", "manual").out
    assert "Means over topics" in text
    assert "method:manual|average:exact" in text
    rows = list(csv.DictReader(io.StringIO(run("evaluate", corpus, "--method", "manual", "--format", "csv").out)))
    assert len(rows) == 12
    assert float(rows[0]["quality"]) == 33 / 34
    latex = run("evaluate", corpus, "--method", "manual", "--format", "latex").out
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 2
    assert r"method:manual|average:exact" in latex


def test_explanations_say_which_words_carry_what(run: Run, corpus: Path) -> None:
    text = run("evaluate", corpus / "tidal-lagoon", "--method", "manual", "--explain").out
    assert "  + [5] Marrow Bay's tidal power station has opened (said 2 times)" in text
    assert "        \u201cit is now up and running\u201d" in text
    assert "  - [5] The lagoon opened six years late" in text
    assert "  ? Clean energy matters to all of us" in text
    rows = run("evaluate", corpus / "tidal-lagoon", "--method", "manual", "--explain", "--json").json["scores"]
    padded = next(row for row in rows if row["summary"] == "padded")["explanation"]
    assert padded["expressed"][0]["words"] == [
        "The tidal lagoon power station at Marrow Bay has opened",
        "it is now up and running",
    ]
    assert sum(scu["weight"] for scu in padded["expressed"]) == 14


def test_order_of_the_files_changes_nothing(run: Run, corpus: Path) -> None:
    files = [corpus / "lake-revival" / "pyramid.json", *(corpus / "lake-revival" / "annotations").iterdir()]
    assert run("score", *files, "--json").out == run("score", files[0], *reversed(files[1:]), "--json").out


def test_an_unannotated_peer_is_named_and_a_blank_one_scores_0(run: Run, tmp_path: Path) -> None:
    topic = example()[0]
    extra = (Summary("late", "Something.", "peer"), Summary("blank", " \n", "peer"))
    native.dump(
        [Topic(topic.id, topic.references, topic.peers + extra, (), topic.pyramid, topic.annotations)],
        tmp_path / "t.json",
    )
    outcome = run("evaluate", tmp_path / "t.json", "--method", "manual", "--json")
    assert outcome.err == "warning: Topic 'lake-revival': there is no annotation of late; left out\n"
    assert {row["summary"]: row["coverage"] for row in outcome.json["scores"]}["blank"] == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            '{"topic": "t", "peers": {"p": "x"}}',
            "Topic 't' has no pyramid, and the method 'manual' builds none; add pyramid.json",
        ),
        (
            '{"topic": "t", "references": {"A": "x"}, "peers": {"p": "x"}, "pyramid": {"scus": []}}',
            "There is nothing to score: no summary (peer) is annotated; add annotations/",
        ),
    ],
)
def test_a_corpus_with_nothing_to_score(run: Run, tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "t.json").write_text(content)
    outcome = run("evaluate", tmp_path / "t.json", "--method", "manual")
    assert outcome.status == 1
    assert message in outcome.err


def test_annotations_without_their_pyramid(run: Run, corpus: Path) -> None:
    outcome = run("score", corpus / "lake-revival" / "annotations" / "copy.json")
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err.endswith(
        "copy.json: The annotations of topic 'lake-revival' come without a pyramid; "
        "give the pyramid's file first, then its annotations.\n"
    )


def test_a_pyramid_of_another_topic_is_used_with_a_warning_and_an_ignored_one_is_named(
    run: Run, corpus: Path, tmp_path: Path
) -> None:
    lake, tidal = corpus / "lake-revival", corpus / "tidal-lagoon"
    outcome = run("score", lake / "pyramid.json", tidal / "annotations" / "copy.json")
    assert "Annotations of topic 'tidal-lagoon', scored against the pyramid of topic 'lake-revival'" in outcome.err
    topic = example()[0]
    annotation = topic.annotations[0]
    one = Topic(topic.id, topic.references, (annotation.summary,), (), topic.pyramid, (annotation,))
    (tmp_path / "copy.pan").write_bytes(ducview.dumps([one]))
    ignored = run("score", tidal / "pyramid.json", tmp_path / "copy.pan")
    assert "scored against the pyramid it carries, not the one given" in ignored.err


def test_an_scu_that_the_pyramid_lacks_is_said_with_its_file(run: Run, corpus: Path, tmp_path: Path) -> None:
    lake = corpus / "lake-revival"
    path = tmp_path / "odd.json"
    path.write_text((lake / "annotations" / "copy.json").read_text().replace('"scu": "1"', '"scu": "zzz"'))
    outcome = run("score", lake / "pyramid.json", path)
    assert outcome.status == 1
    assert "odd.json: The annotation of 'copy' matches SCU 'zzz'" in outcome.err


def test_jackknifed_people_and_systems_of_one_name_stay_apart(run: Run, tmp_path: Path) -> None:
    text = (
        native.dumps(example()[:1])
        .decode()
        .replace('"id": "copy"', '"id": "A"')
        .replace('"summary": "copy"', '"summary": "A"')
    )
    (tmp_path / "t.json").write_text(text)
    systems = run("evaluate", tmp_path / "t.json", "--method", "manual", "--jackknife", "--json").json["systems"]
    assert sorted(row["role"] for row in systems if row["summary"] == "A") == ["peer", "reference"]


def test_usage_errors_leave_with_2(run: Run) -> None:
    assert run("score").status == 2
    assert run("evaluate", "x", "--average", "up").status == 2
    assert run("evaluate", "x", "--method", "magic").status == 1


@pytest.mark.data
def test_the_official_numbers_in_one_command(run: Run, data: Path) -> None:
    files = sorted((data / "ducview").glob("*.pan"))
    rows = run("score", *files, "--average", "floor", "--cap", "--json").json["scores"]
    with (data / "ducview" / "scores.csv").open() as file:
        official = {row["filename"]: row for row in csv.DictReader(file)}
    assert len(rows) == 12
    for row in rows:
        theirs = official[f"{row['summary']}.pan"]
        assert round(row["quality"], 4) == float(theirs["qualityScore"])
        assert round(row["coverage"], 4) == float(theirs["coverageScore"])
        assert round(row["comprehensive"], 4) == float(theirs["comprehensiveScore"])
        assert row["raw"] == float(theirs["totalWeight"])


def test_the_means_of_systems_as_csv(run: Run, corpus: Path) -> None:
    rows = list(
        csv.DictReader(
            io.StringIO(run("evaluate", corpus, "--method", "manual", "--table", "systems", "--format", "csv").out)
        )
    )
    assert (len(rows), rows[0]["system"], rows[0]["topics"]) == (6, "copy", "2")
    assert float(rows[0]["coverage"]) == pytest.approx((33 + 35) / 2 / 37.2)
    assert (rows[0]["coverage_low"], rows[0]["coverage_high"]) == ("", "")
    assert "Means over topics" not in run("evaluate", corpus, "--method", "manual", "--table", "scores").out
    assert run("evaluate", corpus, "--method", "manual", "--table", "systems").out.startswith("Means over topics")


@pytest.mark.parametrize("format", ["csv", "latex"])
def test_explanations_do_not_fit_into_a_table(run: Run, corpus: Path, format: str) -> None:
    outcome = run("evaluate", corpus, "--method", "manual", "--explain", "--format", format)
    assert outcome.status == 2
    assert f"A {format} table cannot hold explanations" in " ".join(outcome.err.split())


def _pans(folder: Path, *ids: str) -> list[Path]:
    topic = example()[0]
    for annotation in topic.annotations:
        if annotation.summary.id in ids:
            one = Topic(topic.id, topic.references, (annotation.summary,), (), topic.pyramid, (annotation,))
            (folder / f"{annotation.summary.id}.pan").write_bytes(ducview.dumps([one]))
    return [folder / f"{id}.pan" for id in ids]


def test_files_of_one_topic_are_one_topic(run: Run, tmp_path: Path) -> None:
    rows = run("score", *_pans(tmp_path, "copy", "empty"), "--jackknife", "--json").json["scores"]
    assert [row["summary"] for row in rows] == ["A", "B", "C", "D", "E", "copy", "empty"]


def test_a_file_given_twice_counts_once(run: Run, tmp_path: Path) -> None:
    (copy,) = _pans(tmp_path, "copy")
    outcome = run("score", copy, copy, "--json")
    assert len(outcome.json["scores"]) == 1
    assert (
        outcome.err == f"warning: Topic {tmp_path.name!r}: the same annotation of 'copy' occurs again; it counts once\n"
    )
    other = tmp_path / "x"
    other.mkdir()
    changed = copy.read_text()
    start = changed.index("  <contributor", changed.index("<annotation>"))
    end = changed.index("</contributor>", start) + len("</contributor>\n")
    target = other / "copy.pan"
    target.write_text(changed[:start] + changed[end:])
    (tmp_path / "y").mkdir()
    first = native_of(copy, tmp_path / "1.json")
    second = native_of(target, tmp_path / "2.json")
    refused = run("score", first, second)
    assert refused.status == 1
    assert "Topic 't': summary 'copy' is annotated twice, and differently" in refused.err


def native_of(pan: Path, path: Path) -> Path:
    """The topic of a .pan in our JSON, renamed."""
    (topic,) = ducview.load(pan)
    assert topic.pyramid is not None
    native.dump([replace(topic, id="t", pyramid=replace(topic.pyramid, topic="t"))], path)
    return path


def test_one_topic_with_two_pyramids_can_still_be_scored(run: Run, tmp_path: Path) -> None:
    for number, topic in enumerate(example()):
        annotation = topic.annotations[0]
        one = Topic(topic.id, topic.references, (annotation.summary,), (), topic.pyramid, (annotation,))
        (tmp_path / f"{number}.pan").write_bytes(ducview.dumps([one]))
    rows = run("score", tmp_path / "0.pan", tmp_path / "1.pan", "--json").json["scores"]
    assert [(row["topic"], row["raw"]) for row in rows] == [(tmp_path.name, 33), (tmp_path.name, 35)]


def test_means_over_pyramids_are_not_shown_as_ratios(run: Run, corpus: Path) -> None:
    text = run("evaluate", corpus / "lake-revival", "--method", "manual", "--jackknife", "--explain").out
    assert re.search(r"lake-revival / copy: mean over 5 pyramids: coverage 0\.\d{4}, quality 0\.\d{4}\n", text)
    assert re.search(r"lake-revival / A: coverage 0\.\d{4} = \d+ / ", text)
    rows = run("evaluate", corpus / "lake-revival", "--method", "manual", "--jackknife", "--json").json["scores"]
    assert {row["summary"]: "tiers" in row for row in rows} == dict.fromkeys("ABCDE", True) | dict.fromkeys(
        ["copy", "empty", "off-topic", "padded", "paraphrase-1", "paraphrase-2"], False
    )


def test_several_annotators_are_told_of_once(run: Run, tmp_path: Path) -> None:
    topics = []
    for topic in example():
        by_two = [replace(one, annotator=name) for one in topic.annotations for name in ("114", "115")]
        topics.append(replace(topic, annotations=tuple(by_two)))
    native.dump(topics, tmp_path / "c.jsonl")
    outcome = run("evaluate", tmp_path / "c.jsonl", "--method", "manual", "--json")
    assert outcome.err == (
        "warning: 12 summaries with several annotations (the first: topic 'lake-revival', summary 'copy', "
        "by 114, 115); each is scored, and a system's means take their mean\n"
    )
    assert outcome.json["systems"][0]["n"] == 2


def test_no_warning_is_printed_twice(run: Run, tmp_path: Path) -> None:
    contributor = '{"reference": "A"}'
    (tmp_path / "t.json").write_text(
        '{"topic": "t", "references": {"A": "x", "B": "y"}, "peers": {"p": ""}, "pyramid": {"scus": [{"id": "7", '
        f'"label": "", "contributors": [{contributor}, {contributor}]}}]}}, "annotations": [{{"summary": "p"}}]}}'
    )
    lines = run("score", tmp_path / "t.json", tmp_path / "t.json", "--jackknife").err.splitlines()
    assert len([line for line in lines if "two contributors" in line]) == 1


def test_what_a_program_annotated_is_signed_by_that_program(run: Run, tmp_path: Path) -> None:
    """Whoever copies a signature must not call a program's annotations people's."""
    topic = example()[0]
    native.dump([replace(topic, peers=(), annotations=())], tmp_path / "pyramid.json")
    dump([topic], tmp_path / "corpus", "folder")
    peers = sorted((tmp_path / "corpus" / topic.id / "peers").glob("*.txt"))
    matched = tmp_path / "matched.json"
    assert run("match", tmp_path / "pyramid.json", *peers, "--matcher", "unigram", "-o", matched).status == 0
    by_program = run("score", matched, "--json").json["signature"]
    assert by_program.startswith("method:given+given|annotations:unigram|average:")
    assert str(Signature.parse(by_program)) == by_program
    kept = run("evaluate", matched, "--method", "manual", "--out", tmp_path / "run", "--json").json["signature"]
    assert kept == by_program
    again = run("evaluate", tmp_path / "run", "--rescore", "--json").json["signature"]
    assert again == by_program


def test_people_and_programs_are_both_named_where_both_annotated(run: Run, tmp_path: Path) -> None:
    first, second = example()
    machine = [replace(one, matcher="wmin(threshold=0.7)") for one in first.annotations]
    people = [replace(one, annotator="Ann") for one in second.annotations]
    mixed = [replace(first, annotations=tuple(machine)), replace(second, annotations=tuple(people))]
    signatures = {}
    for name, topics in (("people", mixed[1:]), ("mixed", mixed)):
        native.dump(topics, tmp_path / f"{name}.jsonl")
        for command in (("score",), ("stability",)):
            signatures[name, *command] = run(*command, tmp_path / f"{name}.jsonl", "--json").json["signature"]
    assert signatures["people", "score"].startswith("method:manual|average:")
    assert signatures["people", "stability"].startswith("method:manual|average:")
    assert signatures["mixed", "score"].startswith("method:given+given|annotations:people,wmin(threshold=0.7)|average:")
    assert signatures["mixed", "stability"].startswith("method:given+given|annotations:people,wmin(threshold=0.7)|")
