r"""Does this summary say this SCU, contradict it, or neither? By a network that reads both.

Judges that count words reward copying: a text that negates every claim keeps its words, and one that says all of it in
its own words loses them. The network of ``pyramidion-entails`` (:mod:`pyramidion.language.entailment.network`)
was trained on entailment: whether a text says a statement, contradicts it, or does neither.

*What is asked.* An SCU's label, or, where it has none, the longest of its contributors' words. The summary, its slips
of the pen mended (:mod:`pyramidion.language.text.spelling`), is read once for all labels. Where that leaves a doubt,

* the label is asked of the :data:`NEAREST` sentence, read by itself: a sentence often says plainly what a text says
  among much else;
* if that leaves a doubt, too, the contributors' wordings are asked of the text, those :data:`WORDINGS` that are nearest
  to it: one may be nearer to a summary than the label, which stands for all.

*Nearest* is the cosine of static vectors, of a sentence to the closest of the SCU's wordings. With w the whole text, s
the sentences, l the label and u all wordings that were asked,

.. math:: P' = \max\big(\max_u P_w(u), \max_s P_s(l)\big), \qquad P = \sigma(a\,\mathrm{logit}\,P' + b), \qquad
          P(contradicted) = P_w(contradicts\ l).

*The curve.* The largest of several answers is too large, and the network was taught .03 and .97 for no and yes, so that
a text on another topic would collect .04 of every pyramid. a and b (:data:`CURVE`) put both right.

*Contradictions.* A student who is told to check a sentence that is right loses trust, so that a contradiction counts
from :data:`DENIED` on. A wording that says less than the label must not pay for a denial of it: where the text
contradicts the label so probably, only a wording that it says with :data:`SURE` counts, and that ends the
contradiction.

*Quotations.* Where the whole sentence of one of an SCU's contributors stands in the summary word for word, P is 1: the
pyramid itself says that the sentence expresses the SCU. So whoever hands in a reference has all that it contributes.

*What chose the numbers.* ``python -m train.verdicts`` fits the curve, and shows what each threshold of a contradiction
would find, on the marked peers of invented topics that the network was not trained on. The other numbers come from the
hand annotations of the bundled examples and of the open topics (``pyramidion bench annotations``) and the development
half of ``pyramidion bench minimal``; ``docs/judging.md`` has the figures. A second sentence, and a doubt from .05 on,
cost a third more time and decide no better. Words (:mod:`pyramidion.matchers.soft`) have no vote: blended in, they pay
for shuffled texts and denials.

*Evidence.* The sentence that says the SCU, or contradicts it; the nearest one where only the whole text does. In it
the clause nearest to the SCU, if it is nearer than the sentence and, for a contradiction, which a few words decide, if
it contradicts the SCU by itself; else the sentence. Reading every clause costs a fifth more time and finds the words
that people marked no better. Offsets are those of the summary as written.

*Question.* Where the summary answers a question, each text is read after it ("Who pays? The council."), except for what
the question says by itself, with :data:`CARRIED` or more: a question asserts nothing.

What is said of an SCU does not depend on the others of its pyramid.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyramidion.errors import PyramidionError
from pyramidion.language.entailment.network import each
from pyramidion.language.models.distributions import READER, installed
from pyramidion.language.text.spelling import DICTIONARY, Mended, mend, small_words
from pyramidion.language.vectors import embedder
from pyramidion.matchers.calibration import Calibration
from pyramidion.matchers.expressions import expressions
from pyramidion.matchers.judged import Denial, Unit, Verdict, annotate_by_verdicts, units
from pyramidion.model import SCU, Annotation, Pyramid, Span, Summary, Topic
from pyramidion.parts import declare

TRAINED_ON = ("realsumm",)
"""Data whose figures flatter this judge."""
STORED = True
"""Its held-out answers are stored, not made (:func:`fit`)."""
NEAREST = 1
"""Sentences that are read by themselves for an SCU in doubt."""
WORDINGS = 3
"""Wordings of contributors that are asked where the label leaves a doubt."""
DOUBT, SURE = 0.08, 0.9
"""Between these the answer to a label is in doubt."""
CARRIED = 0.5
"""From here on a sentence or a clause carries a verdict by itself."""
DENIED = 0.7
"""The probability from which on an SCU is contradicted."""
CURVE = Calibration(0.9, -0.86)
"""From the largest of the network's answers to P."""
SAID, CONTRADICTED = 0, 1
"""Columns of the network's answers; the third is the rest."""
CERTAIN = np.array([1.0, 0.0, 0.0])
"""The answer to an SCU of which a contributor's whole sentence is quoted."""

