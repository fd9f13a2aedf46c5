"""The soft judge: a worked example, what holds of every pyramid and peer, and bad input."""

from __future__ import annotations

import tracemalloc
import warnings
from collections.abc import Sequence
from itertools import chain
from math import nan
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.examples import example
from pyramidion.formats import ducview
from pyramidion.language.parse.clauses import Segment, Segmentation, parse_segment_id
from pyramidion.language.parse.segmented import segmented
from pyramidion.language.vectors.static import load
from pyramidion.matchers import MATCHERS, vocabulary
from pyramidion.matchers.soft import SENTENCE, Evidence, evidence, explanation, soft
from pyramidion.matchers.vocabulary import Vocabulary, words
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Span, Summary, Topic
from pyramidion.scoring import scores
from tests.strategies import TEXTS, pyramids

BOATS, FISH, MANURE = (
    "The council banned motor boats.",
    "The lake had lost all its fish.",
    "Farmers let manure run into the water.",
)


def pyramid_of(*scus: tuple[str, ...]) -> Pyramid:
    """A pyramid whose SCUs have these wordings, the n-th one from the n-th reference."""
    references = tuple(Summary(id, "") for id in "ABCDE")
    made = (
        SCU(str(number), said[0], tuple(Contributor(id, label=words) for id, words in zip("ABCDE", said, strict=False)))
        for number, said in enumerate(scus, start=1)
    )
    return Pyramid("toy", references, tuple(made))


def probabilities(pyramid: Pyramid, text: str) -> list[float]:
    return [one for _, one in soft(pyramid, Summary("P", text, "peer")).probabilities]


def in_sentences(*sentences: str) -> tuple[str, list[Segmentation]]:
    """A text of these sentences, each cut at semicolons, without asking an analyser."""
    text, cut = "", []
    for sentence in sentences:
        segments, start = [], len(text)
        for piece in sentence.split(";"):
            segments.append(Segment((Span(start, start + len(piece)),), ()))
            start += len(piece) + 1
        cut.append(tuple(segments))
        text += sentence + " "
    return text, cut


def strengths(pyramid: Pyramid, *sentences: str) -> list[float]:
    found: list[float] = evidence(pyramid, *in_sentences(*sentences)).strengths.tolist()
    return found


def test_a_worked_example() -> None:
    # Two SCUs; "banned" is in both, so that it tells half as much in either. The summary has "boats" and "banned" in
    # different sentences, "forbidden" beside "boats", and no "1999" but "2000".
    pyramid = pyramid_of(("boats banned 1999",), ("ferries banned",))
    words = ["boats", "banned", "1999", "ferries", "forbidden", "2000"]
    rows = {word: load().words(word)[1][0].astype(np.float64) for word in words}
    length = {word: float(np.linalg.norm(row)) for word, row in rows.items()}

    def s(i: str, j: str) -> float:
        return max(0.0, float(rows[i] @ rows[j]) / length[i] / length[j]) ** 3

    k = {"boats": length["boats"], "banned": length["banned"] / 2, "1999": length["1999"]}
    first = (k["boats"] + k["banned"] * max(s("banned", "boats"), s("banned", "forbidden"))) / sum(k.values())
    second = (k["boats"] * s("boats", "banned") + k["banned"]) / sum(k.values())
    assert first > second
    both = (k["boats"] + k["banned"]) / sum(k.values())
    found = evidence(pyramid, *in_sentences("Boats forbidden.", "Banned 2000."))
    assert found.strengths[0] == pytest.approx(0.8 * first + 0.2 * both, abs=2e-6)
    assert SENTENCE == 0.8
    assert found.sentences.tolist() == [0, 1]
    k = {"ferries": length["ferries"], "banned": length["banned"] / 2}
    first = (k["ferries"] * s("ferries", "banned") + k["banned"]) / sum(k.values())
    both = (k["ferries"] * max(s("ferries", word) for word in ("boats", "forbidden", "banned")) + k["banned"]) / sum(
        k.values()
    )
    assert found.strengths[1] == pytest.approx(0.8 * first + 0.2 * both, abs=2e-6)


