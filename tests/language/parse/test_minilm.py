"""The embedded model from raw text: what it gives, that nothing breaks it, and that nothing but the text decides."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyramidion.errors import MissingPartError
from pyramidion.language import ROOT, Analysis, LanguageError, analyse
from pyramidion.language.parse.clauses import segmentations
from pyramidion.language.parse.edus import edus
from pyramidion.language.parse.minilm import MOST_WORDS, minilm
from pyramidion.language.text.words import split_words
from pyramidion.language.vectors.minilm import Minilm
from tests.language.parse.test_clauses import FIGURE_3

SENTENCES = "The council fined the company, which had polluted the lake. It didn't pay until 2019."


def relations(analysis: Analysis) -> set[tuple[str, str, str]]:
    words = analysis.words
    return {(word.form, word.relation, "ROOT" if word.head == ROOT else words[word.head].form) for word in words}


def test_sentences_words_tags_lemmas_and_trees() -> None:
    analysis = analyse(SENTENCES)
    assert [span.of(SENTENCES) for span in analysis.sentence_spans()] == [
        "The council fined the company, which had polluted the lake.",
        "It didn't pay until 2019.",
    ]
    assert relations(analysis) >= {
        ("council", "nsubj", "fined"),
        ("fined", "root", "ROOT"),
        ("company", "obj", "fined"),
        ("polluted", "acl:relcl", "company"),
        ("n't", "advmod", "pay"),
        ("2019", "obl", "pay"),
    }
    lemmas = {word.form: (word.lemma, word.upos, word.xpos) for word in analysis.words}
    assert lemmas["fined"] == ("fine", "VERB", "VBD")
    assert lemmas["n't"] == ("not", "PART", "RB")


def test_discourse_units() -> None:
    assert [span.of(SENTENCES) for span in edus(analyse(SENTENCES))] == [
        "The council fined the company,",
        "which had polluted the lake.",
        "It didn't pay until 2019.",
    ]


NASTY = {
    "nothing": "",
    "white space": " \n\t ",
    "one word": "Yes",
    "control characters": "a\x00b \x07 c\x1b[0m.",
    "emoji": "I \U0001f600 love \U0001f468\u200d\U0001f469\u200d\U0001f467 it!",
    "mixed scripts": "The \u65e5\u672c\u8a9e word \u043c\u0438\u0440 means peace.",
    "right to left": "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd. \u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645.",
    "html": "<p>It is <b>bold</b> &amp; new.</p><script>alert('x')</script>",
    "capitals": "THE MAYOR SAID THAT THE BRIDGE WOULD CLOSE. NOBODY CHEERED.",
    "no punctuation": "the mayor said that the bridge would close nobody cheered when they heard it",
    "lone surrogates": "It \ud800 broke \udfff here.",
    "dots": "." * 3000,
    "one endless word": "a" * 5000,
    "a list": "- milk\n- bread\n- eggs\n\n1. One\n2. Two",
}


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_nothing_breaks_it(text: str) -> None:
    check(analyse(text))


@settings(max_examples=60)
@given(st.text(max_size=200))
def test_offsets_are_right_for_any_text(text: str) -> None:
    check(analyse(text))


def check(analysis: Analysis) -> None:
    """Offsets slice the words, words and gaps rebuild the text, units cover every word, trees are trees."""
    text, words = analysis.text, analysis.words
    assert [text[word.start : word.end] for word in words] == [word.form for word in words]
    gaps = [
        text[a:b] for a, b in pairwise([0, *(edge for word in words for edge in (word.start, word.end)), len(text)])
    ][::2]
    assert all(not gap.strip() for gap in gaps)
    assert sum(last - first for first, last in analysis.edus) == len(words)
    if not analysis.parsed:
        return
    for first, last in analysis.sentences:
        assert [word.head for word in words[first:last]].count(ROOT) == 1
        for index in range(first, last):
            steps = 0
            while index != ROOT:
                index, steps = words[index].head, steps + 1
                assert steps <= last - first
    for sentence, ways in zip(analysis.sentences, segmentations(analysis), strict=True):
        for way in ways:
            assert {word for segment in way for word in segment.words} == set(range(*sentence))


def test_a_sentence_of_two_thousand_words_and_a_paragraph_of_many_more() -> None:
    check(analyse("he said that " * 700))
    long = analyse("The cat sat on the mat and the dog barked. " * 400)
    assert len(long.words) == 4400
    assert len(long.sentences) == 400


def test_windows_end_where_sentences_do() -> None:
    text = "The cat sat on the mat. " * 100
    words = split_words(text)
    for first, last in minilm().windows(text, words):
        assert last - first <= MOST_WORDS
        assert text[words[last - 1][0]] == "."


@pytest.mark.parametrize(
    "text",
    [
        "Der Stadtrat hat beschlossen, dass die Br\u00fccke gesperrt wird, weil sie nicht mehr sicher ist und niemand zahlen will.",
        "\u5e02\u8bae\u4f1a\u51b3\u5b9a\u5173\u95ed\u5927\u6865\u3002\u6ca1\u6709\u4eba\u6b22\u547c\u3002",
    ],
)
def test_other_languages_get_words_and_sentences_and_an_honest_error(text: str) -> None:
    analysis = analyse(text)
    assert analysis.words
    assert not analysis.parsed
    with pytest.raises(
        LanguageError, match="needs an English parse, and .* has none; use a method that needs no parse"
    ):
        segmentations(analysis)


def test_the_same_text_gives_the_same_analysis_whatever_was_analysed_before() -> None:
    first = analyse(SENTENCES)
    analyse("Something else entirely, and much longer than what stood here before it was read.")
    assert analyse(SENTENCES) == first


def test_threads_do_not_matter() -> None:
    code = (
        "from pyramidion.language import analyse; from pyramidion.language.parse import conllu; import sys\n"
        f"from pyramidion.language.vectors.minilm import load; print(conllu.dumps(analyse({SENTENCES!r})), load()([{SENTENCES!r}]).tobytes().hex())"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYRAMIDION_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    }
    assert len(printed) == 1


def test_vectors_are_of_unit_length_and_independent_of_their_neighbours() -> None:
    embed = Minilm()
    texts = ["The cat sat on the mat.", "", "A feline rested on a rug.", "Interest rates rose sharply."]
    matrix = embed(texts)
    assert np.allclose(np.linalg.norm(matrix, axis=1), [1, 0, 1, 1], atol=1e-5)
    assert np.array_equal(embed([texts[2]])[0], matrix[2])
    paraphrase, unrelated = matrix[0] @ matrix[2], matrix[0] @ matrix[3]
    assert paraphrase > unrelated + 0.3


def test_vectors_of_words_in_context() -> None:
    spans, matrix = Minilm().tokens("The bank raised rates.")
    assert [span.of("The bank raised rates.") for span in spans] == ["The", "bank", "raised", "rates", "."]
    assert matrix.shape == (5, 384)


def test_figure_3_through_the_embedded_model(analyse: Callable[[str], Analysis]) -> None:
    """The raw sentence gives what its gold tree gives, which is what the paper prints (``test_clauses.py``)."""
    parsed = analyse(FIGURE_3.text)
    (found,), (printed,) = segmentations(parsed), segmentations(FIGURE_3)
    assert [[one.text(parsed) for one in way] for way in found] == [
        [one.text(FIGURE_3) for one in way] for way in printed
    ]
    assert [len(way) for way in found] == [1, 3, 2, 2]


def test_import_to_first_parse_loads_neither_torch_nor_spacy() -> None:
    code = "from pyramidion.language import analyse; analyse('Cats sleep.'); import sys; print('\\n'.join(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"torch", "spacy", "transformers", "sentence_transformers"} & set(loaded)


@pytest.mark.parametrize("threads", ["abc", "", "-3", "0"])
def test_a_number_of_threads_that_is_none(threads: str) -> None:
    code = "from pyramidion.cli import main; main(['parse', '-'])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYRAMIDION_THREADS": threads},
        input="Cats sleep.",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"error: PYRAMIDION_THREADS is {threads!r}; set it to a number from 1 to 999.\n"


def test_a_damaged_model_is_a_missing_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "model.onnx").write_bytes(b"not a graph")
    monkeypatch.setattr("pyramidion.language.models.weights.MODELS", tmp_path)
    with pytest.raises(
        MissingPartError, match=r"The model 'broken' is missing or damaged .*; install pyramidion again"
    ):
        minilm("broken")


def test_analysers_that_answer_for_another_text_are_refused() -> None:
    with pytest.raises(LanguageError, match="did not return an analysis of the text it was given"):
        analyse("Hello there", lambda text: analyse("Other"))


def test_an_analysis_cannot_be_changed_through_what_it_was_made_of() -> None:
    words = list(analyse("Cats sleep.").words)
    analysis = Analysis("Cats sleep.", words, [(0, 3)])  # type: ignore[arg-type]
    words.clear()
    assert len(analysis.words) == 3
    assert analysis.edus == ((0, 3),)


def test_discourse_units_need_a_parse() -> None:
    with pytest.raises(LanguageError, match="EDUs: this needs an English parse"):
        edus(analyse("\u5e02\u8bae\u4f1a\u51b3\u5b9a\u5173\u95ed\u5927\u6865\u3002"))


def test_offsets_of_text_with_the_line_ends_of_windows() -> None:
    text = "The council met.\r\nIt fined the company."
    assert [span.of(text) for span in edus(analyse(text))] == ["The council met.", "It fined the company."]


def test_headlines_and_items_on_lines_of_their_own_do_not_run_together() -> None:
    text = "Lake revival\nThe council met on Monday\nPrices fell sharply\nLocal plant to close\n"
    assert [span.of(text) for span in analyse(text).sentence_spans()] == text.splitlines()


def test_nothing_is_reported_home_or_kept_there(tmp_path: Path) -> None:
    home = {
        name: value for name, value in os.environ.items() if name not in ("XDG_CACHE_HOME", "ORT_DISABLE_TELEMETRY")
    }
    code = "from pyramidion.language import analyse; analyse('It rained.')"
    subprocess.run([sys.executable, "-c", code], env=home | {"HOME": str(tmp_path)}, check=True)
    assert list(tmp_path.iterdir()) == []
