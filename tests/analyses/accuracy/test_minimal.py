"""Minimal sets: the files that ship, the figures of a judge, and what is made of the example's references."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.analyses.accuracy.minimal import damage
from pyramidion.analyses.accuracy.minimal.sets import (
    GENRES,
    KINDS,
    SAID,
    MinimalSet,
    as_topic,
    fingerprint,
    load,
    loads,
)
from pyramidion.analyses.accuracy.minimal.study import (
    FLOOR,
    annotated,
    auc,
    bench_minimal,
    figures,
    judges,
    p_said,
    passages,
    rouge_1,
)
from pyramidion.base.tables import render
from pyramidion.cli import main
from pyramidion.errors import FormatError, PyramidionError
from pyramidion.examples import example
from pyramidion.methods import Method
from pyramidion.model import NO_ANSWER, Annotation, Match, Pyramid, Summary, Topic
from tests.fuzz import mutated, only_our_errors

HALVES = ("development", "sealed")
VALID = """# a comment
statement: The cat chased the dog.
  before: It was a quiet street.
  after: A neighbour looked on.
  light: The dog was
    chased by the cat.

statement: It rained.
  before: May had come.
  after: We went home.
"""


def bare(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


# the files


@pytest.mark.parametrize("half", HALVES)
def test_each_half_has_as_many_sets_of_every_genre(half: str) -> None:
    assert Counter(item.genre for item in load(half)) == dict.fromkeys(GENRES, 26)


def test_every_kind_is_in_a_hundred_sets_and_the_telling_ones_in_a_hundred_and_fifty() -> None:
    counts = Counter(kind for half in HALVES for item in load(half) for kind in item.variants)
    assert counts.keys() == KINDS.keys()
    assert min(counts.values()) >= 100
    assert min(counts[kind] for kind in ("light", "heavy", "negation", "swapped", "topic")) >= 150


@pytest.mark.parametrize("half", HALVES)
def test_a_statement_is_one_sentence_of_five_to_fourteen_words(half: str) -> None:
    for item in load(half):
        assert 5 <= len(item.statement.split()) <= 14, item.statement
        assert re.fullmatch(r"[A-Z0-9].*[^.]\.", item.statement), item.statement
        assert not re.search(r"[.!?] [A-Z]", item.statement), item.statement


@pytest.mark.parametrize("half", HALVES)
def test_variants_differ_from_their_statement_and_from_each_other_and_verbatim_holds_it(half: str) -> None:
    for item in load(half):
        assert bare(item.statement) in bare(item.variants["verbatim"]), item.statement
        others = [item.variants[kind] for kind in SAID if kind != "verbatim"]
        assert not any(bare(item.statement) in bare(text) for text in others), item.statement
        assert len({bare(text) for text in item.variants.values()}) == len(item.variants), item.statement
        assert bare(item.statement) not in bare(f"{item.before} {item.after}"), item.statement


@pytest.mark.parametrize("half", HALVES)
def test_a_split_statement_takes_two_sentences(half: str) -> None:
    for item in load(half):
        assert len(re.findall(r"[.?!]\"?(?= |$)", item.variants["split"].replace("Dr ", ""))) == 2, item.statement


def test_the_halves_share_no_statement_and_no_text() -> None:
    first, second = ({bare(text) for item in load(half) for text in texts(item)} for half in HALVES)
    assert not first & second
    every = [bare(item.statement) for half in HALVES for item in load(half)]
    assert len(set(every)) == len(every) == 208


def texts(item: MinimalSet) -> list[str]:
    return [item.statement, item.before, item.after, *item.variants.values()]


def test_the_files_are_easy_to_review_and_the_sealed_ones_say_so() -> None:
    for half in HALVES:
        for genre in GENRES:
            text = (files("pyramidion.analyses.accuracy.minimal") / f"{half}-{genre}.txt").read_text(encoding="utf-8")
            assert max(map(len, text.splitlines())) <= 120
            assert ("Nobody opens this file while choosing settings" in text) == (half == "sealed")


# their format


def test_a_set_is_read_with_its_fields_and_their_further_lines() -> None:
    cats, rain = loads(VALID, "news")
    assert cats.genre == "news"
    assert cats.passage("light") == "It was a quiet street. The dog was chased by the cat. A neighbour looked on."
    assert rain.variants == {"verbatim": "It rained."}
    assert fingerprint([cats]) != fingerprint([rain])


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("light: It poured.", 1, "'light' comes before any statement"),
        ("# no set\n    goes on", 2, "continues a field, but there is none"),
        ("statement: It rained.\n  louder: It poured.", 2, "does not begin with a field"),
        ("statement: It rained.\n  light: It poured.\n  light: It rained cats.", 3, "two fields 'light'"),
        ("statement: It rained.\n  after: We left.", 1, "no 'before'"),
        ("statement:\n  before: May came.\n  after: We left.", 1, "no 'statement'"),
        ("\nstatement: It rained.\n  before: May came.\n  after: We left.\n  topic:", 2, "'topic' of the set is empty"),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_its_line(text: str, line: int, what: str) -> None:
    with pytest.raises(FormatError, match=what) as raised:
        loads(text, source="sets.txt")
    assert str(raised.value).startswith(f"sets.txt:{line}: ")


@given(st.one_of(st.text(), mutated(VALID.encode()).map(lambda data: data.decode(errors="replace"))))
def test_any_text_is_read_or_refused(text: str) -> None:
    only_our_errors(lambda: loads(text))


# the figures


def tenths(pyramid: Pyramid, summary: Summary) -> Annotation:
    """A judge that believes the digit in a passage."""
    digit = re.search(r"\d", summary.text)
    assert digit
    return Annotation(summary, probabilities=((pyramid.scus[0].id, int(digit[0]) / 10),))


def toy(genre: str = "news", **digits: int) -> MinimalSet:
    return MinimalSet("It rained.", "May came.", "We left.", {kind: f"P{p}." for kind, p in digits.items()}, genre)


TOYS = [toy(verbatim=9, light=8, negation=5, topic=1), toy("essays", verbatim=6, heavy=4, swapped=7)]
ANSWERS = [annotated(as_topic(item, str(number)), tenths) for number, item in enumerate(TOYS)]


def test_the_figures_of_a_judge_by_hand() -> None:
    judged = figures("tenths", TOYS, ANSWERS)
    assert judged.kinds["verbatim"].value == 0.75  # (.9 + .6) / 2
    assert judged.kinds["verbatim"].n == 2
    assert judged.kinds["swapped"].value == 0.7
    assert judged.kinds["time"].value is None
    assert judged.order.value == 0.5  # .8 > .5 in the first set; .4 < .7 in the second
    # said .9 .8 .6 .4 against unsaid .5 .1 .7: 3 + 3 + 2 + 1 of 12 pairs
    assert judged.auc.value == 0.75
    # light and heavy .8 .4 against negated and swapped .5 .7: 2 + 0 of 4 pairs
    assert judged.true_against_false.value == 0.5
    # first set .9 .8 against .5 .1: 4 of 4; second .6 .4 against .7: 0 of 2
    assert {genre: figure.value for genre, figure in judged.genres.items()} == {"news": 1.0, "essays": 0.0}


def test_a_tie_counts_half_and_breaks_the_order() -> None:
    sets = [toy(light=5, negation=5)]
    judged = figures("tenths", sets, [annotated(as_topic(sets[0], "1"), tenths)])
    assert judged.auc.value == 0.5
    assert judged.order.value == 0.0
    assert judged.auc.interval is None


def test_intervals_are_over_sets_and_the_same_every_time() -> None:
    # six sets of two kinds: k of the first and 6 - k of the second have an AUC of k / 6
    degrees = [{"light": 0.9, "negation": 0.5}, {"light": 0.2, "negation": 0.3}] * 3
    figure = auc(degrees, ["light"], ["negation"])
    assert figure.value == 0.5  # .9 above both, .2 below both
    assert figure.interval == pytest.approx((1 / 6, 5 / 6))
    assert auc(degrees[:5], ["light"], ["negation"]).interval is None
    assert auc(degrees, ["light"], ["negation"]) == figure


def test_a_figure_without_pairs_is_none() -> None:
    assert auc([{"light": 1.0}], SAID, ["negation"]).value is None
    assert auc([], SAID, ["negation"]).value is None


def test_what_an_answer_says() -> None:
    summary = Summary("peer", "It rained.", "peer")
    assert p_said(Annotation(summary, probabilities=(("1", 0.25), ("2", 0.5))), "1") == 0.25
    assert p_said(Annotation(summary, probabilities=(("2", 0.5),)), "1") is None
    assert p_said(Annotation(summary, (Match("1", (), 0.6), Match("1", (), 0.8))), "1") == 0.8
    assert p_said(Annotation(summary), "1") == 0.0
    assert p_said(Annotation(summary, unjudged=(("1", NO_ANSWER),)), "1") is None


def test_a_passage_that_a_judge_did_not_answer_is_left_out() -> None:
    def silent(pyramid: Pyramid, summary: Summary) -> Annotation:
        unanswered = Annotation(summary, unjudged=((pyramid.scus[0].id, NO_ANSWER),))
        return tenths(pyramid, summary) if "P9" in summary.text else unanswered

    judged = figures("silent", TOYS, [annotated(as_topic(item, "1"), silent) for item in TOYS])
    assert (judged.kinds["verbatim"].value, judged.kinds["verbatim"].n) == (0.9, 1)


def test_the_floor_is_the_share_of_the_statement_s_words() -> None:
    item = MinimalSet("The cat chased the dog.", "May came.", "We left.", {"light": "Dogs were chased."})
    topic = annotated(as_topic(item, "1"), rouge_1)
    assert topic.pyramid
    # the, cat, chase, the, dog: of five stems two are there
    assert p_said(topic.annotations[0], topic.pyramid.scus[0].id) == pytest.approx(2 / 5)


def test_judges_are_the_matchers_with_probabilities() -> None:
    assert {"soft", "unigram"} <= set(judges())
    assert not {"wmin", "peak", "edu", "nli:"} & set(judges())


def test_a_study_has_its_judges_and_then_the_floor() -> None:
    sets = load(first=1)
    told: list[str] = []
    study = bench_minimal([Method.parse("given+unigram")], sets, example(), samples=100, progress=told.append)
    assert [judged.judge for judged in study.judges] == ["unigram", FLOOR]
    assert len(told) == 2 * passages(sets, example())
    assert study.judges[0].kinds["verbatim"].value == 1.0
    assert study.judges[0].auc == study.judges[1].auc  # both are unigram recall of one wording
    shown, left = (study.table(name) for name in study.shown)
    assert "roles swapped" in render(shown)
    assert [row[0] for row in left.rows] == [*damage.ROWS]
    assert len(study.rows("figures")) == 2 * (len(shown.rows) + len(left.rows))


# what is made of the example


def test_what_is_made_of_a_text() -> None:
    text = "The mere was dead, and pumps that blew oxygen into its water could not revive the dying lake."
    made = damage.damaged_texts(text, "Tides rise.")
    assert made.keys() == damage.ROWS.keys()
    assert made["shuffled"] != text
    assert sorted(made["shuffled"].split()) == sorted(text.split())
    assert made["keywords"] == "blew dead dying lake mere oxygen pumps revive water"
    assert made["padded"] == f"{text} Tides rise."
    assert made["four times"].count("oxygen") == 4
    assert (made["off topic"], made["empty"]) == ("Tides rise.", "")
    slips = [(old, new) for old, new in zip(text.split(), made["misspelt"].split(), strict=True) if old != new]
    assert len(slips) == 2  # 18 words / 8
    assert all(sorted(old) == sorted(new) and old[0] == new[0] for old, new in slips)


def test_a_word_of_equal_letters_loses_one() -> None:
    assert damage.damaged_texts("Moon " * 8, "")["misspelt"].split().count("Mon") == 1


def test_shares_are_of_the_reference_s_own_coverage() -> None:
    shares = damage.shares(annotated(damage.with_damaged(topic), rouge_1) for topic in example())
    assert {len(values) for values in shares.values()} == {10}
    assert set(shares["shuffled"]) == {1.0}  # ROUGE-1 does not see order
    assert min(shares["four times"]) >= 1.0
    assert set(shares["empty"]) == {0.0}
    assert min(shares["padded"]) >= 1.0
    assert max(shares["misspelt"]) < 1.0


def test_a_judge_that_finds_nothing_has_no_shares() -> None:
    def blind(pyramid: Pyramid, summary: Summary) -> Annotation:
        return Annotation(summary, probabilities=tuple((scu.id, 0.0) for scu in pyramid.scus))

    assert not any(damage.shares([annotated(damage.with_damaged(topic), blind) for topic in example()]).values())


def test_texts_are_made_of_annotated_examples_only() -> None:
    with pytest.raises(PyramidionError, match="no pyramid or no peer 'off-topic'"):
        damage.with_damaged(Topic("t"))


# the command


def run(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    with pytest.raises(SystemExit) as left:
        main(["bench", "minimal", "--judge", "unigram", "--sets", "2", "--samples", "100", *options])
    assert not left.value.code
    return capsys.readouterr().out


def test_the_command_prints_both_tables(capsys: pytest.CaptureFixture[str]) -> None:
    shown = run(capsys)
    assert "heavy paraphrase" in shown
    assert "misspelt" in shown
    assert "method:bench-minimal|judges:given+unigram|half:development|sets:8-" in shown


def test_the_command_as_csv_has_a_row_for_each_judge_and_figure(capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.DictReader(io.StringIO(run(capsys, "--format", "csv"))))
    verbatim = next(row for row in rows if row["judge"] == "unigram" and row["figure"] == "verbatim")
    assert (verbatim["of"], verbatim["n"], verbatim["value"]) == ("said", "8", "1.0")
    assert {row["judge"] for row in rows} == {"unigram", FLOOR}


def test_of_the_sealed_half_only_aggregates_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    printed = run(capsys, "--sealed", "--json")
    told = json.loads(printed)
    assert (told["half"], told["sets"]) == ("sealed", 8)
    assert told["judges"][0]["kinds"]["verbatim"]["value"] == 1.0
    assert not any(item.statement in printed for item in load("sealed"))
