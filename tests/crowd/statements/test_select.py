"""From written statements to those that are judged."""

from __future__ import annotations

import random
import re
import warnings
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.crowd.answers.collect import read_all
from pyramidion.crowd.answers.submission import Asked, Submission
from pyramidion.crowd.design import Design
from pyramidion.crowd.plan import extend, plan
from pyramidion.crowd.statements.drafts import RULES, Rules, drafts
from pyramidion.crowd.statements.review import dumps as review_list
from pyramidion.crowd.statements.review import loads as loads_list
from pyramidion.crowd.statements.select import Selection, select, study_of
from pyramidion.crowd.study import Study, dumps
from pyramidion.errors import InputWarning, ModelError, PyramidionError
from pyramidion.model import Summary, Topic

FAST = replace(RULES["paper"], analyser="unicode")

BRIDGE = "The council closed the old stone bridge in May."
AGAIN = "In May the council closed the old stone bridge"
TWO = "Divers found a crack. The repair costs two million."
LONG = "The ferry carries " + "very " * 18 + "old cars."


def topic(id: str = "t", references: int = 2, peers: int = 1) -> Topic:
    return Topic(
        id,
        tuple(Summary(name, f"The text of {name}.", "reference") for name in "ABCDEFGH"[:references]),
        tuple(Summary(f"peer{n}", f"What peer {n} says.", "peer") for n in range(peers)),
    )


def studied(*topics: Topic, writers: int = 1, sample: int = 4, seed: int = 0) -> Study:
    return plan(topics or (topic(),), Design(checks=0, writers=writers, sample=sample, seed=seed))


def wrote(reference: str, *texts: str, worker: str = "w", topic: str = "t", status: str = "") -> Submission:
    id = f"{worker}-{topic}-{reference}"
    return Submission(id, "writing", topic, reference, worker, written=texts, status=status)


def numbered(reference: str, count: int, topic: str = "t") -> Submission:
    texts = [f"{topic} {reference} says thing number{n} item{n * 7}" for n in range(count)]
    return wrote(reference, *texts, topic=topic)


def reasons(selection: Selection) -> dict[str, str]:
    return {one.text: re.sub(r"\bs[0-9a-f]{8}", "ID", one.dropped) for one in selection.study.statements}


def test_every_statement_ends_kept_or_with_a_reason() -> None:
    written = [
        wrote("A", BRIDGE, TWO, "  A  ferry carries\nforty cars. ", "", " . "),
        wrote("B", AGAIN, LONG, "yes", worker="v"),
    ]
    with pytest.warns(InputWarning, match="a reference with too few"):
        selection = select(studied(), written, FAST)
    assert reasons(selection) == {
        BRIDGE: "",
        "Divers found a crack.": "",
        "The repair costs two million.": "",
        "A ferry carries forty cars.": "",
        AGAIN: "",  # a duplicate, but of another reference's: the paper keeps both
        LONG: "too long: 23 words, at most 20",
        "yes": "too short: 1 words, at least 2",
    }
    assert {one.author for one in selection.study.statements} == {"w", "v"}
    counts = {one.reference: one for one in selection.counts}
    assert (counts["A"].written, counts["A"].kept, counts["A"].sampled) == (4, 4, 3)
    assert (counts["B"].written, counts["B"].kept, counts["B"].sampled) == (3, 1, 1)
    assert counts["B"].dropped == {"too long": 1, "too short": 1}
    judging = selection.study.of_phase("judging")
    assert sorted(id for task in judging for id in task.statements) == sorted(
        one.id for one in selection.study.statements if one.sampled
    )


@given(st.lists(st.text("aB .!?,\n\"'\u3002\u6e56", max_size=40), max_size=4))
def test_no_word_is_lost_however_it_is_cut(texts: list[str]) -> None:
    found = drafts(studied(), [wrote("A", *texts)], FAST)
    written = Counter(letter for text in texts for letter in text if letter.isalnum())
    assert Counter(letter for one in found for letter in one.statement.text if letter.isalnum()) == written
    assert len({one.statement.id for one in found}) == len(found)


