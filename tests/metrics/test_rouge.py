"""ROUGE by hand, by its invariants, and against ROUGE-1.5.5 itself."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.errors import ModelError
from pyramidion.language.text.porter import porter, stem
from pyramidion.metrics import Rouge, RougeScore
from pyramidion.metrics._lcs import common_length, common_positions, occurrences, weighted_positions
from pyramidion.metrics.rouge import split_words
from pyramidion.signature import Signature

METRICS = ["1", "2", "3", "4", "L", "W", "S4", "SU4"]
SYMMETRIC = ["1", "2", "3", "4", "S4", "SU4"]
sentences = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), min_size=5, max_size=12).map(" ".join)
texts = st.lists(sentences, min_size=1, max_size=3).map("\n".join)
settings = st.builds(
    Rouge,
    st.sampled_from(METRICS),
    stem=st.booleans(),
    tokens=st.sampled_from(["rouge155", "unicode"]),
    references=st.sampled_from(["average", "best", "jackknife"]),
    level=st.sampled_from(["summary", "sentence"]),
    variant=st.sampled_from(["rouge155", "lin2004"]),
)


# Lin 2004, §3.1 and §5.1: S1 is the reference, S2 to S4 are candidates.
S1, S2, S3 = "police killed the gunman", "police kill the gunman", "the gunman kill police"


def test_lcs_of_the_papers_example() -> None:
    assert Rouge("L").score(S2, [S1]).f == 3 / 4
    assert Rouge("L").score(S3, [S1]).f == 2 / 4


def test_skip_bigrams_of_the_papers_example() -> None:
    assert Rouge("S4").score(S2, [S1]).f == pytest.approx(3 / 6)
    assert Rouge("S4").score(S3, [S1]).f == pytest.approx(1 / 6)
    assert Rouge("S4").score("the gunman police killed", [S1]).f == pytest.approx(2 / 6)


def test_union_lcs_of_the_papers_example() -> None:
    """§3.2: w1 w2 of one sentence and w1 w3 w5 of the other unite to w1 w2 w3 w5, 4 of 5 words."""
    assert Rouge("L").score("w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5", ["w1 w2 w3 w4 w5"]).recall == 4 / 5


def test_a_line_is_a_sentence_at_summary_level_only() -> None:
    reference, candidate = "a b\nc d", "c d\na b"
    assert Rouge("L").score(candidate, [reference]).recall == 1
    assert Rouge("L", level="sentence").score(candidate, [reference]).recall == 2 / 4


def test_w_prefers_runs_as_in_the_paper() -> None:
    """§4: both have an LCS of 4 words, but only Y1's are in a row; f(k) = k^2 gives 4/7 and 2/7."""
    rouge = Rouge("W", weight=2, variant="lin2004")
    assert rouge.score("a b c d h i k", ["a b c d e f g"]).recall == pytest.approx(4 / 7)
    assert rouge.score("a h b k c i d", ["a b c d e f g"]).recall == pytest.approx(2 / 7)


def test_w_of_the_program_weights_the_reference_twice() -> None:
    score = Rouge("W").score("a b c", ["a b c"])
    assert score.precision == pytest.approx(1)
    assert score.recall == pytest.approx((3**1.2 / (3**1.2) ** 1.2) ** (1 / 1.2))


def test_su_of_the_program_leaves_out_the_last_word() -> None:
    """a b against a c: pairs ab, ac; words a, b and a, c, of which the program counts only a and a."""
    assert Rouge("SU4").score("a b", ["a c"]).recall == 1 / 2
    assert Rouge("SU4", variant="lin2004").score("a b", ["a c"]).recall == 1 / 3


def test_several_references() -> None:
    """Hits 1 of 2 and 3 of 3, candidate 3 words."""
    candidate, references = "a b c", ["a x", "a b c"]
    assert Rouge("1").score(candidate, references)[:2] == (4 / 5, 4 / 6)
    assert Rouge("1", references="best").score(candidate, references) == (1, 1, 1)
    assert Rouge("1", references="jackknife").score(candidate, references).recall == (1 + 1 / 2) / 2