Row = NDArray[np.float64]
Vectors = NDArray[np.float32]
Answers = Callable[[Sequence[tuple[str, Sequence[str]]]], Sequence[Row]]
"""Of texts with statements each, the three probabilities of each: the network's, or those of networks that saw less."""
Place = tuple[tuple[Span, ...], str]
"""Words of a summary, and the name of the segment that they are."""


def statement(pyramid: Pyramid, scu: SCU) -> str:
    """Return the statement that is asked about: an SCU's label or, without one, the longest of its wordings."""
    return " ".join(scu.label.split()) or max(expressions(pyramid, scu), key=lambda words: (len(words), words))


class _Question:
    """An SCU: what is asked first, and the wordings that may be asked, too, in alphabetical order."""

    def __init__(self, pyramid: Pyramid, scu: SCU) -> None:
        self.label = statement(pyramid, scu)
        self.wordings = sorted({*expressions(pyramid, scu)} - {self.label})


class _Sentence:
    """A sentence of a summary with its clauses."""

    def __init__(self, clauses: Sequence[Unit]) -> None:
        self.clauses = clauses
        self.span = Span(clauses[0].spans[0].start, max(clause.spans[-1].end for clause in clauses))


class _Reader:
    """Reads a summary and its parts for SCUs, each part once for all SCUs that are asked of it."""

    def __init__(
        self,
        questions: Sequence[_Question],
        text: Mended,
        sentences: Sequence[Sequence[Unit]],
        answering: str = "",
        answers: Answers = each,
    ) -> None:
        """``answering`` is the question that the summary answers, if any; ``answers`` asks a network."""
        self._answers = answers
        self.questions = questions
        self.text = text
        self.answering = answering
        self.sentences = [_Sentence(clauses) for clauses in sentences]
        self._static = embedder("static")
        self._sentences = self._static([text.of(sentence.span) for sentence in self.sentences])
        self._near: dict[int, list[int]] = {}
        self._wordings: dict[int, list[str]] = {}

    def read(self, asked: Sequence[tuple[str, Iterable[int]]]) -> list[dict[int, Row]]:
        """Return, for each text, the three probabilities of the labels of these SCUs."""
        sets = [(text, sorted(numbers)) for text, numbers in asked]
        rows = self._rows(
            [(text, [self.questions[number].label for number in numbers]) for text, numbers in sets], self._answers
        )
        return [dict(zip(numbers, of_text, strict=True)) for (_, numbers), of_text in zip(sets, rows, strict=True)]

    def _rows(self, asked: Sequence[tuple[str, Sequence[str]]], answers: Answers) -> list[Sequence[Row]]:
        """Return the probabilities of statements in texts, read after the question that they answer, if any."""
        if not self.answering:
            return [list(rows) for rows in answers(asked)]
        # A question asserts nothing: what it says by itself is judged by the answer alone.
        ways = [
            way
            for text, statements in asked
            for way in ((text, statements), (self.answering, statements), (f"{self.answering} {text}", statements))
        ]
        rows = iter(answers(ways))
        return [
            [
                row if question[SAID] >= CARRIED else answer
                for row, question, answer in zip(alone, by_question, after, strict=True)
            ]
            for alone, by_question, after in zip(rows, rows, rows, strict=True)
        ]

    def orient(self, numbers: Iterable[int], wordings: int) -> None:
        """Find the sentences nearest to each of these SCUs, and the wordings nearest to the text."""
        for number in numbers:
            cosines = self._cosines(number, self._sentences)
            self._near[number] = np.argsort(-cosines.max(axis=0), kind="stable").tolist()
            order = np.argsort(-cosines[1:].max(axis=1, initial=-1.0), kind="stable")
            self._wordings[number] = [self.questions[number].wordings[place] for place in order[:wordings]]

    def wordings(self, numbers: Iterable[int]) -> dict[int, list[Row]]:
        """Return the probabilities of the wordings of each of these SCUs in the whole text."""
        asked = [(number, wording) for number in numbers for wording in self._wordings[number]]
        (rows,) = self._rows([(self.text.whole, [wording for _, wording in asked])], self._answers)
        answers: dict[int, list[Row]] = {}
        for (number, _), row in zip(asked, rows, strict=True):
            answers.setdefault(number, []).append(row)
        return answers

    def in_sentences(self, numbers: Sequence[int], nearest: int) -> dict[int, dict[int, Row]]:
        """Return, by SCU and sentence, the probabilities of each label in the sentences near to it, nearest first."""
        near = {number: self._near[number][:nearest] for number in numbers}
        answers = self.read(
            [
                (self.text.of(sentence.span), [number for number in numbers if place in near[number]])
                for place, sentence in enumerate(self.sentences)
            ]
        )
        return {number: {place: answers[place][number] for place in near[number]} for number in numbers}

    def place(self, number: int, verdict: int, rows: Mapping[int, Row]) -> Place:
        """Return where a verdict stands: in the surest sentence a clause that carries it, or the whole sentence."""
        sentence = self.sentences[self._surest_sentence(number, verdict, rows)]
        words = [" ".join(map(self.text.of, clause.spans)) for clause in sentence.clauses]
        cosines = self._cosines(number, self._static([self.text.of(sentence.span), *words])).max(axis=0)
        nearest = int(cosines[1:].argmax())
        carries = cosines[1 + nearest] >= cosines[0]
        if verdict == CONTRADICTED:
            # Which words are shown is the network's own matter, whoever answers.
            ((row,),) = self._rows([(words[nearest], [self.questions[number].label])], each)
            carries = row[verdict] >= CARRIED
        if carries or len(words) == 1:
            return sentence.clauses[nearest].spans, sentence.clauses[nearest].segment
        return (sentence.span,), ""

    def _surest_sentence(self, number: int, verdict: int, rows: Mapping[int, Row]) -> int:
        """Return the sentence that carries a verdict most surely; the nearest one if none that was read carries it."""
        best = max(rows, key=lambda place: float(rows[place][verdict]), default=-1)
        return best if best in rows and rows[best][verdict] >= CARRIED else self._near[number][0]

    def _cosines(self, number: int, vectors: Vectors) -> Vectors:
        """Return the cosines of an SCU's label, and then of its wordings, with texts."""
        question = self.questions[number]
        cosines: Vectors = (self._static([question.label, *question.wordings]) @ vectors.T).round(6)
        return cosines