def test_a_duplicate_of_the_same_reference_goes_and_names_the_other() -> None:
    written = [wrote("A", BRIDGE), wrote("A", AGAIN, "Divers found a crack", worker="v"), numbered("B", 4)]
    selection = select(studied(), written, FAST)
    by_text = {one.text: one for one in selection.study.statements}
    gone, stays = by_text[BRIDGE], by_text[AGAIN]
    assert gone.dropped == f"duplicate of {stays.id}: 1.00"
    assert not gone.sampled
    assert not stays.dropped
    draft = next(one for one in selection.drafts if one.statement.id == stays.id)
    assert (draft.nearest, draft.similarity) == (gone.id, 1.0)


def test_what_may_say_something_else_is_kept_and_shown_to_a_person() -> None:
    """Alike as duplicates are, but for *not* or the places of *from* and *to*."""
    said = "The mayor of the old town by the sea said in May that the council would not close the bridge."
    denied = said.replace("would not", "would")
    written = [wrote("A", said, denied, "A ferry carries forty cars."), numbered("B", 4)]
    with pytest.warns(
        InputWarning, match=r"2 statement\(s\) are as alike as duplicates, .* not the same: not; look at"
    ):
        selection = select(studied(), written)
    ids = {one.text: one.id for one in selection.study.statements}
    assert not any(one.dropped for one in selection.study.statements)
    doubts = {one.statement.text: one.doubt for one in selection.drafts if one.doubt}
    assert doubts[said].startswith(f"like {ids[denied]} (0.9")
    assert set(doubts) == {said, denied}
    listed = review_list(selection.drafts).decode("utf-8-sig")
    assert sum("but not the same: not" in line for line in listed.splitlines()) == 2
    decisions = [replace(row, decision="drop" if row.text == denied else "") for row in loads_list(listed)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a person has decided
        decided = select(studied(), written, decisions=decisions)
    assert {one.text for one in decided.study.statements if one.dropped} == {denied}


def test_the_codes_rules_by_name() -> None:
    written = [
        wrote("A", TWO, "Troops left Iraq.", "The council closed the bridge.", BRIDGE, *numbered("A", 4).written),
        numbered("B", 4),
    ]
    selection = select(studied(), written, replace(RULES["litepyramids"], analyser="unicode"))
    said = reasons(selection)
    assert said[TWO] == "several sentences: 2"
    assert said["Troops left Iraq."] == "too short: 3 tokens, at least 4"
    assert said[BRIDGE] == "duplicate of ID: 1.00"
    assert [one.sampled for one in selection.counts] == [4, 4]


@pytest.mark.parametrize(("rules", "least"), [(FAST, 2), (replace(RULES["litepyramids"], analyser="unicode"), 4)])
def test_the_limits_of_length_belong_to_what_is_kept(rules: Rules, least: int) -> None:
    texts = [" ".join(f"w{count}x{n}" for n in range(count)) for count in (least - 1, least, 20, 21)]
    found = drafts(studied(), [wrote("A", *texts)], rules)
    assert {len(one.statement.text.split()) for one in found if not one.statement.dropped} == {least, 20}


def test_so_many_of_each_reference_and_nobody_makes_up() -> None:
    with pytest.warns(InputWarning, match="fewer statements than the sample: t 5 of 8"):
        chosen = select(studied(), [numbered("A", 8), numbered("B", 1)], replace(FAST, per_reference=4))
    assert [one.sampled for one in chosen.counts] == [4, 1]


def test_length_in_a_script_without_spaces_is_two_characters_a_word() -> None:
    statement = "議会は五月に古い石の橋を閉鎖して修理をすると決めたと発表しました"  # 32 characters
    written = [wrote("A", statement, "湖"), wrote("B", statement * 2)]
    with pytest.warns(InputWarning, match="fewer statements than the sample: t 1 of 4"):
        said = reasons(select(studied(), written))
    assert said[statement] == ""
    assert said["湖"] == "too short: 1 words, at least 2"
    assert said[statement * 2] == "too long: 32 words, at most 20"


@given(st.lists(st.integers(0, 12), min_size=1, max_size=6), st.integers(1, 32), st.integers(0, 5))
def test_the_sample_is_equal_by_reference_and_others_make_up(has: list[int], sample: int, seed: int) -> None:
    study = studied(topic(references=len(has)), sample=sample, seed=seed)
    written = [numbered(name, count) for name, count in zip("ABCDEFGH", has, strict=False)]
    if not any(has):
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        selection = select(study, written, FAST)
    sampled = [one.sampled for one in selection.counts]
    assert sum(sampled) == min(sample, sum(has))
    assert all(took <= count for took, count in zip(sampled, has, strict=True))
    most = max(sampled)
    assert all(took >= most - 1 or took == count for took, count in zip(sampled, has, strict=True))


def test_order_of_files_workers_and_references_changes_nothing() -> None:
    study = studied(topic("t", 3), topic("u", 2), sample=7)
    written = [numbered(name, 6, which) for which, names in (("t", "ABC"), ("u", "AB")) for name in names]
    written += [wrote("A", BRIDGE, worker="x"), wrote("A", BRIDGE, AGAIN, worker="y")]
    expected = dumps(select(study, written, FAST).study)
    for seed in range(5):
        random.Random(seed).shuffle(written)
        assert dumps(select(study, written, FAST).study) == expected
    turned = plan([replace(one, references=one.references[::-1]) for one in study.topics[::-1]], study.design)
    assert dumps(select(turned, written, FAST).study) == expected


def test_another_seed_samples_others_and_a_late_writer_changes_no_id() -> None:
    study, written = studied(sample=4), [numbered("A", 8), numbered("B", 8)]
    first = select(study, written, FAST).study
    other = select(studied(sample=4, seed=1), written, FAST).study
    assert {one.id for one in first.sampled("t")} != {one.id for one in other.sampled("t")}
    late = select(study, [*written, wrote("A", BRIDGE, worker="late")], FAST).study
    assert {one.id for one in first.statements} < {one.id for one in late.statements}
    assert len({one.id for one in first.sampled("t")} & {one.id for one in late.sampled("t")}) >= 3


def test_names_of_references_change_no_sample() -> None:
    renamed = {"A": "zeta", "B": "alpha"}
    study, written = studied(sample=5), [numbered("A", 8), wrote("B", *numbered("B", 8).written)]
    topics = [
        replace(one, references=tuple(replace(ref, id=renamed[ref.id]) for ref in one.references))
        for one in study.topics
    ]
    other = select(plan(topics, study.design), [replace(one, summary=renamed[one.summary]) for one in written], FAST)
    assert {one.text for one in other.study.sampled("t")} == {
        one.text for one in select(study, written, FAST).study.sampled("t")
    }


def test_what_was_rejected_or_belongs_elsewhere_does_not_count() -> None:
    written = [numbered("A", 4), numbered("B", 4), wrote("A", BRIDGE, worker="bad", status="rejected")]
    with pytest.warns(InputWarning, match=r"1 submission\(s\) are about references that the study does not have"):
        selection = select(studied(), [*written, wrote("Z", BRIDGE, worker="z")], FAST)
    assert len(selection.study.statements) == 8


def test_too_few_writers_are_told() -> None:
    with pytest.warns(InputWarning, match="2 writing task.* 'A' of topic 't', 1 of 2"):
        select(studied(writers=2), [numbered("A", 4), numbered("B", 4)], FAST)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ([], "Topic 't' has no statement left: nobody wrote any; collect results of the writing task first"),
        ([wrote("A", "yes", "no")], "Topic 't' has no statement left: all 2 are dropped; loosen the rules"),
    ],
)
@pytest.mark.filterwarnings("ignore::pyramidion.errors.InputWarning")  # that writers are missing
def test_a_topic_with_nothing_left_is_an_error(written: list[Submission], said: str) -> None:
    with pytest.raises(PyramidionError, match=re.escape(said)):
        select(studied(), written, FAST)


