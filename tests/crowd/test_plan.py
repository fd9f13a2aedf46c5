"""From texts to tasks: invariants of planning and extending a study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyramidion.crowd import study as studies
from pyramidion.crowd.design import Design
from pyramidion.crowd.plan import extend, groups, judging_tasks, plan
from pyramidion.crowd.study import Statement, Study
from pyramidion.errors import InputWarning, ModelError, PyramidionError
from pyramidion.examples import example
from pyramidion.model import SCU, Contributor, Pyramid, Summary, Topic

WORDS = st.lists(
    st.sampled_from(["lakes", "fish", "mussels", "reeds", "phosphorus", "farmers", "died", "came", "back", "clear"]),
    min_size=1,
    max_size=9,
).map(lambda words: " ".join(words) + ".")
NAMES = st.sampled_from("ABCDEFGH")
SYSTEMS = st.dictionaries(st.sampled_from(["s1", "s2", "s3", "s4", "s5"]), WORDS, min_size=1, max_size=5)


@st.composite
def corpora(draw: st.DrawFn) -> list[Topic]:
    """One to three topics with one to four references and one to five peers."""
    made = []
    for id in draw(st.lists(st.sampled_from(["t1", "t2", "t3"]), min_size=1, max_size=3, unique=True)):
        references = draw(st.dictionaries(NAMES, WORDS, min_size=1, max_size=4))
        made.append(topic(id, references, draw(SYSTEMS)))
    return made


def topic(id: str, references: dict[str, str], peers: dict[str, str]) -> Topic:
    return Topic(
        id,
        tuple(Summary(name, text) for name, text in references.items()),
        tuple(Summary(name, text, "peer") for name, text in peers.items()),
    )


def statements_for(study: Study, count: int) -> list[Statement]:
    """So many statements of each topic, from its references in turn."""
    return [
        Statement(f"q{n}", one.id, one.references[n % len(one.references)].id, f"statement {n} about {one.id}")
        for one in study.topics
        for n in range(count)
    ]


def asked(study: Study) -> dict[tuple[str, str], set[frozenset[str]]]:
    """The statement groups that each summary is asked about."""
    found: dict[tuple[str, str], set[frozenset[str]]] = {}
    for task in study.of_phase("judging"):
        found.setdefault((task.topic, task.summary), set()).add(frozenset(task.statements))
    return found


def only(topics: Iterable[Topic], systems: set[str], *, others: bool = False) -> list[Topic]:
    """The topics with these peers only, or with all others."""
    return [replace(one, peers=tuple(peer for peer in one.peers if (peer.id in systems) != others)) for one in topics]


# Writing


@settings(max_examples=40)
@given(corpora())
def test_every_reference_gets_one_writing_task(topics: list[Topic]) -> None:
    study = plan(topics, Design(writers=3))
    tasks = study.of_phase("writing")
    assert study.of_phase("judging") == ()
    assert sorted((task.topic, task.summary) for task in tasks) == sorted(
        (one.id, reference.id) for one in topics for reference in one.references
    )
    assert {task.workers for task in tasks} == {3}
    assert {task.round for task in tasks} == {1}


@settings(max_examples=40)
@given(corpora(), st.randoms(use_true_random=False))
def test_no_order_of_the_input_matters(topics: list[Topic], random: object) -> None:
    shuffled = list(topics)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    turned = [replace(one, references=one.references[::-1], peers=one.peers[::-1]) for one in shuffled]
    one, other = plan(topics), plan(turned)
    given_statements = statements_for(one, 5)
    design = Design(per_task=2)
    assert studies.dumps(other) == studies.dumps(one)
    first = judging_tasks(replace(one, design=design), given_statements)
    again = judging_tasks(replace(one, design=design), given_statements[::-1])
    assert again.tasks == first.tasks


# Judging


@settings(max_examples=40)
@given(corpora(), st.integers(1, 40), st.integers(1, 20))
def test_each_summary_is_asked_every_statement_once_in_even_tasks(
    topics: list[Topic], count: int, per_task: int
) -> None:
    study = judging_tasks(plan(topics, Design(per_task=per_task)), statements_for(plan(topics), count))
    for one in study.topics:
        shared = None
        for peer in one.peers:
            tasks = [task for task in study.of_phase("judging") if (task.topic, task.summary) == (one.id, peer.id)]
            assert Counter(id for task in tasks for id in task.statements) == Counter(f"q{n}" for n in range(count))
            sizes = [len(task.statements) for task in tasks]
            assert len(sizes) == -(-count // per_task)
            assert max(sizes) <= per_task
            assert max(sizes) - min(sizes) <= 1
            assert shared in (None, asked(study)[one.id, peer.id])
            shared = asked(study)[one.id, peer.id]


@pytest.mark.parametrize(("count", "sizes"), [(32, [16, 16]), (35, [12, 12, 11]), (16, [16]), (1, [1]), (0, [])])
def test_sizes_of_groups(count: int, sizes: list[int]) -> None:
    one = example()[0]
    made = [Statement(str(n), one.id, "ABCD"[n % 4], f"statement {n}") for n in range(count)]
    found = groups(made, one, Design())
    assert [len(part) for part in found] == sizes
    for part in found:  # within one of an even share of each reference
        shares = Counter(statement.reference for statement in part)
        assert max(shares.values()) - min(shares[name] for name in "ABCD") <= 1


def test_only_sampled_statements_are_asked_and_the_others_are_kept() -> None:
    study = plan([topic("t", {"A": "Fish died."}, {"x": "Fish."})])
    given_statements = [
        Statement("1", "t", "A", "Fish died"),
        Statement("2", "t", "A", "Fish died there", sampled=False, dropped="a duplicate of 1"),
    ]
    judged = judging_tasks(study, given_statements)
    assert judged.statements == tuple(given_statements)
    assert [task.statements for task in judged.of_phase("judging")] == [("1",)]


def test_the_seed_changes_groups_and_orders_but_not_what_is_asked() -> None:
    topics = [topic("t", {"A": "Fish died."}, {"x": "Fish swim.", "y": "Fish float."})]
    one, other = (judging_tasks(plan(topics, Design(seed=seed)), statements_for(plan(topics), 32)) for seed in (0, 1))
    assert asked(one) != asked(other)
    orders = {task.statements for task in one.of_phase("judging")}
    assert len(orders) == 4  # the two summaries see the same groups in orders of their own
    assert len({frozenset(order) for order in orders}) == 2


def test_statements_of_a_judged_topic_never_change() -> None:
    study = plan([topic("t", {"A": "Fish died."}, {"x": "Fish."})])
    judged = judging_tasks(study, [Statement("1", "t", "A", "Fish died")])
    assert judging_tasks(judged, judged.statements) == judged
    for changed in (Statement("1", "t", "A", "Fish lived"), Statement("2", "t", "A", "Fish died")):
        with pytest.raises(ModelError, match="Topic 't' has its statements already"):
            judging_tasks(judged, [changed])


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (Statement("1", "u", "A", "Fish died"), "has no topic 'u'"),
        (Statement("1", "t", "A", " "), "Statement '1' of topic 't' has no text"),
    ],
)
def test_statements_that_cannot_be_asked_are_refused(statement: Statement, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        judging_tasks(plan([topic("t", {"A": "Fish died."}, {"x": "Fish."})]), [statement])


# Statements of a pyramid


def test_a_pyramid_gives_the_statements_at_once() -> None:
    with pytest.warns(InputWarning, match="2 summaries without text, the first: 'empty' of topic 'lake-revival'"):
        study = plan(example(), statements="pyramid")
    assert study.of_phase("writing") == ()
    lake = next(one for one in example() if one.id == "lake-revival")
    assert lake.pyramid
    assert {one.text for one in study.sampled("lake-revival")} == {scu.label for scu in lake.pyramid.scus}
    assert {(task.topic, task.summary) for task in study.tasks} == {
        (one.id, peer.id) for one in study.topics for peer in one.peers if peer.text.strip()
    }
    assert "empty" in study.systems  # kept: it scores 0


def test_of_a_large_pyramid_a_sample_is_drawn() -> None:
    references = (Summary("A", "Fish died."),)
    scus = tuple(SCU(f"scu {n}", f"fact {n}", (Contributor("A"),)) for n in range(50))
    one = Topic("t", references, (Summary("x", "Fish.", "peer"),), pyramid=Pyramid("t", references, scus))
    study = plan([one], Design(sample=20), statements="pyramid")
    turned = replace(one, pyramid=Pyramid("t", references, scus[::-1]))
    assert plan([turned], Design(sample=20), statements="pyramid") == study
    assert len(study.sampled("t")) == 20
    assert len(study.statements) == 50
    assert not any(" " in statement.id for statement in study.statements)
    other = plan([one], Design(sample=20, seed=1), statements="pyramid")
    assert {s.id for s in other.sampled("t")} != {s.id for s in study.sampled("t")}


def test_the_order_of_references_and_contributors_does_not_matter() -> None:
    texts = {"A": "Fish died.", "B": "Reeds grew.", "C": "All was well."}
    one = topic("t", texts, {"x": "Fish."})
    scus = tuple(
        SCU(str(n), f"fact {n}", (Contributor("ABC"[n % 3], label="a"), Contributor("ABC"[(n + 1) % 3], label="b")))
        for n in range(9)
    )
    turned = tuple(replace(scu, contributors=scu.contributors[::-1]) for scu in scus)
    study, other = (
        plan([replace(one, pyramid=Pyramid("t", references, made))], Design(per_task=4), statements="pyramid")
        for references, made in ((one.references, scus), (one.references[::-1], turned))
    )
    assert other == study


def test_ids_stay_what_they_were() -> None:
    """Answers name tasks: another version of this program must make the same ids, groups and orders."""
    one = topic("t", {"A": "Fish died.", "B": "湖が死んだ。"}, {"x": "Fish.", "y": "Reeds grew back by the lake."})
    study = judging_tasks(plan([one], Design(per_task=2, seed=3)), statements_for(plan([one]), 4))
    assert [(task.id, task.summary, "".join(task.statements)) for task in study.tasks] == [
        ("w-1da33f9b4639", "A", ""),
        ("w-35bc9476f0f9", "B", ""),
        ("j-9ad52dc29c3f", "x", "q1q2"),
        ("j-a018a5933a2f", "x", "q0q3"),
        ("j-8545be8e0425", "y", "q1q2"),
        ("j-939451e18416", "y", "q0q3"),
    ]


# Extending


@settings(max_examples=40)
@given(corpora(), st.sets(st.sampled_from(["s1", "s2", "s3", "s4", "s5"])), st.integers(1, 9), st.booleans())
def test_extending_never_changes_what_was_there(
    topics: list[Topic], first: set[str], count: int, selected: bool
) -> None:
    start = [one for one in only(topics, first) if one.peers]
    if not start:
        return
    before = plan(start, Design(per_task=3, checks=2))
    if selected:
        before = judging_tasks(before, statements_for(before, count))
    after = extend(before, topics)
    assert after.tasks[: len(before.tasks)] == before.tasks
    assert after.statements[: len(before.statements)] == before.statements
    for old, new in zip(before.topics, after.topics, strict=False):
        assert new.id == old.id
        assert new.references == old.references
        assert new.peers[: len(old.peers)] == old.peers
    assert (after.name, after.design) == (before.name, before.design)
    assert {task.round for task in after.tasks[len(before.tasks) :]} <= {2}
    assert extend(after, topics) == after


@settings(max_examples=40)
@given(corpora(), st.sets(st.sampled_from(["s1", "s2", "s3", "s4", "s5"])), st.integers(1, 9))
def test_at_once_or_in_two_steps_every_system_is_asked_the_same(
    topics: list[Topic], first: set[str], count: int
) -> None:
    start = only(topics, first)
    if not all(one.peers for one in start):
        return
    design = Design(per_task=3, checks=2)
    once = judging_tasks(plan(topics, design), statements_for(plan(topics), count))
    twice = extend(judging_tasks(plan(start, design), statements_for(plan(start), count)), topics)
    assert asked(twice) == asked(once)
    plain = {replace(task, round=1) for task in twice.tasks}
    assert plain == set(once.tasks)  # ids, orders and checks, too


def test_new_systems_are_asked_the_old_statements_and_new_topics_are_written_about() -> None:
    old = topic("t", {"A": "Fish died."}, {"x": "Fish."})
    before = judging_tasks(plan([old]), [Statement("1", "t", "A", "Fish died")])
    new = [topic("t", {}, {"y": "Fish lived."}), topic("u", {"B": "Reeds grew."}, {"y": "Reeds."})]
    after = extend(before, new)
    added = after.tasks[len(before.tasks) :]
    assert [(task.phase, task.topic, task.summary, task.round) for task in added] == [
        ("writing", "u", "B", 2),
        ("judging", "t", "y", 2),
    ]
    assert added[1].statements == ("1",)
    last = judging_tasks(after, [Statement("1", "u", "B", "Reeds grew")])
    assert [(task.topic, task.summary, task.round) for task in last.tasks[len(after.tasks) :]] == [("u", "y", 2)]


def test_a_study_from_pyramids_is_extended_from_pyramids() -> None:
    lake, lagoon = (replace(one, peers=one.peers[:1], annotations=()) for one in example())
    study = extend(plan([lake], statements="pyramid"), [lagoon])
    assert study.of_phase("writing") == ()
    assert {task.topic for task in study.tasks} == {lake.id, lagoon.id}
    assert extend(plan([lake], statements="pyramid"), [lagoon], statements="written").of_phase("writing")


@pytest.mark.parametrize(
    ("later", "message"),
    [
        (topic("t", {"A": "Fish died."}, {"x": "Fish!"}), "peer 'x' of topic 't' has another text"),
        (topic("t", {"A": "Fish lived."}, {"y": "Fish."}), "reference 'A' of topic 't' has another text"),
        (topic("t", {"B": "Fish lived."}, {"y": "Fish."}), "Topic 't' has the new reference 'B'"),
        (topic("u", {"B": "Reeds grew."}, {}), "No topic has a peer"),
        (topic("u", {}, {"y": "Reeds."}), "Topic 'u' has no reference"),
    ],
)
def test_what_would_change_the_past_is_refused(later: Topic, message: str) -> None:
    study = plan([topic("t", {"A": "Fish died."}, {"x": "Fish."})])
    with pytest.raises(PyramidionError, match=message):
        extend(study, [later])


# Bad input


@pytest.mark.parametrize(
    ("topics", "message"),
    [
        ([], "There is no topic to plan for"),
        ([topic("t", {}, {"x": "Fish."})], "Topic 't' has no reference to write statements about"),
        ([topic("t", {"A": " \n"}, {"x": "Fish."})], "Reference 'A' of topic 't' has no text"),
        ([topic("t", {"A": "Fish."}, {})], "No topic has a peer: there is nothing to judge"),
        ([topic("t", {"A": "Fish."}, {"x": " "})], "No peer has a text: there is nothing to judge"),
        ([topic("t", {"A": "Fish."}, {"x": "Fish."}), topic("u", {"A": "Fish."}, {})], "Topic 'u' has no peer"),
        ([topic("t", {"A": "Fish."}, {"x": "Fish."})] * 2, "Two topics have the same id"),
    ],
)
def test_what_cannot_be_planned_is_refused(topics: list[Topic], message: str) -> None:
    with pytest.raises(PyramidionError, match=message):
        plan(topics)


def test_a_pyramid_must_be_there_to_take_statements_from() -> None:
    bare = topic("t", {"A": "Fish."}, {"x": "Fish."})
    with pytest.raises(PyramidionError, match="Topic 't' has no pyramid to take statements from"):
        plan([bare], statements="pyramid")
    silent = Pyramid("t", bare.references, (SCU("1", "", (Contributor("A"),)),))
    with pytest.raises(PyramidionError, match="No SCU of topic 't' has a label"):
        plan([replace(bare, pyramid=silent)], statements="pyramid")
    with pytest.raises(PyramidionError, match="choose one of: written, pyramid"):
        plan([bare], statements="guessed")  # type: ignore[arg-type]
