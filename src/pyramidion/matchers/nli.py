r"""Is this SCU in this summary? As any model for natural language inference says: does the summary entail it?

Lite2Pyramid (Zhang & Bansal 2021, section 3.1) puts the summary as premise, the SCU as hypothesis, and takes what the
model says of entailment in one of four ways. With z_e the logit of entailment and z_i those of the head's other classes
(neutral and contradiction),

.. math:: \mathrm{p3c} = \frac{e^{z_e}}{e^{z_e} + \sum_i e^{z_i}}, \qquad
          \mathrm{p2c} = \frac{e^{z_e}}{e^{z_e} + e^{\sum_i z_i}},

and l3c, l2c are 1 where entailment has the highest logit among those of the same formula, else 0. The sum of logits in
p2c is that of the authors' code. It is not the model's own probability of "entailment or not", which is p3c, and unlike
that it moves when a constant is added to all logits; but models fine-tuned through it, as theirs were, are to be read
through it. They take p2c for those, and l3c for a model that has only seen NLI corpora. A head of two classes, or of
one logit, has p2c = p3c and l2c = l3c.

An SCU has the highest value of its wordings (its contributors' words) and of the windows in which a long summary is
read (:mod:`pyramidion.language.entailment.transformers`). A blank wording or summary has 0, without asking. Values are
rounded to :data:`DECIMALS`.

*Scores count decisions.* An SCU matches where its value reaches the threshold, and the value is the match's score. It
is nobody's probability: a random model's lie about a half, and their sum is half of all SCUs where nothing matches. So
the probabilities of the annotation are the decisions, 1 and 0, as those of ``llm:`` are; with ``calibrated`` they are
the values, for a model that was fine-tuned to be summed, as Lite2Pyramid's, or fitted to labels (``--calibrate`` does
that by itself).

*Contradictions.* A head with a class of that name says so, too, at no further cost: P(contradicted) is that class's
share of all of them, as in p3c, of the window that contradicts most, and of the SCU's wordings the lowest, for whoever
denies one detail of one wording denies no idea that others word without it. ``contradiction`` is its threshold
(:mod:`pyramidion.matchers.judged`). Other heads report none.

*Evidence.* A model of pairs does not say which words made it think so. ``evidence="soft"``: the segment that has most
of the SCU's telling words (:mod:`pyramidion.matchers.soft`), which costs the model nothing; it explains well where the
words are the SCU's own, and is a guess where they are not. ``evidence="model"``: the sentence that, alone, entails (or
contradicts) the best wording most, which the model is asked for every match, contradiction and sentence.

*Speed.* A GPU wants many pairs at once: :meth:`NLI.prepare` judges all peers of many pyramids together, and the matcher
then finds the answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pyramidion.base.choices import check_choices
from pyramidion.errors import PyramidionError
from pyramidion.language.entailment.transformers import KEPT, Entailment, Pair, contradiction_of, entailment_of, load
from pyramidion.language.models.weights import on_this_machine
from pyramidion.language.parse.clauses import segment_id
from pyramidion.matchers.expressions import expressions
from pyramidion.matchers.judged import (
    CONTRADICTION,
    NONE,
    Denial,
    Unit,
    Verdict,
    annotate_by_verdicts,
    units,
    with_decisions,
)
from pyramidion.model import SCU, Annotation, Pyramid, Span, Summary

Numbers = NDArray[np.float64]

Score = Literal["p2c", "l2c", "p3c", "l3c"]
SCORES: tuple[Score, ...] = get_args(Score)
Evidence = Literal["soft", "model"]
DECIMALS = 6
"""The decimals to which values are rounded, so that results do not depend on the batch."""


def values(logits: Numbers, entailment: int, score: str) -> Numbers:
    """Return the value of every row of logits, by one of :data:`SCORES`.

    >>> rows = np.log([[0.5, 0.3, 0.2]])
    >>> [values(rows, 0, score).tolist() for score in SCORES]
    [[0.892857], [1.0], [0.5], [1.0]]
    """
    rest = np.delete(logits, entailment, axis=1)
    if score[1:] == "2c":
        rest = rest.sum(axis=1, keepdims=True)
    entailed = logits[:, [entailment]]
    if score[0] == "l":
        return np.where(np.all(entailed >= rest, axis=1), 1.0, 0.0)
    # The highest logit is subtracted, so that no exponential overflows.
    highest = np.maximum(entailed, rest.max(axis=1, keepdims=True))
    likes = np.exp(entailed - highest)[:, 0]
    shares: Numbers = np.round(likes / (likes + np.exp(rest - highest).sum(axis=1)), DECIMALS)
    return shares


def _best(model: Entailment, pairs: Sequence[Pair], entailment: int, score: str) -> Numbers:
    """Return the highest value of each pair's windows; 0 for a blank pair."""
    rows, counts = model.logits(pairs)
    best = np.zeros(len(pairs))
    asked = np.flatnonzero(counts)
    if len(asked):
        firsts = np.cumsum([0, *counts[asked[:-1]]])
        best[asked] = np.maximum.reduceat(values(rows, entailment, score), firsts)
    return best