@pytest.mark.parametrize("about_u", [[], [wrote("A", "yes", "no", topic="u")]])
@pytest.mark.filterwarnings("ignore:.*writing task.*:pyramidion.errors.InputWarning")
def test_a_topic_with_nothing_left_waits_and_is_selected_later(about_u: list[Submission]) -> None:
    study, written = studied(topic("t"), topic("u")), [numbered("A", 4), numbered("B", 4)]
    with pytest.warns(InputWarning, match=r"1 topic\(s\) have no statement left and wait for more writers; .*: u"):
        first = select(study, [*written, *about_u], FAST)
    assert {one.topic for one in first.counts} == {"t"}
    assert {one.topic for one in first.study.statements} == {"t"}
    assert {task.topic for task in first.study.of_phase("judging")} == {"t"}
    later = [numbered(name, 4, "u") for name in "AB"]
    second = select(first.study, [*written, *about_u, *later], FAST)
    assert {one.topic for one in second.counts} == {"u"}
    assert second.study.tasks[: len(first.study.tasks)] == first.study.tasks
    once = select(study, [*written, *about_u, *later], FAST).study
    assert set(second.study.tasks) == set(once.tasks)


def test_a_reference_with_nothing_left_and_an_empty_system_stop_nothing() -> None:
    silent = topic("t", 2)
    silent = replace(silent, peers=(*silent.peers, Summary("mute", " ", "peer")))
    with pytest.warns(InputWarning, match="without text"):
        study = studied(silent)
    with pytest.warns(InputWarning, match="a reference with too few statements"):
        chosen = select(study, [numbered("A", 4), wrote("B", "yes")], FAST)
    assert [(one.kept, one.sampled) for one in chosen.counts] == [(4, 4), (0, 0)]
    assert {task.summary for task in chosen.study.of_phase("judging")} == {"peer0"}