def test_the_words_that_carry_an_scu_sum_to_its_probability() -> None:
    pyramid = pyramid_of(("boats banned 1999", "ferries sleep"), ("ferries banned",))
    peer = Summary("P", "Boats forbidden. Banned 2000.", "peer")
    boats, year, banned = explanation(pyramid, peer, "1", "unicode")
    assert (boats.word, boats.counterpart, boats.similarity, boats.points) == ("boats", "boats", 1, boats.most)
    assert (year.word, year.counterpart, year.points) == ("1999", "", 0)
    assert (banned.word, banned.counterpart) == ("banned", "forbidden")
    assert 0 < banned.similarity < 1
    assert boats.most + year.most + banned.most == pytest.approx(1)
    for scu, probability in soft(pyramid, peer, analyser="unicode").probabilities:
        assert sum(one.points for one in explanation(pyramid, peer, scu, "unicode")) == pytest.approx(
            probability, abs=2e-6
        )
    assert str(boats).startswith("boats ~ boats 1.00: ")
    with pytest.raises(PyramidionError, match="no SCU '9'; choose one of: 1, 2"):
        explanation(pyramid, peer, "9")


@pytest.mark.parametrize("text", ["", "...", "2000"])
def test_where_nothing_is_alike_no_word_is_carried(text: str) -> None:
    found = explanation(pyramid_of(("boats banned",)), Summary("P", text, "peer"), "1", "unicode")
    assert [(one.counterpart, one.similarity, one.points) for one in found] == [("", 0, 0)] * 2


def test_words_of_one_stem_are_spread_together() -> None:
    # "ban" tells less in the first SCU because the second one has "banned"; "boats" then tells more.
    alone, spread = (pyramid_of(("boats ban",), (other,)) for other in ("frogs", "banned frogs"))
    assert strengths(alone, "Boats.")[0] < strengths(spread, "Boats.")[0]


def test_the_best_segment_of_the_best_sentence_is_the_place() -> None:
    found = evidence(pyramid_of((BOATS,), (FISH,)), *in_sentences("I like chess;" + FISH, f"{BOATS};I like chess"))
    assert (found.sentences.tolist(), found.segments.tolist()) == ([1, 0], [0, 1])


def test_the_best_wording_counts() -> None:
    one, other = pyramid_of((BOATS,)), pyramid_of(("Nobody may go there under power.",))
    both = pyramid_of((BOATS, "Nobody may go there under power."))
    text = "The council banned motor boats for good."
    assert strengths(both, text) == [max(*strengths(one, text), *strengths(other, text))]


def test_of_two_wordings_that_are_there_no_order_decides_the_place() -> None:
    text = in_sentences("Frogs.", "Boats.", "Ferries.")
    for said in (("boats", "ferries"), ("ferries", "boats")):
        found = evidence(pyramid_of(said), *text)
        assert (found.strengths.tolist(), found.sentences.tolist()) == ([1], [1])


def test_a_match_needs_no_more_than_the_threshold() -> None:
    assert soft(pyramid_of((BOATS,)), Summary("P", BOATS, "peer"), threshold=1).expressed == ("1",)


def test_the_whole_summary_counts_a_fifth_however_far_apart_its_words_are() -> None:
    pyramid = pyramid_of(("1999 2000",))  # equally telling, and like nothing else
    one, near, far, together = (
        strengths(pyramid, *text)
        for text in (["In 1999."], ["1999.", "2000."], ["1999.", "x " * 500, "2000."], ["x " * 500 + "2000 1999"])
    )
    (weight,) = one
    assert near == far == pytest.approx([0.8 * max(weight, 1 - weight) + 0.2], abs=2e-6)
    assert together == [1]


def test_the_share_of_the_sentence_can_be_set() -> None:
    pyramid, apart = (
        pyramid_of((BOATS,)),
        Summary("P", "The council met. Motor boats are gone. Some were banned.", "peer"),
    )
    shares = (0.0, 0.5, 1.0)
    whole, half, alone = (soft(pyramid, apart, sentence=share).probabilities[0][1] for share in shares)
    assert whole > alone
    assert half == pytest.approx((whole + alone) / 2, abs=1e-6)
    assert soft(pyramid, apart).probabilities == soft(pyramid, apart, sentence=SENTENCE).probabilities
    with pytest.raises(PyramidionError, match="share"):
        soft(pyramid, apart, sentence=1.5)