@check_choices
def probabilities(
    model: Entailment, pyramid: Pyramid, peers: Sequence[Summary], *, entailment: int = -1, score: Score = "p2c"
) -> Numbers:
    """Return, for each peer (rows) and each SCU (columns), the highest value of its wordings."""
    return _values_of_wordings(model, pyramid, peers, entailment_of(model.labels, entailment), score, np.maximum)


def contradictions(model: Entailment, pyramid: Pyramid, peers: Sequence[Summary], *, entailment: int = -1) -> Numbers:
    """Return, for each peer (rows) and SCU (columns), the lowest P(contradicted) of its wordings; 0 without a class."""
    place = contradiction_of(model.labels, entailment_of(model.labels, entailment))
    if place is None:
        return np.zeros((len(peers), len(pyramid.scus)))
    return _values_of_wordings(model, pyramid, peers, place, "p3c", np.minimum)


def _values_of_wordings(
    model: Entailment, pyramid: Pyramid, peers: Sequence[Summary], place: int, score: str, choose: np.ufunc
) -> Numbers:
    """Return, for each peer and each SCU, the value of a class that ``choose`` takes among the SCU's wordings."""
    wordings = [expressions(pyramid, scu) for scu in pyramid.scus]
    all_wordings = list(chain.from_iterable(wordings))
    shares = _best(model, [(peer.text, wording) for peer in peers for wording in all_wordings], place, score)
    if not all_wordings:
        return np.zeros((len(peers), 0))
    firsts = list(accumulate(map(len, wordings[:-1]), initial=0))
    best: Numbers = choose.reduceat(shares.reshape(len(peers), len(all_wordings)), firsts, axis=1)
    return best


@check_choices
def verdicts(
    model: Entailment,
    pyramid: Pyramid,
    summary: Summary,
    *,
    threshold: float = 0.5,
    contradiction: float = CONTRADICTION,
    score: Score = "p2c",
    evidence: Evidence = "soft",
    entailment: int = -1,
    analyser: str = "en-minilm",
) -> list[Verdict]:
    """Return the values of every SCU and its contradiction, and the words for those that reach their thresholds."""
    shares = probabilities(model, pyramid, [summary], entailment=entailment, score=score)[0].tolist()
    denied = contradictions(model, pyramid, [summary], entailment=entailment)[0].tolist()
    offered = units(summary, analyser)
    if not offered:  # punctuation entails nothing, whatever the model says
        return [Verdict(0.0) for _ in shares]
    if evidence == "soft":
        from pyramidion.matchers.soft import verdicts as softly

        by_words = softly(pyramid, summary, analyser)
        return [
            Verdict(value, words.spans, words.segment, denial=Denial(no, words.spans, words.segment) if no else NONE)
            for value, no, words in zip(shares, denied, by_words, strict=True)
        ]
    bare = [Verdict(value, denial=Denial(no)) for value, no in zip(shares, denied, strict=True)]
    asked = list(zip(pyramid.scus, bare, strict=True))
    sentences = [_sentence(sentence) for sentence in offered]

    def places(scus: Sequence[SCU], place: int | None, score: str) -> dict[str, tuple[tuple[Span], str]]:
        """Return the sentence with the highest value of a class, for the wording that is best for the whole text."""
        if place is None or not scus:
            return {}
        wordings = []
        for scu in scus:
            of_scu = sorted(expressions(pyramid, scu))
            best_of = _best(model, [(summary.text, wording) for wording in of_scu], place, score).argmax()
            wordings.append(of_scu[int(best_of)])
        pairs = [(sentence.of(summary.text), wording) for wording in wordings for sentence in sentences]
        best = _best(model, pairs, place, f"p{score[1:]}").reshape(len(scus), len(sentences)).argmax(axis=1).tolist()
        return {scu.id: ((sentences[at],), segment_id(0, at, 0, 0)) for scu, at in zip(scus, best, strict=True)}

    said_by = entailment_of(model.labels, entailment)
    said = places([scu for scu, verdict in asked if verdict.probability >= threshold], said_by, score)
    against = [scu for scu, verdict in asked if verdict.contradicts(contradiction)]
    denial = places(against, contradiction_of(model.labels, said_by), "p3c")
    return [
        Verdict(
            verdict.probability,
            *said.get(scu.id, ()),
            denial=Denial(verdict.denial.probability, *denial.get(scu.id, ())),
        )
        for scu, verdict in asked
    ]