@pytest.mark.filterwarnings("ignore::pyramidion.errors.InputWarning")
def test_again_takes_nothing_away_that_it_cannot_replace() -> None:
    study = studied(topic("t"), topic("u"))
    written = [numbered(name, 4, which) for which in "tu" for name in "AB"]
    done = select(study, written, FAST).study
    only_t = [one for one in written if one.topic == "t"]
    again = select(done, only_t, replace(FAST, per_reference=1), again=True).study
    assert again.sampled("u") == done.sampled("u")  # its answers are not there: it stays
    assert len(again.sampled("t")) == 2
    with pytest.raises(PyramidionError, match="Topic 't' has no statement left: all 8 are dropped"):
        select(done, written, replace(FAST, longest=2), again=True)
    other = [wrote(name, f"{name} is here", topic="t") for name in "AB"]
    with pytest.raises(PyramidionError, match="Topic 'u' has no statement left: all 8 are dropped"):
        select(done, [*other, *(one for one in written if one.topic == "u")], replace(FAST, longest=3), again=True)
    with pytest.raises(PyramidionError, match="are selected already; go on with the judging task.$"):
        select(done, [], FAST, again=True)


def test_again_goes_on_with_new_topics_when_the_old_are_judged() -> None:
    written = [numbered(name, 4, which) for which in "tu" for name in "AB"]
    first = select(studied(), [numbered("A", 4), numbered("B", 4)], FAST).study
    later = select(extend(first, [topic("u")]), [*written, judgement()], FAST, again=True)
    assert {one.topic for one in later.counts} == {"u"}


def test_a_writer_who_comes_twice_is_one_writer() -> None:
    twice = replace(numbered("A", 4), id="again", written=("The bridge is old and closed",))
    with pytest.warns(InputWarning, match="2 writing task.* 'A' of topic 't', 1 of 2"):
        selection = select(studied(writers=2), [numbered("A", 4), twice, numbered("B", 4)], FAST)
    assert len(selection.study.statements) == 9


def judgement(topic: str = "t") -> Submission:
    return Submission(f"j-{topic}", "judging", topic, "peer0", "w", asked=Asked(("x",)), answers="p")