def verdicts(
    pyramid: Pyramid,
    summary: Summary,
    analyser: str = "en-minilm",
    *,
    threshold: float = CARRIED,
    contradiction: float = DENIED,
    nearest: int = NEAREST,
    wordings: int = WORDINGS,
    spelling: bool = True,
    question: str = "",
    answers: Answers = each,
) -> list[Verdict]:
    """Return the probabilities of every SCU, and, if a threshold is reached, the words that say or contradict it."""
    if nearest < 1:
        raise PyramidionError(f"{nearest} sentences cannot be read for an SCU", do="give nearest=1 or more")
    if wordings < 0:
        raise PyramidionError(f"{wordings} wordings cannot be asked for an SCU", do="give wordings=0 or more")
    questions = [_Question(pyramid, scu) for scu in pyramid.scus]
    sentences = units(summary, analyser)
    if not questions or not sentences:
        return [Verdict(0.0)] * len(questions)
    text = _mended(pyramid, summary) if spelling else Mended(summary.text, ())
    reader = _Reader(questions, text, sentences, " ".join(question.split()), answers)
    # Reading is slow, so each step reads only what the step before it leaves in doubt.
    quoted = _quoted_scus(pyramid, reader, analyser)
    (whole,) = reader.read([(reader.text.whole, {*range(len(questions))} - quoted.keys())])
    touched = [number for number, row in whole.items() if row[SAID] >= DOUBT or row[CONTRADICTED] >= contradiction]
    doubtful = [number for number in touched if whole[number][SAID] < SURE]
    reader.orient(touched, wordings)
    rows = reader.in_sentences(doubtful, nearest)
    unsure = [number for number in doubtful if max(row[SAID] for row in rows[number].values()) < SURE]
    by_wordings = reader.wordings(unsure)
    rows |= {number: {place: CERTAIN} for number, place in quoted.items()}
    whole |= dict.fromkeys(quoted, CERTAIN)
    sure = [
        _answer(whole[number], by_wordings.get(number, ()), rows.get(number, {}), contradiction)
        for number in range(len(questions))
    ]
    found = [Verdict(round(CURVE(said), 4), denial=Denial(denied)) for said, denied in sure]
    decided = {
        number: CONTRADICTED if ruling.contradicts(contradiction) else SAID
        for number, ruling in enumerate(found)
        if ruling.probability >= threshold or ruling.contradicts(contradiction)
    }
    reader.orient(decided.keys() - rows.keys() - {*touched}, 0)
    for number, verdict in decided.items():
        found[number] = _with_words(found[number], verdict, reader.place(number, verdict, rows.get(number, {})))
    return found


