"""The price of a design is the same wherever it is printed: by its numbers, as a plan, and at the end of the curves."""

from __future__ import annotations

import warnings

import pytest

from pyramidion.crowd.answers.submission import Asked, Submission
from pyramidion.crowd.cost import dollars, study_cost
from pyramidion.crowd.design import Design
from pyramidion.crowd.judging.judgements import Judgements
from pyramidion.crowd.judging.screening import Screening
from pyramidion.crowd.judging.votes import Votes
from pyramidion.crowd.plan import judging_tasks, plan
from pyramidion.crowd.results.cost import crowd_cost, crowd_plan
from pyramidion.crowd.results.curves import CrowdCurves, crowd_curves
from pyramidion.crowd.study import Statement, Study
from pyramidion.errors import InputWarning
from pyramidion.model import Summary, Topic

DESIGNS = [
    Design(),
    Design(workers=3, sample=12, per_task=5),
    Design(workers=10, sample=4, per_task=4, writers=1),  # from ten on, Mechanical Turk takes twice as much
    Design(platform="prolific", writing_reward=160, judging_reward=80, sample=7, per_task=3, workers=2),
    Design(fee=0.428, judging_reward=33, sample=6, workers=4),
    Design(platform="own", writing_reward=0, judging_reward=0, sample=6, workers=2),
]
EVEN = {"t0": (4, 4, 40), "t1": (4, 4, 40)}
"""By topic, the number of references, of systems with a text, and of statements that were written."""
UNEVEN = {"t0": (5, 4, 40), "t1": (3, 3, 3), "t2": (1, 2, 9)}


def planned(design: Design, sizes: dict[str, tuple[int, int, int]], systems: int = 4) -> Study:
    """A study with so many systems on every topic; those without a text are asked about by nobody."""
    topics = [
        Topic(
            id,
            tuple(Summary(f"r{n}", f"Reference {n} of {id}.") for n in range(references)),
            tuple(Summary(f"s{n}", f"Summary {n} of {id}." if n < texts else "", "peer") for n in range(systems)),
        )
        for id, (references, texts, _) in sizes.items()
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)  # of the summaries without text
        return plan(topics, design)


def selected(study: Study, sizes: dict[str, tuple[int, int, int]]) -> Study:
    """The study with its statements, as many as the design's sample or as were written."""
    statements = [
        Statement(f"{id}-{n}", id, f"r{n % references}", f"Fact {n} of {id}.")
        for id, (references, _, written) in sizes.items()
        for n in range(min(written, study.design.sample))
    ]
    return judging_tasks(study, statements)


def judged(study: Study) -> CrowdCurves:
    """The curves of a study of which everything was judged."""
    submissions = [
        Submission(
            f"{task.id}-{worker}",
            "judging",
            task.topic,
            task.summary,
            f"w{worker}",
            task.id,
            asked=Asked(task.statements),
            answers="".join("pn"[(n + int(task.summary[1:])) % (2 + n % 3) > 0] for n in range(len(task.statements))),
        )
        for task in study.of_phase("judging")
        for worker in range(task.workers)
    ]
    judgements = Judgements(Votes.of(submissions), study=study)
    return crowd_curves(judgements, screening=Screening(threshold=None), resamples=1)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("sizes", [EVEN, UNEVEN])
def test_curves_and_plan_say_the_same(design: Design, sizes: dict[str, tuple[int, int, int]]) -> None:
    study = selected(planned(design, sizes), sizes)
    found = judged(study)
    [whole] = [one for one in found.designs if one.point == found.curves.most]
    assert (whole.point.workers, whole.point.topics) == (design.workers, len(sizes))
    assert whole.cents == crowd_plan(study).cost.total == study_cost(study).total


@pytest.mark.parametrize("design", DESIGNS)
def test_so_does_the_price_of_mere_numbers(design: Design) -> None:
    study = planned(design, EVEN)
    priced = crowd_cost(design, topics=2, systems=4, references=4)
    assert priced.cost.total == study_cost(study).total == study_cost(selected(study, EVEN)).total


def test_summaries_without_a_text_are_paid_by_nobody() -> None:
    """Two topics of five references and six systems, one of them without a text: $12.00 + $54.00, not $76.80."""
    sizes = {"t0": (5, 5, 32), "t1": (5, 5, 32)}
    study = selected(planned(Design(), sizes, systems=6), sizes)
    found = judged(study)
    assert dollars(max(one.cents for one in found.designs)) == dollars(study_cost(study).total) == "$66.00"
    assert "Price of 10 references and 10 summaries with a text, by the rewards and fees of the study." in str(found)


def test_of_fewer_topics_it_is_their_mean_price() -> None:
    sizes = {"t0": (5, 4, 32), "t1": (3, 4, 16), "t2": (1, 4, 8)}  # 2, 1 and 1 tasks a summary
    found = judged(selected(planned(Design(), sizes), sizes))
    at = {(one.point.workers, one.point.statements, one.point.topics): one.cents for one in found.designs}
    assert at[5, 32, 3] == 9 * 120 + 4 * (2 + 1 + 1) * 270
    assert at[5, 32, 2] == -(-2 * at[5, 32, 3] // 3)
    assert "Price of 9 references and 12 summaries with a text, by the rewards" in str(found)
    assert at[1, 32, 3] == 9 * 120 + 4 * (2 + 1 + 1) * 54