def test_alpha_weighs_recall_against_precision() -> None:
    assert Rouge("1", alpha=1).score("a b", ["a b c d"]).f == 1
    assert Rouge("1", alpha=0).score("a b", ["a b c d"]).f == 1 / 2


def test_stop_words_are_left_out_before_stemming() -> None:
    assert Rouge("1", stem=True, stop_words=frozenset({"going"})).score("going", ["going"]).f == 0
    assert Rouge("1", stem=True, stop_words=frozenset({"go"})).score("going", ["went"]).f == 1
    assert split_words("the walking", stem=True, stop_words=frozenset({"the"})) == ["walk"]


def test_other_scripts_score_with_unicode_words_only() -> None:
    for text in ("Мама мыла раму", "東京に行く", "हिन्दी में पाठ"):
        assert Rouge("1").score(text, [text]).f == 0
        assert Rouge("1", tokens="unicode").score(text, [text]).f == 1
    assert split_words("हिन्दी में", "unicode") == ["हिन्दी", "में"]


@pytest.mark.parametrize(
    ("word", "expected"),
    # Porter 1980, the examples at each step, with what the later steps leave of them.
    {
        "feed": "feed", "agreed": "agre", "plastered": "plaster", "motoring": "motor", "sing": "sing", "falling": "fall",
        "hissing": "hiss", "filing": "file", "happy": "happi", "sky": "sky", "hopefulness": "hope", "formalize": "formal",
        "replacement": "replac", "adoption": "adopt", "controll": "control", "roll": "roll", "rate": "rate",
        "cease": "ceas", "yes": "ye",
    }.items(),
)  # fmt: skip
def test_porters_examples(word: str, expected: str) -> None:
    assert porter(word) == expected


def test_irregular_forms_come_before_the_rules_and_after_the_length() -> None:
    assert (stem("went"), stem("better"), stem("ran"), stem("men")) == ("go", "good", "ran", "men")


def test_an_empty_candidate_scores_nothing_and_no_reference_is_an_error() -> None:
    for metric in METRICS:
        assert Rouge(metric).score("", ["a b c"]) == RougeScore(0, 0, 0)
        assert Rouge(metric).score("a b c", [""]) == RougeScore(0, 0, 0)
    with pytest.raises(ModelError, match="no reference"):
        Rouge("1").score("a", [])
    with pytest.raises(ModelError, match="a single string"):
        Rouge("1").score("a", "a")
    with pytest.raises(ModelError, match="2 candidates"):
        Rouge("1").scores(["a", "b"], [["a"]])


@pytest.mark.parametrize(
    "wrong", [{"metric": "X"}, {"metric": "0"}, {"alpha": 2.0}, {"weight": 0.5}, {"level": "word"}]
)
def test_wrong_settings_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ModelError):
        Rouge(**wrong)  # type: ignore[arg-type]


def test_settings_hash_and_fit_a_signature() -> None:
    rouge = Rouge("rouge-w", stop_words=frozenset({"the"}))
    assert {rouge: 1}[Rouge("W", stop_words=frozenset({"the"}))] == 1
    signature = Signature("metric", rouge.parameters)
    assert Signature.parse(str(signature)) == signature
    assert str(rouge) in str(signature)


@given(settings, st.text(), st.lists(st.text(), min_size=1, max_size=3))
def test_any_text_scores_between_0_and_1(rouge: Rouge, candidate: str, references: list[str]) -> None:
    assert all(0 <= value <= 1 + 1e-12 for value in rouge.score(candidate, references))


@given(settings, texts, st.lists(texts, min_size=1, max_size=4))
def test_close_texts_score_between_0_and_1_in_any_order(rouge: Rouge, candidate: str, references: list[str]) -> None:
    score = rouge.score(candidate, references)
    assert all(0 <= value <= 1 + 1e-12 for value in score)
    assert rouge.score(candidate, references[::-1]) == score