def test_figures_count_only_as_themselves() -> None:
    pyramid = pyramid_of(("1999",), ("b2b",), ("19",))
    assert strengths(pyramid, "2000 b2c 20") == [0, 0, 0]
    assert strengths(pyramid, "In 1999, b2b.") == [1, 1, 0]


OTHER_SCRIPTS = {
    "Cyrillic": ("Община запретила лодки", "Рыба вернулась"),
    "Greek": ("δήμος απαγόρευσε βάρκες", "Επέστρεψαν ψάρια"),
    "Chinese": ("市议会禁止摩托艇", "鱼回来了"),
    "Thai, without spaces and unknown to the table": ("สภาเมืองห้ามเรือยนต์", "ปลากลับมา"),
    "Amharic, unknown to the table": ("ምክር ቤቱ ጀልባዎችን ከለከለ", "ዓሳ ተመለሰ"),
    "Devanagari": ("परिषद ने नावों पर रोक लगाई", "मछलियाँ लौट आईं"),
    "French accents": ("été là-bas où", "forêt brûlée"),
}


@pytest.mark.parametrize("script", OTHER_SCRIPTS)
def test_words_of_other_scripts_count_only_as_themselves(script: str) -> None:
    one, other = OTHER_SCRIPTS[script]
    pyramid = pyramid_of((one,), (other,))
    found = probabilities(pyramid, f"{one}. ")
    assert found[0] == 1
    assert found[1] < 0.5


def test_the_same_letters_in_another_encoding_are_the_same_word() -> None:
    pyramid = pyramid_of(("caf\u00e9",), ("stra\u00dfe",), ("banned",), ("soft",))
    assert strengths(pyramid, "CAFE\u0301 STRASSE ban\x00ned so\u00adft") == [1, 1, 1, 1]


def test_words_too_long_for_the_table_are_not_all_alike() -> None:
    pyramid = pyramid_of(("a" * 150,), ("b" * 150,))
    assert strengths(pyramid, "a" * 150) == [1, 0]


BAD = {
    "nothing": "",
    "blanks": " \n\t ",
    "punctuation": "?! ... --",
    "one word": "Boats",
    "no verb": "Motor boats, manure and a great many frogs.",
    "control characters": "The council\x00 banned\x07 motor\x1b boats.\r\n\x0c\x85The lake\ufeff had lost its fish.",
    "a lone surrogate": "The council banned \ud800 motor b\udfffoats.",
    "no word that the table knows": "⠿⠿⠿ \U0001f6a4\U0001f41f ½½ ᠮᠣᠩ",
    "a word of 5,000 letters": "council" * 714,
}


@pytest.mark.parametrize("name", BAD)
def test_bad_peers_get_a_sensible_result(name: str) -> None:
    pyramid = pyramid_of((BOATS, BAD[name] or "!"), (FISH,), (BAD[name],))
    check(pyramid, Summary("P", BAD[name], "peer"), 0.5)
    if name in ("nothing", "blanks", "punctuation"):
        found = soft(pyramid, Summary("P", BAD[name], "peer"))
        assert found.size == 0
        assert [one for _, one in found.probabilities] == [0, 0, 0]