def _sentence(segments: Sequence[Unit]) -> Span:
    """Return the span from the first to the last character of a sentence's segments."""
    spans = [span for segment in segments for span in segment.spans]
    return Span(min(span.start for span in spans), max(span.end for span in spans))


@dataclass(frozen=True, slots=True)
class NLI:
    """The matcher of a model, which is loaded when it is first asked."""

    model: str
    judge: ClassVar[bool] = True
    english: ClassVar[bool] = False
    """The model decides what it reads; the analyser only cuts sentences."""

    @property
    def models(self) -> tuple[str, ...]:
        """The model's folder, if it is on this machine, and the vectors behind the evidence of ``soft``."""
        folder = on_this_machine(self.model)
        return (*((str(folder),) if folder else ()), "static")

    @check_choices
    def __call__(
        self,
        pyramid: Pyramid,
        summary: Summary,
        *,
        threshold: float = 0.5,
        contradiction: float = CONTRADICTION,
        score: Score = "p2c",
        evidence: Evidence = "soft",
        entailment: int = -1,
        calibrated: bool = False,
        fetch: bool = False,
        full: bool = False,
        analyser: str = "en-minilm",
    ) -> Annotation:
        """Return the SCUs that the summary entails with at least that value, and those that it contradicts."""
        rulings = verdicts(
            load(self.model, fetch=fetch, full=full),
            pyramid,
            summary,
            threshold=threshold,
            contradiction=contradiction,
            score=score,
            evidence=evidence,
            entailment=entailment,
            analyser=analyser,
        )
        annotation = annotate_by_verdicts(pyramid, summary, rulings, threshold, analyser, contradiction=contradiction)
        return annotation if calibrated else with_decisions(annotation)

    def together(self, *, fetch: bool = False, full: bool = False) -> int:
        """Return how many pairs are best judged at once: on a GPU as many as are remembered, on a CPU a pyramid's."""
        return KEPT // 2 if load(self.model, fetch=fetch, full=full).device == "cuda" else 1

    def prepare(
        self,
        asked: Sequence[tuple[Pyramid, Sequence[Summary]]],
        *,
        entailment: int = -1,
        fetch: bool = False,
        full: bool = False,
    ) -> None:
        """Judge all peers of these pyramids at once; what is asked afterwards is remembered."""
        model = load(self.model, fetch=fetch, full=full)
        entailment_of(model.labels, entailment)  # before all the work, not after it
        model.logits(
            [
                (peer.text, wording)
                for pyramid, peers in asked
                for peer in peers
                for scu in pyramid.scus
                for wording in expressions(pyramid, scu)
            ]
        )


def make(model: str) -> NLI:
    """Return the matcher of a model, ``nli:MODEL``."""
    if not model.strip():
        raise PyramidionError("No model is named", do="write nli:MODEL, where MODEL is a folder or a name on the hub")
    return NLI(model)
