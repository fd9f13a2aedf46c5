r"""PEAK: pyramids of subject-predicate-object triples (Yang, Passonneau and de Melo 2016).

Q. Yang, R. J. Passonneau and G. de Melo, 2016, PEAK: pyramid evaluation via automated knowledge extraction, *AAAI*.
What is PEAK's, as Gao et al. 2019 §3 and Hirao et al. 2018 §2 tell it: triples of the references from open information
extraction are the hyperedges of a graph whose nodes are their subjects, predicates and objects; similarity of nodes
from different hyperedges, which ADW's random walks over WordNet measure, gives triples their weights; similar SCUs are
merged (its Algorithm 1); and a peer is scored by a linear assignment (:mod:`pyramidion.matchers.peak`). The rest,
thresholds and the definition of salience included, is ours, for we had no more of the paper at hand:

*Triples* are those of :mod:`pyramidion.language.parse.propositions`; a sentence that has none is one node, so that no
reference is lost.

*Similarity.* Nodes by the cosine of any embedder, at least 0. Of triples a and b, with n_k words in both of their nodes
of role k (subject, predicate, object),

.. math:: sim(a, b) = \sum_k n_k \cos(a_k, b_k) \Big/ \sum_k n_k,

so that *he said* makes no two statements alike; a node that one of them lacks counts 0. A single node is compared with
a whole triple's words.

*Alike* are nodes of cosine >= theta, and triples of sim >= theta that have two nodes alike: these are their salient
nodes, which stand in several references. ``salient`` is their number.

*Potential SCUs.* Each triple, the anchor, with the most similar of the triples alike in every other reference, if
there is any. They are taken in order of weight, then of total similarity; a triple contributes to one SCU, so the
others' potential shrinks (lazily computed: it never grows). A triple without its like weighs 1.

*Near copies.* Two SCUs say the same if their anchors are alike and they share no sentence (a sentence's own triples
differ: *banks lend to firms and to families*). The lighter is merged into the most similar heavier one, which gets its
contributors from the references that it lacks; so a reference that says a thing twice has one SCU for it. Gao et al.
(§3) found PEAK's "many noisy copies of the same SCU" its weakness.

*Threshold.* The even odds of :mod:`pyramidion.matchers.thresholds`, for this similarity: on REALSumm's 26,400
judgements whether a summary expresses an SCU, given the highest sim of a triple of the one and of the other.

==========  =========  ========  ====
embedder    even odds  accuracy  AUC
==========  =========  ========  ====
``static``  .505       .655      .706
``wtmf``    .492       .641      .688
``minilm``  .580       .664      .718
==========  =========  ========  ====

The last is of the first 25 documents alone (6,675 judgements), on which ``static`` has .514, .668 and .727: it is the
default, fast and no worse. ``train/peak.py`` prints these figures.

References are put in order by their text, and copies of one text are one voice, as in the other builders.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heapreplace
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from pyramidion.builders.assemble import Voice, voices_of
from pyramidion.errors import PyramidionError
from pyramidion.language.parse.propositions import Proposition, statements
from pyramidion.language.parse.segmented import remembering
from pyramidion.model import SCU, Contributor, Pyramid, Topic

Table = NDArray[np.float64]

MAX_TRIPLES = 4000
"""The most triples of all references of a topic; four tables of their similarities have 512 MB."""

THRESHOLDS = {"minilm": 0.58, "static": 0.51, "wtmf": 0.49}
"""The even odds, to two decimals."""

DECIMALS = 6
"""The decimals to which cosines are rounded, so that results do not depend on the machine's last bits."""


def threshold_of(embedder: str, threshold: float = 0.0) -> float:
    """Return the threshold that was given, or the embedder's calibrated one if that is 0.

    >>> threshold_of("static"), threshold_of("minilm", 0.6)
    (0.51, 0.6)
    """
    if not 0 <= threshold <= 1:
        raise PyramidionError(
            f"The threshold of similarity is {threshold}", do="give a cosine from 0 to 1; 0 selects the default"
        )
    if not threshold and embedder not in THRESHOLDS:
        raise PyramidionError(
            f"No threshold of triples has been calibrated for the embedder {embedder!r}",
            do=f"give a threshold (threshold=0.5), or choose an embedder from: {', '.join(sorted(THRESHOLDS))}",
        )
    return threshold or THRESHOLDS[embedder]