def check(pyramid: Pyramid, peer: Summary, threshold: float) -> Annotation:
    """Assert what holds of every result: see the comments."""
    found = soft(pyramid, peer, threshold=threshold)
    found.check(pyramid)
    # A probability, from 0 to 1, of every SCU.
    believed = dict(found.probabilities)
    assert [scu.id for scu in pyramid.scus] == list(believed)
    assert all(0 <= one <= 1 for one in believed.values())
    # A match, once, exactly where it reaches the threshold, and as sure.
    assert sorted(match.scu for match in found.matches) == sorted(
        scu for scu, one in believed.items() if one >= threshold
    )
    assert all(match.score == believed[match.scu] for match in found.matches)
    # Every segment of the finest segmentation is a match's place or unmatched.
    finest = [sentence[:2][-1] for sentence in segmented(peer.text).sentences]
    every = {(number, place) for number, segments in enumerate(finest) for place in range(len(segments))}
    places: list[set[tuple[int, int]]] = []
    both: tuple[Sequence[Match | Contributor], ...] = (found.matches, found.unmatched)
    for units in both:
        ids = [parse_segment_id(unit.segment) for unit in units]
        assert all(
            id and id[0] == 0 and unit.spans == finest[id[1]][id[3]].spans for id, unit in zip(ids, units, strict=True)
        )
        assert [unit.spans for unit in units] == sorted(unit.spans for unit in units)
        places.append({(id[1], id[3]) for id in ids if id})
    assert places[0] | places[1] == every
    assert not places[0] & places[1]
    assert len(places[1]) == len(found.unmatched)
    assert soft(pyramid, peer, threshold=threshold) == found
    return found


@settings(max_examples=50)
@given(pyramids(), TEXTS, st.sampled_from([0.01, 0.3, 0.5, 1.0]))
def test_any_pyramid_and_any_text(pyramid: Pyramid, text: str, threshold: float) -> None:
    check(pyramid, Summary("P", text, "peer"), threshold)


WORDS = st.lists(
    st.sampled_from(
        [
            "boat",
            "boats",
            "lake",
            "fish",
            "ban",
            "banned",
            "council",
            "the",
            "of",
            "1999",
            "7",
            "лодки",
            "frog",
            "water",
            "run",
        ]
    ),
    min_size=1,
    max_size=8,
).map(" ".join)
SCUS = st.lists(st.lists(WORDS, min_size=1, max_size=3).map(tuple), min_size=1, max_size=4)


@given(SCUS, st.lists(WORDS, min_size=1, max_size=5), WORDS)
def test_more_text_anywhere_never_lowers_the_evidence(said: list[tuple[str, ...]], text: list[str], more: str) -> None:
    pyramid = pyramid_of(*said)
    before = np.array(strengths(pyramid, *text))
    for place in range(len(text) + 1):
        assert (np.array(strengths(pyramid, *text[:place], more, *text[place:])) >= before - 1e-9).all()