@given(st.sampled_from(METRICS), sentences)
def test_a_text_scores_1_against_itself(metric: str, text: str) -> None:
    assert Rouge(metric, variant="lin2004").score(text, [text]) == pytest.approx((1, 1, 1))
    if metric != "W":
        assert Rouge(metric).score(text, [text]) == (1, 1, 1)


@given(st.sampled_from(SYMMETRIC), texts, texts)
def test_exchanging_the_texts_exchanges_recall_and_precision(metric: str, one: str, other: str) -> None:
    there, back = Rouge(metric).score(one, [other]), Rouge(metric).score(other, [one])
    assert there == pytest.approx((back.precision, back.recall, back.f))


@given(st.sampled_from(["L", "W"]), texts, texts)
def test_sequences_exchange_too_when_a_text_is_one_sequence(metric: str, one: str, other: str) -> None:
    rouge = Rouge(metric, level="sentence", variant="lin2004")
    there, back = rouge.score(one, [other]), rouge.score(other, [one])
    assert there == pytest.approx((back.precision, back.recall, back.f))


@given(sentences, sentences)
def test_bit_vectors_find_what_the_table_finds(one: str, other: str) -> None:
    """With weight 1 the weighted table is the plain one, walked step by step."""
    first, second = one.split(), other.split()
    bits = occurrences(first)
    found = common_positions(bits, len(first), second)
    assert found == weighted_positions(first, second, 1)
    assert common_length([bits.get(word, 0) for word in second], len(first)) == len(found)


def units(rouge: Rouge, text: str) -> Counter[tuple[str, ...]]:
    """The units of a text as Lin 2004 defines them, one after the other."""
    words = [
        word for line in text.split("\n") for word in split_words(line, rouge.tokens, rouge.stem, rouge.stop_words)
    ]
    if rouge.metric.isdigit():
        n = int(rouge.metric)
        return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))
    apart = int(rouge.metric.lstrip("SU")) + 1
    found: Counter[tuple[str, ...]] = Counter((a, b) for i, a in enumerate(words) for b in words[i + 1 : i + 1 + apart])
    if rouge.metric.startswith("SU"):
        found.update((word,) for word in (words if rouge.variant == "lin2004" else words[:-1]))
    return found


def slowly(rouge: Rouge, candidate: str, references: list[str]) -> tuple[float, float]:
    """Recall and precision, references averaged."""
    matches = [(units(rouge, reference), units(rouge, candidate)) for reference in references]
    hits = sum((reference & own).total() for reference, own in matches)
    recall, precision = (hits / max(sum(pair[side].total() for pair in matches), 1) for side in (0, 1))
    return recall, precision


counted = st.builds(
    Rouge,
    st.sampled_from(["1", "2", "3", "4", "7", "S0", "S4", "SU0", "SU2", "SU4", "SU999"]),
    stem=st.booleans(),
    stop_words=st.sampled_from([frozenset(), frozenset({"a", "c"})]),
    variant=st.sampled_from(["rouge155", "lin2004"]),
)
any_texts = texts | st.sampled_from(["", "a", "\n\n", "a b", "b\na", "going went go", "x y z"])
corpora = st.lists(st.tuples(any_texts, st.lists(any_texts, min_size=1, max_size=3)), max_size=6)


@given(counted, corpora)
def test_a_corpus_at_once_scores_as_the_definition_says(rouge: Rouge, corpus: list[tuple[str, list[str]]]) -> None:
    found = rouge.scores([candidate for candidate, _ in corpus], [own for _, own in corpus])
    assert [one[:2] for one in found] == [slowly(rouge, *pair) for pair in corpus]


@given(settings, corpora)
def test_a_corpus_at_once_scores_as_one_by_one(rouge: Rouge, corpus: list[tuple[str, list[str]]]) -> None:
    candidates, references = [candidate for candidate, _ in corpus], [own for _, own in corpus]
    assert rouge.scores(candidates, references) == [rouge.score(*pair) for pair in corpus]


