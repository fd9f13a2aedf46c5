"""The report as text: complete in itself, the same every time, and what it embeds is what was evaluated."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from pyramidion.evaluation.evaluate import evaluate
from pyramidion.evaluation.evaluation import Evaluation
from pyramidion.examples import example
from pyramidion.explanation import explain
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Span, Summary, Topic
from pyramidion.reports.html import report_html
from pyramidion.reports.page.data import pieces, report_data, sections
from pyramidion.scoring import QUANTITIES, Settings
from pyramidion.stats.bootstrap import Interval
from tests.reports.evaluations import ATTACK, contradicting, crowded, hostile, judged, segmented, unread
from tests.strategies import TEXTS, spans, topics


class Parsed(HTMLParser):
    """Elements, their attributes, and the text of those that hold only text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.open.append(tag)
        self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts[self.open[-1]][-1] += data

    def attributes(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def embedded(html: str) -> dict[str, Any]:
    found = re.findall(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert len(found) == 1
    data: dict[str, Any] = json.loads(found[0])
    return data


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return evaluate(example(), "manual")


@pytest.fixture(scope="module")
def html(evaluation: Evaluation) -> str:
    return report_html(evaluation)


def test_a_summary_that_nobody_annotated_has_dashes_and_nulls() -> None:
    html = report_html(unread())
    assert '<td class="number main" data-v="-1">-</td>' in html
    assert '<td class="lead" data-v="-1"><span class="number">-</span></td>' in html
    assert [one["scores"]["coverage"] for one in report_data(unread())["topics"][0]["summaries"]] == [1, None]


@pytest.mark.parametrize("cap", [False, True])
def test_more_than_all_is_explained_where_there_is_such_a_summary(cap: bool) -> None:
    references = (Summary("A", "Fish died. Farms were blamed."), Summary("B", "Reeds were planted."))
    places = (("A", Span(0, 9)), ("A", Span(11, 28)), ("B", Span(0, 18)))
    scus = tuple(SCU(str(n), f"idea {n}", (Contributor(id, (span,)),)) for n, (id, span) in enumerate(places))
    peer = Summary("richer", "Farms killed the fish; now there are reeds.", "peer")
    matches = tuple(Match(scu.id, (Span(0, 5),)) for scu in scus)
    topic = Topic(
        "lake", references, (peer,), pyramid=Pyramid("lake", references, scus), annotations=(Annotation(peer, matches),)
    )
    told = "A summary that has more than a typical reference has more than 100&nbsp;%."
    assert (told in report_html(evaluate([topic], "manual", Settings(cap=cap)))) is not cap


def test_the_same_evaluation_gives_the_same_bytes(html: str) -> None:
    assert report_html(evaluate(reversed(example()), "manual")) == html


def test_nothing_is_loaded_from_anywhere(html: str) -> None:
    parsed = Parsed(html)
    assert not parsed.attributes("link") + parsed.attributes("img") + parsed.attributes("iframe")
    assert {name for _, attributes in parsed.elements for name in attributes} & {
        "src",
        "srcset",
        "style",
        "action",
    } == set()
    assert all((link["href"] or "").startswith("#") for link in parsed.attributes("a"))
    assert not re.search(r"https?:|url\(|@import", html)


def test_the_policy_admits_this_style_and_this_script_only(html: str) -> None:
    parsed = Parsed(html)
    policy = next(one["content"] or "" for one in parsed.attributes("meta") if one.get("http-equiv"))
    directives = dict(directive.split(" ", 1) for directive in policy.split("; "))

    def admitted(source: str) -> str:
        return f"'sha256-{b64encode(sha256(source.encode()).digest()).decode()}'"

    assert directives["default-src"] == "'none'"
    assert directives["style-src"] == admitted(parsed.texts["style"][0])
    assert directives["script-src"] == admitted(parsed.texts["script"][-1])
    assert "unsafe" not in policy


def test_every_summary_is_a_row_that_can_be_read_without_a_script(html: str, evaluation: Evaluation) -> None:
    rows = re.findall(
        r'<tr><td dir="auto">(.*?)</td><th scope="row" dir="auto"><a href="#(.*?)">(.*?)</a></th>(.*?)</tr>', html
    )
    assert [(topic, name) for topic, _, name, _ in rows] == [
        (one.scores.topic, one.scores.summary) for one in evaluation.results
    ]
    for (_, _, _, cells), one in zip(rows, evaluation.results, strict=True):
        shown = re.findall(r'data-v="(.*?)">(.*?)</td>', cells)
        assert (str(one.scores.coverage), f"{one.scores.coverage:.3f}") in shown
        assert (str(one.scores.raw), str(one.scores.raw)) in shown


def test_links_lead_to_the_summary_they_name(html: str) -> None:
    data = embedded(html)
    for topic, link, name in re.findall(
        r'<td dir="auto">(.*?)</td><th scope="row" dir="auto"><a href="#(.*?)">(.*?)</a>', html
    ):
        _, t, s = link.split("-")
        assert (data["topics"][int(t)]["id"], data["topics"][int(t)]["summaries"][int(s)]["id"]) == (topic, name)


def test_every_heading_of_a_table_says_what_it_heads(html: str) -> None:
    headings = Parsed(html).attributes("th")
    assert headings
    assert all(heading.get("scope") in ("col", "row") for heading in headings)
    assert {heading["aria-sort"] for heading in headings if heading["scope"] == "col"} == {"none", "descending"}


def test_systems_have_intervals_where_there_are_several_topics(html: str, evaluation: Evaluation) -> None:
    assert 'id="systems-table"' in html
    assert html.count("No intervals: it takes 6 topics, and here are 2.") == 2
    known = replace(evaluation.systems[1], intervals=dict.fromkeys(QUANTITIES, Interval(0.123, 0.987)))
    assert "0.123\N{EN DASH}0.987" in report_html(replace(evaluation, systems=(known,)))
    assert 'id="systems-table"' not in report_html(evaluate(example()[:1], "manual"))


def test_the_data_are_those_of_the_evaluation(html: str, evaluation: Evaluation) -> None:
    data = embedded(html)
    assert data["format"] == "pyramidion-report/1"
    assert data["signature"] == str(evaluation.signature)
    summaries = [(topic, summary) for topic in data["topics"] for summary in topic["summaries"]]
    assert len(summaries) == len(evaluation.results)
    for (topic, summary), one in zip(summaries, evaluation.results, strict=True):
        told = explain(one.pyramid, one.annotation)
        label = {scu["number"]: scu["label"] for scu in topic["scus"]}
        assert "".join(piece["text"] for piece in summary["text"]) == one.annotation.summary.text
        assert [label[scu["scu"]] for scu in summary["expressed"]] == [scu.label for scu in told.expressed]
        assert [label[scu["scu"]] for scu in summary["missed"]] == [scu.label for scu in told.missed]
        assert summary["scores"]["quality"] == one.scores.quality


def test_scus_are_numbered_by_falling_weight(html: str) -> None:
    for topic in embedded(html)["topics"]:
        weights = [scu["weight"] for scu in topic["scus"]]
        assert weights == sorted(weights, reverse=True)
        assert [scu["number"] for scu in topic["scus"]] == list(range(1, len(weights) + 1))


def test_segmentations_are_told_where_they_are_known() -> None:
    (topic,) = report_data(segmented())["topics"]
    (sentence,) = topic["summaries"][0]["sentences"]
    assert [(unit["words"], unit["scu"], unit["score"]) for unit in sentence["units"]] == [
        ("The fish died", 1, 0.87),
        ("a boat sank", None, 0.0),
    ]


def test_reasons_of_matches_are_in_the_data() -> None:
    (expressed, _) = report_data(hostile())["topics"][0]["summaries"][0]["expressed"]
    assert expressed["reasons"] == [f"r{ATTACK}".strip()]
    (topic,) = report_data(segmented())["topics"]
    assert topic["summaries"][0]["expressed"][0]["reasons"] == []


def test_a_judge_s_report_says_that_raw_is_expected(html: str) -> None:
    report = report_html(judged())
    assert "raw, coverage and recall are expectations" in report
    assert 'data-v="2.53125">2.53</td>' in report
    assert "expected weight of the SCUs expressed" in report
    (summary,) = embedded(report)["topics"][0]["summaries"]
    assert summary["probabilities"] == [0.875, 0.375, 0.03125]
    assert (summary["scores"]["raw"], summary["scores"]["counted"]) == (2.53125, 2)
    for other in (html, report_html(judged("counted"))):
        assert "expectations" not in other
    assert embedded(html)["topics"][0]["summaries"][0]["probabilities"] == []


def test_the_full_stop_that_a_segment_takes_along_is_not_marked() -> None:
    text = "Fish died, they say."
    pyramid = Pyramid("t", (Summary("A", "a"),), (SCU("1", "x", (Contributor("A", (Span(0, 1),)),)),))
    peer = Summary("p", text, "peer")
    annotation = Annotation(peer, (Match("1", (Span(0, 9), Span(19, 20)), 0.9),), (Contributor("p", (Span(9, 19),)),))
    (topic,) = report_data(evaluate([Topic("t", pyramid.references, (peer,), (), pyramid, (annotation,))], "manual"))[
        "topics"
    ]
    assert topic["summaries"][0]["text"] == [
        {"text": "Fish died", "in": [1], "ends": [1]},
        {"text": ", they say", "d0": True},
        {"text": "."},
    ]


def test_no_text_breaks_out_of_its_place() -> None:
    html = report_html(hostile(), title=ATTACK)
    parsed = Parsed(html)
    assert [one.get("type") for one in parsed.attributes("script")] == ["application/json", None]
    assert not parsed.attributes("img") + parsed.attributes("svg")
    assert not [name for _, attributes in parsed.elements for name in attributes if name.startswith("on")]
    assert "".join(p["text"] for p in embedded(html)["topics"][0]["summaries"][0]["text"]).count(ATTACK) == 1
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f]", html)


def test_half_a_surrogate_pair_can_be_written_to_a_file() -> None:
    peer = Summary("p\ud800", "x\udfff", "peer")
    pyramid = Pyramid("t", (Summary("A", "a"),), (SCU("1", "\ud800", (Contributor("A", (Span(0, 1),)),)),))
    report = report_html(
        evaluate([Topic("t", pyramid.references, (peer,), (), pyramid, (Annotation(peer),))], "manual")
    )
    assert report.encode("utf-8")


def test_an_evaluation_of_nothing_is_a_page() -> None:
    assert embedded(report_html(evaluate([], "manual")))["topics"] == []


def test_a_large_class_makes_a_page_that_opens_at_once() -> None:
    html = report_html(crowded())
    assert len(html.encode()) < 700_000
    assert html.count('"label":"label word77"') == 1


def test_references_stand_with_the_pyramid_they_were_taken_from() -> None:
    every = evaluate(example(), "manual", leave_one_out=True)
    found = sections(every)
    assert [section.pyramid for section in found] == [topic.pyramid for topic in example()]
    assert sum(len(section.results) for section in found) == len(every.results)
    report = report_html(every)
    assert report.count('<span class="tag">reference</span>') == 2 * (2 * 5 + 5)  # for readers, and for researchers
    shown = embedded(report)["topics"][0]["summaries"]
    assert {one["role"] for one in shown} == {"peer", "reference"}


def test_without_peers_the_pyramid_is_put_together_again() -> None:
    (topic, _) = example()
    alone = Topic(topic.id, topic.references, pyramid=topic.pyramid)
    (section,) = sections(evaluate([alone], "manual", leave_one_out=True))
    assert topic.pyramid
    assert {scu.id: set(scu.contributors) for scu in section.pyramid.scus} == {
        scu.id: set(scu.contributors) for scu in topic.pyramid.scus
    }


def test_topics_of_one_name_but_different_pyramids_stay_apart() -> None:
    def topic(label: str) -> Topic:
        pyramid = Pyramid("t", (Summary("A", "a b"),), (SCU("1", label, (Contributor("A", (Span(0, 1),)),)),))
        peer = Summary(label, "a", "peer")
        return Topic("t", pyramid.references, (peer,), (), pyramid, (Annotation(peer, (Match("1"),)),))

    found = sections(evaluate([topic("x"), topic("y")], "manual"))
    assert [(section.pyramid.scus[0].label, len(section.results)) for section in found] == [("x", 1), ("y", 1)]


def test_a_gap_in_an_expression_is_in_no_scu() -> None:
    assert pieces("abcde", [(1, [Span(0, 1), Span(3, 4)])], [Span(1, 2)]) == [
        {"text": "a", "in": [1]},
        {"text": "b", "d0": True},
        {"text": "c"},
        {"text": "d", "in": [1], "ends": [1]},
        {"text": "e"},
    ]


@given(st.data())
def test_pieces_are_the_text_and_belong_to_what_covers_them(data: st.DataObject) -> None:
    text = data.draw(TEXTS)
    places = [(number, data.draw(spans(text))) for number in range(1, 4)]
    unmatched = data.draw(spans(text))
    made = pieces(text, places, unmatched)
    assert "".join(piece["text"] for piece in made) == text
    at = 0
    for piece in made:
        for character in range(at, at + len(piece["text"])):
            covering = [number for number, some in places if any(s.start <= character < s.end for s in some)]
            assert piece.get("in", []) == covering
            outside = any(s.start <= character < s.end for s in unmatched)
            assert piece.get("d0", False) == (outside and not covering)
        at += len(piece["text"])
    assert sorted(number for piece in made for number in piece.get("ends", [])) == [n for n, some in places if some]


@given(topics())
@hypothesis_settings(max_examples=30)
@pytest.mark.filterwarnings("ignore:the judge claims")
def test_every_topic_makes_a_page(topic: Topic) -> None:
    html = report_html(evaluate([topic], "manual"))
    assert html.encode("utf-8")
    shown = [summary for one in embedded(html)["topics"] for summary in one["summaries"]]
    assert sorted("".join(piece["text"] for piece in one["text"]) for one in shown) == sorted(
        peer.text for peer in topic.peers
    )


def test_contradictions_are_in_the_data_the_table_and_the_text() -> None:
    html = report_html(contradicting())
    assert 'data-key="contradicted"' in html
    assert 'data-key="contradicted"' not in report_html(judged())
    (summary,) = embedded(html)["topics"][0]["summaries"]
    assert summary["scores"]["contradicted"] == 1
    assert summary["contradicted"] == [
        {
            "scu": 2,
            "weight": 2,
            "probability": 0.75,
            "unit": 0,
            "words": ["the farms kept their phosphorus out of it"],
            "reasons": [],
            "remarks": [],
        }
    ]
    assert [one["scu"] for one in summary["missed"]] == [3]
    (denying,) = (piece for piece in summary["text"] if "against" in piece)
    assert denying == {"text": "the farms kept their phosphorus out of it", "against": [2], "ends": [2]}
    assert summary["unmatched"] == ["A boat sank"]


def test_hostile_words_that_contradict_stay_words() -> None:
    html = report_html(hostile())
    assert "<script>window.attacked" not in html
    (denied,) = embedded(html)["topics"][0]["summaries"][0]["contradicted"]
    assert denied["words"] == [ATTACK]
    assert denied["reasons"] == [f"no{ATTACK}".strip()]