@given(SCUS, st.lists(WORDS, min_size=2, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_sentences_changes_no_evidence(said: list[tuple[str, ...]], text: list[str], random) -> None:  # type: ignore[no-untyped-def]
    pyramid = pyramid_of(*said)
    shuffled = random.sample(text, len(text))
    assert strengths(pyramid, *shuffled) == pytest.approx(strengths(pyramid, *text), abs=1e-9, rel=0)


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, cut by rules alone."""
    spans = [[span for segment in one[0] for span in segment.spans] for one in segmented(text, "unicode").sentences]
    return [text[one[0].start : one[-1].end] for one in spans]


def believed(pyramid: Pyramid, sentences: Sequence[str]) -> np.ndarray:
    """The probabilities of a summary of these sentences, which are its own."""
    text = " ".join(sentences)
    assert sentences_of(text) == list(sentences)
    found = soft(pyramid, Summary("P", text, "peer"), analyser="unicode")
    return np.array([one for _, one in found.probabilities])


def long_texts(topic: Topic) -> tuple[Pyramid, list[str], list[str]]:
    """A pyramid, and the sentences of all its peers and of all its sources that end in a full stop."""
    assert topic.pyramid
    peers, sources = (
        [one for text in texts for one in sentences_of(text.text) if one.endswith(".")]
        for texts in (topic.peers, topic.sources)
    )
    return topic.pyramid, peers, sources


@settings(max_examples=10)
@given(st.randoms(use_true_random=False))
@pytest.mark.parametrize("number", [0, 1])
def test_the_order_of_a_long_summary_s_sentences_changes_no_probability(number: int, random) -> None:  # type: ignore[no-untyped-def]
    pyramid, peers, sources = long_texts(example()[number])
    for sentences in (peers, sources, [*peers, *sources]):
        assert len(" ".join(sentences).split()) > 450
        before = believed(pyramid, sentences)
        assert before.max() - before.min() > 0.3
        shuffled = believed(pyramid, random.sample(sentences, len(sentences)))
        assert np.abs(shuffled - before).max() <= 1e-9


@pytest.mark.parametrize("number", [0, 1])
def test_text_added_to_a_long_summary_never_lowers_a_probability(number: int) -> None:
    pyramid, peers, sources = long_texts(example()[number])
    sentences = [*peers, *sources]
    order = Random(0).sample(range(len(sentences)), len(sentences))
    before = np.zeros(len(pyramid.scus))
    for size in range(5, len(sentences), 5):  # new ones come between those that are there
        after = believed(pyramid, [sentences[place] for place in sorted(order[:size])])
        assert (after >= before - 1e-9).all()
        before = after


@given(SCUS, st.lists(WORDS, min_size=1, max_size=3), st.randoms(use_true_random=False))
def test_no_order_and_no_name_changes_anything(said: list[tuple[str, ...]], text: list[str], random) -> None:  # type: ignore[no-untyped-def]
    pyramid = pyramid_of(*said)
    names = dict(zip("ABCDE", random.sample("VWXYZ", 5), strict=True))
    scus = [
        SCU(scu.id, scu.label, tuple(Contributor(names[one.summary], label=one.label) for one in contributors))
        for scu in pyramid.scus
        for contributors in [random.sample(scu.contributors, len(scu.contributors))]
    ]
    random.shuffle(scus)
    turned = Pyramid("toy", tuple(Summary(id, "") for id in random.sample("VWXYZ", 5)), tuple(scus))

    def by_id(one: Pyramid, found: Evidence) -> dict[str, tuple[float, int, int]]:
        rows = zip(found.strengths.tolist(), found.sentences.tolist(), found.segments.tolist(), strict=True)
        return dict(zip((scu.id for scu in one.scus), rows, strict=True))

    peer = in_sentences(*text)
    assert by_id(pyramid, evidence(pyramid, *peer)) == by_id(turned, evidence(turned, *peer))


def test_the_summary_may_have_any_name() -> None:
    pyramid = pyramid_of((BOATS, "Motor boats are not allowed."), (FISH,))
    text = "No motor boats are allowed, since all fish had died. I like chess."
    one, two = (soft(pyramid, Summary(id, text, "peer")) for id in ("a", "b"))
    assert (one.matches, one.probabilities) == (two.matches, two.probabilities)


def test_a_copy_of_a_reference_of_top_tier_content_is_believed_and_has_quality_1() -> None:
    texts = {"A": f"{BOATS} {FISH} {MANURE}", "B": f"{MANURE} {BOATS} Tickets cost more. {FISH}"}
    scus = tuple(
        SCU(
            str(number),
            said,
            tuple(
                Contributor(id, (Span(start, start + len(said)),))
                for id, text in texts.items()
                if (start := text.find(said)) >= 0
            ),
        )
        for number, said in enumerate((BOATS, FISH, MANURE, "Tickets cost more."), start=1)
    )
    pyramid = Pyramid("t", tuple(Summary(id, text) for id, text in texts.items()), scus)
    found = soft(pyramid, Summary("P", texts["A"], "peer"))
    believed = dict(found.probabilities)
    assert [believed[id] for id in "123"] == [1, 1, 1]
    assert believed["4"] < 0.5
    assert found.unmatched == ()
    assert scores(pyramid, found).quality == 1


def test_an_scu_that_two_sentences_share_is_likely_and_stands_in_the_better_one() -> None:
    (found,) = probabilities(
        pyramid_of(("The council banned motor boats in the spring.",)), f"{BOATS} That was in spring."
    )
    assert 0.7 < found < 1


def test_text_off_the_topic_expresses_nothing() -> None:
    pyramid = pyramid_of((BOATS,), (FISH,), (MANURE,))
    found = soft(pyramid, Summary("P", "My uncle plays chess. He likes old films because they are quiet.", "peer"))
    assert found.matches == ()
    assert max(one for _, one in found.probabilities) < 0.25


def test_labels_are_read_where_nobodys_words_are_known_and_nothing_is_believed_without_any() -> None:
    references = (Summary("A", " "),)
    scus = (SCU("1", BOATS, (Contributor("A"),)), SCU("2", "", (Contributor("A", (Span(0, 1),)),)))
    assert probabilities(Pyramid("t", references, scus), BOATS) == [1, 0]


def test_a_pyramid_without_scus_matches_nothing() -> None:
    found = soft(Pyramid("t", (Summary("A", "Text."),), ()), Summary("P", "He came because she called.", "peer"))
    assert (found.matches, len(found.unmatched), found.probabilities) == ((), 2, ())


@pytest.mark.parametrize("threshold", [0, -1, 1.5, nan])
def test_a_threshold_is_a_probability(threshold: float) -> None:
    with pytest.raises(PyramidionError, match="give a probability above 0, up to 1"):
        soft(pyramid_of((BOATS,)), Summary("P", BOATS, "peer"), threshold=threshold)


def test_it_is_registered_and_takes_its_settings_by_name() -> None:
    assert MATCHERS["soft"] is soft
    with pytest.raises(PyramidionError, match="no analyser 'nothing'"):
        soft(pyramid_of((BOATS,)), Summary("P", BOATS, "peer"), analyser="nothing")


def test_ten_thousand_words_need_little_memory() -> None:
    # Every word with every other, 2,000 x 10,000, would take 160 MB; the vectors take 20.
    sentences = [" ".join(f"boat{number * 50 + word}" for word in range(50)) for number in range(200)]
    pyramid = pyramid_of(*((sentence,) for sentence in sentences[:40]))
    text, cut = in_sentences(*sentences)
    evidence(pyramid_of((BOATS,)), *in_sentences(BOATS))  # reads the table
    tracemalloc.start()
    found = evidence(pyramid, text, cut)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (found.strengths == 1).all()
    assert found.sentences.tolist() == list(range(40))
    assert peak < 100e6


@pytest.mark.data
def test_pyramids_of_people_work_too(data: Path) -> None:
    # Discontinuous, overlapping and repeated contributors; the peers that came with them.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        topics = list(chain.from_iterable(ducview.load(path) for path in sorted((data / "ducview").glob("*.pan"))))
    for topic in topics:
        assert topic.pyramid
        for peer in topic.peers:
            check(topic.pyramid, peer, 0.5)


@given(st.text(st.characters(codec="ascii"), max_size=60))
def test_plain_text_has_the_words_of_the_tokenizer(text: str) -> None:
    starts, forms = words(text)
    spans, _ = load().words(text)
    kept = [span for span in spans if any(map(str.isalnum, span.of(text)))]
    if text.isprintable():
        assert starts == [span.start for span in kept]
        assert forms == [span.of(text).lower() for span in kept]


@given(
    st.lists(
        st.sampled_from(
            [
                "boats",
                "\u00a35",
                "caf\u00e9s,",
                "e\u0301t\u00e9",
                "",
                "(it)",
                "\u5e02\u8bae",
                "\u00bd",
                "a\u00a0b",
                "x\ty",
            ]
        )
    )
)
def test_plain_stretches_between_others_have_the_same_words(pieces: list[str]) -> None:
    text = " ".join(pieces)
    assert words(text) == vocabulary._tokenize(text)


def test_words_met_before_have_the_same_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = Vocabulary.of(["lake", "fish", "12", "schnurzel"])
    again = Vocabulary.of(["fish", "boat", "lake", "schnurzel", "12"])
    for form, number in fresh.numbers.items():
        assert np.array_equal(fresh.directions[number], again.directions[again.numbers[form]])
        assert fresh.lengths[number] == again.lengths[again.numbers[form]]
    monkeypatch.setattr(vocabulary, "MOST_KNOWN", 3)
    monkeypatch.setattr(vocabulary, "_KNOWN", vocabulary._Known())
    assert np.array_equal(Vocabulary.of(fresh.numbers).directions, fresh.directions)
    assert np.array_equal(Vocabulary.of(["lake"]).directions[0], fresh.directions[fresh.numbers["lake"]])