def node_similarities(first: Sequence[Proposition], second: Sequence[Proposition], embedder: str) -> Table:
    """Return the cosines of the subjects, predicates and objects of all pairs, a table for each; 0 without a node."""
    cosines = np.zeros((3, len(first), len(second)))
    for role in range(3):
        cosines[role] = _cosines(
            [triple.parts[role].text for triple in first], [triple.parts[role].text for triple in second], embedder
        )
    return cosines


def similarities(first: Sequence[Proposition], second: Sequence[Proposition], embedder: str) -> Table:
    """Return the similarities of all pairs, as a matrix."""
    return _similarities(first, second, embedder, node_similarities(first, second, embedder))


def _similarities(first: Sequence[Proposition], second: Sequence[Proposition], embedder: str, nodes: Table) -> Table:
    lengths = _lengths(first)[:, :, None] + _lengths(second)[:, None, :]
    similarities = (nodes * lengths).sum(axis=0) / np.maximum(lengths.sum(axis=0), 1)
    single = ~np.logical_and.outer(_have_predicates(first), _have_predicates(second))
    # A single node has no roles to compare: it is compared with all words of the other side.
    if single.any():
        wholes = _cosines([triple.text for triple in first], [triple.text for triple in second], embedder)
        similarities = np.where(single, wholes, similarities)
    rounded: Table = np.round(similarities, DECIMALS)
    return rounded


def _cosines(first: Sequence[str], second: Sequence[str], embedder: str) -> Table:
    model = remembering(embedder)
    rows = model([*first, *second]).astype(np.float64)
    product = np.clip(np.round(rows[: len(first)] @ rows[len(first) :].T, DECIMALS), 0.0, 1.0)
    have_text = np.logical_and.outer([bool(text) for text in first], [bool(text) for text in second])
    return np.where(have_text, product, 0.0)


def _lengths(propositions: Sequence[Proposition]) -> Table:
    lengths = [[len(part.text.split()) for part in proposition.parts] for proposition in propositions]
    return np.array(lengths, np.float64).reshape(len(propositions), 3).T


def _have_predicates(propositions: Sequence[Proposition]) -> NDArray[np.bool_]:
    return np.array([bool(proposition.predicate.text) for proposition in propositions], np.bool_)


@dataclass(frozen=True, slots=True)
class _Triple:
    proposition: Proposition
    voice: int
    sentence: int


@dataclass(slots=True)
class _Unit:
    """An SCU in the making: its anchor, the contributors by voice, and the sentences whose words are in it."""

    anchor: int
    members: dict[int, int]
    similarity: float
    sentences: set[int] = field(default_factory=set)


def peak(
    topic: Topic,
    *,
    threshold: float = 0.0,
    salient: int = 2,
    embedder: str = "static",
    analyser: str = "en-minilm",
) -> Pyramid:
    """Return the pyramid of the references' triples; ``threshold`` 0 stands for the embedder's calibrated one.

    A contributor's reason is its triple.
    """
    theta = threshold_of(embedder, threshold)
    if not 1 <= salient <= 3:
        raise PyramidionError(
            f"The number of nodes that must be similar is {salient}",
            do="give 1, 2 or 3, because a triple has three nodes",
        )
    voices = voices_of(topic, analyser)
    triples = _triples(topic, voices)
    propositions = [triple.proposition for triple in triples]
    nodes = node_similarities(propositions, propositions, embedder)
    table = _similarities(propositions, propositions, embedder, nodes)
    single = ~np.logical_and.outer(_have_predicates(propositions), _have_predicates(propositions))
    alike = (table >= theta) & (single | ((nodes >= theta).sum(axis=0) >= salient))
    sizes = [len(voice.copies) for voice in voices]
    units = _merge_copies(_choose_units(triples, sizes, table, alike), triples, sizes, table, alike)
    scus = []
    for number, unit in enumerate(units, 1):
        members = [unit.members[voice] for voice in sorted(unit.members)]
        contributors = tuple(
            Contributor(reference.id, propositions[member].spans, reason=str(propositions[member]))
            for member in members
            for _, reference in voices[triples[member].voice].copies
        )
        scus.append(SCU(str(number), _label(voices, triples, table[unit.anchor], members), contributors))
    references = (reference for voice in voices for _, reference in voice.copies)
    return Pyramid(topic.id, tuple(references), tuple(scus))