def _quoted_scus(pyramid: Pyramid, reader: _Reader, analyser: str) -> dict[int, int]:
    """Return the SCUs that have a contributor quoted word for word, with the sentence where the quotation begins."""
    numbers: dict[str, int] = {}
    for number, sentence in enumerate(reader.sentences):
        numbers.setdefault(_plain(reader.text.of(sentence.span)), number)
    places = {
        reference.id: [
            (sentence.span, numbers.get(_plain(sentence.span.of(reference.text))))
            for sentence in map(_Sentence, units(reference, analyser))
        ]
        for reference in pyramid.references
    }
    quoted: dict[int, int] = {}
    for number, scu in enumerate(pyramid.scus):
        for contributor in scu.contributors:
            found = [
                place
                for span, place in places[contributor.summary]
                if any(piece.start < span.end and span.start < piece.end for piece in contributor.spans)
            ]
            if found and found[0] is not None and None not in found:
                quoted.setdefault(number, found[0])
    return quoted


def _plain(text: str) -> str:
    """Return the words of a text in one form, for comparison."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def _mended(pyramid: Pyramid, summary: Summary) -> Mended:
    """Return the summary with its slips mended; no word of the references and labels is a slip."""
    return mend(
        summary.text,
        small_words([*(reference.text for reference in pyramid.references), *(scu.label for scu in pyramid.scus)]),
    )


def _answer(
    whole: Row, wordings: Sequence[Row], sentences: Mapping[int, Row], contradiction: float
) -> tuple[float, float]:
    """Return P before the curve, and P(contradicted)."""
    by_wordings = [row[SAID] for row in wordings]
    # A wording that says less than the label must not pay for a denial of the label, unless it is said surely.
    if whole[CONTRADICTED] >= contradiction:
        by_wordings = [said for said in by_wordings if said >= SURE]
    said = max([whole[SAID], *by_wordings, *(row[SAID] for row in sentences.values())])
    return float(said), 0.0 if max(by_wordings, default=0.0) >= SURE else float(whole[CONTRADICTED])


def _with_words(ruling: Verdict, verdict: int, place: Place) -> Verdict:
    """Return the verdict with the words that carry it."""
    if verdict == CONTRADICTED:
        return Verdict(ruling.probability, denial=Denial(ruling.denial.probability, *place))
    return Verdict(ruling.probability, *place, denial=ruling.denial)


@declare(
    models=("static", *installed(READER)),
    signature=(("spelling", DICTIONARY),),
    english=True,
    judge=True,
    threads=True,
    distributions=READER,
    otherwise="choose 'soft', which goes by words: edua-p+soft, lite+soft, given+soft",
)
def entails(
    pyramid: Pyramid,
    summary: Summary,
    question: str = "",
    *,
    threshold: float = CARRIED,
    contradiction: float = DENIED,
    nearest: int = NEAREST,
    wordings: int = WORDINGS,
    spelling: bool = True,
    analyser: str = "en-minilm",
) -> Annotation:
    """Return the SCUs that the summary says and contradicts, and the probability that it says each."""
    return _annotate(
        pyramid,
        summary,
        each,
        threshold=threshold,
        contradiction=contradiction,
        nearest=nearest,
        wordings=wordings,
        spelling=spelling,
        analyser=analyser,
        question=question,
    )


def _annotate(
    pyramid: Pyramid,
    summary: Summary,
    answers: Answers,
    *,
    threshold: float = CARRIED,
    contradiction: float = DENIED,
    analyser: str = "en-minilm",
    **settings: Any,
) -> Annotation:
    """Return the verdicts by these answers, as an annotation."""
    found = verdicts(
        pyramid, summary, analyser, threshold=threshold, contradiction=contradiction, answers=answers, **settings
    )
    return annotate_by_verdicts(pyramid, summary, found, threshold, analyser, contradiction=contradiction)


def fit(topics: Sequence[Topic]) -> Callable[..., Annotation]:
    """Return the judge as it answers of documents that it has not seen, for figures on the data that it learnt from.

    Nothing is trained here: :mod:`pyramidion.language.entailment.held_out_answers` holds what networks said that were
    trained without each document's fold, so ``topics``, from which another judge would learn, do not matter.
    """
    from pyramidion.language.entailment.held_out_answers import held_out_answers

    answers = held_out_answers()

    def match(pyramid: Pyramid, summary: Summary, question: str = "", **settings: Any) -> Annotation:
        return _annotate(pyramid, summary, answers.each, question=question, **settings)

    return match