def test_what_is_selected_stays_and_what_is_judged_is_never_touched() -> None:
    written = [numbered("A", 4), numbered("B", 4)]
    done = select(studied(), written, FAST).study
    with pytest.raises(PyramidionError, match="are selected already"):
        select(done, written, FAST)
    again = select(done, written, replace(FAST, per_reference=1), again=True).study
    assert len(again.sampled("t")) == 2
    with pytest.raises(PyramidionError, match="has judgements of its statements"):
        select(done, [*written, judgement()], FAST, again=True)


def test_again_leaves_judged_topics_as_they_are() -> None:
    study = studied(topic("t"), topic("u"))
    written = [numbered(name, 6, which) for which in "tu" for name in "AB"]
    done = select(study, written, FAST).study
    again = select(done, [*written, judgement("t")], replace(FAST, per_reference=1), again=True).study
    assert again.sampled("t") == done.sampled("t")
    assert [task for task in again.of_phase("judging") if task.topic == "t"] == [
        task for task in done.of_phase("judging") if task.topic == "t"
    ]
    assert len(again.sampled("u")) == 2


def test_topics_that_come_later_are_selected_later() -> None:
    first = select(studied(), [numbered("A", 4), numbered("B", 4)], FAST).study
    grown = extend(first, [topic("u")])
    later = select(grown, [numbered(name, 4, which) for which in "tu" for name in "AB"], FAST)
    assert {one.topic for one in later.counts} == {"u"}
    assert later.study.sampled("t") == first.sampled("t")
    assert set(first.tasks) <= set(later.study.tasks)


@pytest.mark.parametrize(
    "bad",
    [
        {"shortest": 0},
        {"shortest": 9, "longest": 8},
        {"threshold": 0.0},
        {"threshold": 1.5},
        {"per_reference": 0},
        {"duplicates": "levenshtein"},
        {"several": "join"},
    ],
)
def test_rules_that_make_no_sense(bad: dict[str, object]) -> None:
    with pytest.raises(ModelError):
        Rules(**bad)  # type: ignore[arg-type]


def test_unknown_rules() -> None:
    with pytest.raises(PyramidionError, match="There are no rules 'strict'; choose one of: paper, litepyramids"):
        select(studied(), [], "strict")


def test_without_a_corpus_the_submissions_tell_the_topics() -> None:
    study = study_of([numbered("A", 4, "u"), numbered("B", 4), numbered("A", 4)])
    assert [(one.id, [ref.id for ref in one.references]) for one in study.topics] == [("t", ["A", "B"]), ("u", ["A"])]
    with pytest.raises(PyramidionError, match="no written statement"):
        study_of([judgement()])


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::pyramidion.errors.InputWarning")  # quotes that are not doubled
@pytest.mark.parametrize(
    ("year", "written", "per_reference", "per_topic"), [(2005, 494, 12.35, 49.4), (2006, 1021, 12.7625, 51.05)]
)
def test_published_statements(data: Path, year: int, written: int, per_reference: float, per_topic: float) -> None:
    """The published rows are what the code's selection left: "about 13" a reference and 51 a topic (§3)."""
    submissions = read_all([data / "litepyramids" / f"DUC{year}.batch1.csv"])
    study = study_of(submissions)
    assert sum(len(one.written) for one in submissions) == written
    assert written / sum(len(one.references) for one in study.topics) == per_reference
    assert written / len(study.topics) == per_topic


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::pyramidion.errors.InputWarning")
def test_published_statements_survive_again(data: Path) -> None:
    """By the code's rules all but two stay (our lemmas are not spaCy's); the paper's finds two duplicates more."""
    submissions = read_all([data / "litepyramids" / "DUC2005.batch1.csv"])
    study = study_of(submissions)
    for rules, kept, most in (("litepyramids", 492, 4), ("paper", 490, 9)):
        selection = select(study, submissions, rules)
        assert sum(one.kept for one in selection.counts) == kept
        assert max(one.sampled for one in selection.counts) == most
        assert {reason for one in selection.counts for reason in one.dropped} == {"duplicate"}