def _triples(topic: Topic, voices: Sequence[Voice]) -> list[_Triple]:
    """Return the triples of all texts, with the sentences that they are from, numbered over all texts."""
    triples = []
    sentences = 0
    for number, voice in enumerate(voices):
        analysis = voice.segmented.analysis
        starts = np.array([analysis.words[first].start for first, _ in analysis.sentences])
        for statement in statements(analysis):
            place = int(np.searchsorted(starts, statement.spans[0].start, "right"))
            triples.append(_Triple(statement, number, sentences + place))
        sentences += len(starts) + 1
    if len(triples) > MAX_TRIPLES:
        raise PyramidionError(
            f"The references of topic {topic.id!r} have {len(triples):,} propositions, which are too many to compare",
            do=f"give fewer or shorter references, with at most {MAX_TRIPLES:,} propositions in total",
        )
    return triples


def _choose_units(
    triples: Sequence[_Triple], sizes: Sequence[int], table: Table, alike: NDArray[np.bool_]
) -> list[_Unit]:
    """Choose potential SCUs from the heaviest on, each triple in one of them."""
    ends = [0, *accumulate(sum(triple.voice == voice for triple in triples) for voice in range(len(sizes)))]
    free = np.ones(len(triples), np.bool_)

    def potential(anchor: int) -> tuple[tuple[int, float, int], dict[int, int]]:
        anchor_voice = triples[anchor].voice
        row = np.where(alike[anchor] & free, table[anchor], -1.0)
        members = {anchor_voice: anchor}
        for voice in range(len(sizes)):
            first, last = ends[voice], ends[voice + 1]
            if voice != anchor_voice and first < last and row[best := first + int(row[first:last].argmax())] >= 0:
                members[voice] = best
        total = round(sum(float(table[anchor, member]) for member in members.values() if member != anchor), DECIMALS)
        return (-sum(sizes[voice] for voice in members), -total, anchor), members

    queue = [potential(anchor)[0] for anchor in range(len(triples))]
    heapify(queue)
    units = []
    while queue:
        anchor = queue[0][2]
        if not free[anchor]:
            heappop(queue)
            continue
        # The key in the queue may be out of date: partners may have been taken since. Keys only ever grow, so an anchor
        # whose key still is the smallest is the best of all.
        key, members = potential(anchor)
        if key > queue[0]:
            heapreplace(queue, key)
            continue
        heappop(queue)
        free[list(members.values())] = False
        units.append(_Unit(anchor, members, -key[1], {triples[member].sentence for member in members.values()}))
    return units


def _merge_copies(
    units: Sequence[_Unit], triples: Sequence[_Triple], sizes: Sequence[int], table: Table, alike: NDArray[np.bool_]
) -> list[_Unit]:
    """Return the SCUs by weight, near copies merged into the heavier; of equals, the more similar in itself first."""
    kept: list[_Unit] = []
    for unit in units:
        originals = [
            heavy for heavy in kept
            if alike[heavy.anchor, unit.anchor] and heavy.sentences.isdisjoint(unit.sentences)
        ]  # fmt: skip
        if not originals:
            kept.append(unit)
            continue
        heavier = max(originals, key=lambda heavy: float(table[heavy.anchor, unit.anchor]))
        heavier.sentences |= unit.sentences
        for voice, member in unit.members.items():
            heavier.members.setdefault(voice, member)
    return sorted(kept, key=lambda unit: (-sum(sizes[voice] for voice in unit.members), -unit.similarity, unit.anchor))


def _label(voices: Sequence[Voice], triples: Sequence[_Triple], similarity: Table, members: Sequence[int]) -> str:
    """Return the words of the contributor nearest to the anchor, preferably of one whose subject is no pronoun."""

    def rank(member: int) -> tuple[bool, float, int]:
        words = voices[triples[member].voice].segmented.analysis.words
        subject = triples[member].proposition.subject.words
        return all(words[word].upos in ("PRON", "DET") for word in subject), -float(similarity[member]), member

    text = triples[min(members, key=rank)].proposition.text
    return text[0].upper() + text[1:] if text.partition(" ")[0].islower() else text