def test_a_corpus_in_portions_scores_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    candidates, references = ["a b", "b c d", "", "a"] * 3, [["a b c"], ["d", "b c"], ["a"], ["b", "a", "a a"]] * 3
    for metric in METRICS:
        whole = Rouge(metric).scores(candidates, references)
        with monkeypatch.context() as patch:
            patch.setattr(sys.modules["pyramidion.metrics.rouge"], "PORTION", 5)
            assert Rouge(metric).scores(candidates, references) == whole


@given(st.lists(st.sampled_from("abcd"), max_size=12), st.lists(st.sampled_from("abcd"), max_size=12))
def test_l_of_one_line_is_the_lcs(one: list[str], other: list[str]) -> None:
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            table[i + 1][j + 1] = table[i][j] + 1 if a == b else max(table[i][j + 1], table[i + 1][j])
    score = Rouge("L").score(" ".join(one), [" ".join(other)])
    assert score[:2] == (table[-1][-1] / max(len(other), 1), table[-1][-1] / max(len(one), 1))


def test_w_with_best_takes_the_reference_that_the_program_takes() -> None:
    """ROUGE-1.5.5 looks for the most hits for f(m), but divides the hits of what it found by f(f(m)).

    Of a reference of 10 words 6 are said in a run: hits / f(10) = 6^1.2 / 10^1.2 = .542. Of one of 2 words 1 is said:
    1 / 2^1.2 = .435. The first is taken. Its recall is f^-1(6^1.2 / f(10^1.2)) = 6 / 10^1.2 = .379, less than the
    second's 1 / 2^1.2 = .435, which the paper's rule would take.
    """
    candidate = "a b c d e f"
    references = ["z a", "a b c d e f u v w x"]
    for order in (references, references[::-1]):
        best = Rouge("W", references="best").score(candidate, order)
        assert best == Rouge("W").score(candidate, [references[1]])
        assert best.recall == pytest.approx(6 / 10**1.2)
        assert best.recall < Rouge("W").score(candidate, [references[0]]).recall == pytest.approx(1 / 2**1.2)
        left_out = Rouge("W", references="jackknife").score(candidate, order)
        assert left_out.recall == pytest.approx((6 / 10**1.2 + 1 / 2**1.2) / 2)
    of_paper = Rouge("W", references="best", variant="lin2004")
    assert of_paper.score(candidate, references).recall == pytest.approx(0.6)


def as_given_to_rouge155(text: str) -> str:
    """What ROUGE-1.5.5 read: the texts went in as its SEE format, whose reader ends a sentence at the first ``<``."""
    return "\n".join(line.split("<")[0] for line in text.split("\n"))


def rows_of(path: Path, option: str) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return [row for row in csv.DictReader(file) if row["options"] == option]


@pytest.mark.data
@pytest.mark.parametrize("option", ["plain", "stem"])
def test_every_digit_of_rouge155_on_the_student_summaries(data: Path, option: str) -> None:
    folder = data / "cc-students"
    references = [as_given_to_rouge155(path.read_text("utf-8")) for path in sorted(folder.glob("references/*"))]
    rows = rows_of(data / "rouge155" / "cc-students.csv", option)
    for row in rows:
        (peer,) = folder.glob(f"peers/{row['peer']}_*")
        score = Rouge(row["metric"], stem=option == "stem").score(
            as_given_to_rouge155(peer.read_text("utf-8")), references
        )
        assert score.printed() == (row["recall"], row["precision"], row["f1"]), row
    assert len(rows) == 90


@pytest.mark.data
@pytest.mark.parametrize("option", ["plain", "stem"])
def test_every_digit_of_rouge155_on_realsumm(data: Path, option: str) -> None:
    rows = rows_of(data / "rouge155" / "realsumm.csv", option)
    assert len(rows) == 1200
    references = (data / "realsumm" / "references.txt").read_text("utf-8").splitlines()
    for row in rows:
        summaries = (data / "realsumm" / "summaries" / f"{row['system']}.summary").read_text("utf-8").splitlines()
        line = int(row["line"]) - 1
        reference = references[line].replace("<t>", " ").replace("</t>", " ")
        score = Rouge(row["metric"], stem=option == "stem").score(summaries[line], [reference])
        assert score.printed() == (row["recall"], row["precision"], row["f1"]), row
