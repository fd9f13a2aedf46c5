"""Lemmas: UD's conventions, unknown words by rule, and the treebanks."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.language.parse import conllu
from pyramidion.language.text.lemmas import by_rule, lemma, load


@pytest.mark.parametrize(
    ("form", "upos", "xpos", "expected"),
    [
        ("is", "AUX", "VBZ", "be"), ("'m", "AUX", "VBP", "be"), ("'ve", "AUX", "VBP", "have"), ("ca", "AUX", "MD", "can"), ("wo", "AUX", "MD", "will"),
        ("n't", "PART", "RB", "not"), ("n’t", "PART", "RB", "not"), ("an", "DET", "DT", "a"), ("These", "DET", "DT", "this"),
        ("I", "PRON", "PRP", "I"), ("me", "PRON", "PRP", "I"), ("them", "PRON", "PRP", "they"),
        ("went", "VERB", "VBD", "go"), ("Children", "NOUN", "NNS", "child"), ("better", "ADJ", "JJR", "good"), ("worst", "ADJ", "JJS", "bad"),
        ("London", "PROPN", "NNP", "London"), ("States", "PROPN", "NNPS", "State"), ("The", "DET", "DT", "the"), ("”", "PUNCT", "''", '"'),
        ("200,000", "NUM", "CD", "200000"),
    ],
)  # fmt: skip
def test_conventions(form: str, upos: str, xpos: str, expected: str) -> None:
    assert lemma(form, upos, xpos) == expected


@pytest.mark.parametrize(
    ("form", "upos", "xpos", "expected"),
    [
        ("blorps", "NOUN", "NNS", "blorp"), ("snarfies", "NOUN", "NNS", "snarfy"), ("glitches", "NOUN", "NNS", "glitch"), ("zaxes", "NOUN", "NNS", "zax"),
        ("blogged", "VERB", "VBD", "blog"), ("vlogging", "VERB", "VBG", "vlog"), ("anonymized", "VERB", "VBN", "anonymize"), ("tweeted", "VERB", "VBD", "tweet"),
        ("flurried", "VERB", "VBD", "flurry"), ("grobbles", "VERB", "VBZ", "grobble"), ("gloomier", "ADJ", "JJR", "gloomy"), ("dimmest", "ADJ", "JJS", "dim"),
    ],
)  # fmt: skip
def test_words_the_treebanks_do_not_have(form: str, upos: str, xpos: str, expected: str) -> None:
    assert by_rule(form, upos, xpos, {}) == expected


@given(
    st.text(min_size=1),
    st.sampled_from(["VERB", "NOUN", "PROPN", "ADJ", "X", "PUNCT", ""]),
    st.sampled_from(["VBD", "VBG", "VBZ", "NNS", "NNPS", "JJR", "JJS", "NN", ""]),
)
def test_every_form_has_a_lemma(form: str, upos: str, xpos: str) -> None:
    assert lemma(form, upos, xpos)


@pytest.mark.parametrize(
    ("base", "past", "participle"),
    [
        ("flee", "fled", "fled"), ("rise", "rose", "risen"), ("shoot", "shot", "shot"), ("find", "found", "found"), ("lie", "lay", "lain"),
        ("oversee", "oversaw", "overseen"), ("retell", "retold", "retold"), ("mislead", "misled", "misled"), ("forgo", "forwent", "forgone"),
        ("found", "founded", "founded"), ("shed", "shed", "shed"), ("bleed", "bled", "bled"), ("take", "took", "taken"), ("weave", "wove", "woven"),
    ],
)  # fmt: skip
def test_irregular_verbs(base: str, past: str, participle: str) -> None:
    assert (lemma(past, "VERB", "VBD"), lemma(participle, "VERB", "VBN")) == (base, base)
    assert lemma(past.capitalize(), "VERB", "VBD") == base
    if past != participle:  # as taggers confuse them
        assert (lemma(past, "VERB", "VBN"), lemma(participle, "VERB", "VBD")) == (base, base)


@pytest.mark.parametrize(
    ("plural", "singular"),
    [
        ("series", "series"), ("species", "species"), ("theses", "thesis"), ("geese", "goose"), ("matrices", "matrix"), ("elves", "elf"),
        ("leaves", "leaf"), ("gunmen", "gunman"), ("policewomen", "policewoman"), ("schoolchildren", "schoolchild"), ("quizzes", "quiz"),
    ],
)  # fmt: skip
def test_irregular_plurals(plural: str, singular: str) -> None:
    assert lemma(plural, "NOUN", "NNS") == singular


def test_the_table_is_loaded_once() -> None:
    assert load() is load()


@pytest.mark.data
@pytest.mark.parametrize("name", ["ewt-test", "gum-test"])
def test_lemmas_of_the_treebanks(data: Path, name: str) -> None:
    text = gzip.decompress((data / "treebanks" / f"{name}.conllu.gz").read_bytes()).decode()
    words = [word for analysis in conllu.loads(text) for word in analysis.words if word.lemma]
    assert sum(lemma(word.form, word.upos, word.xpos) == word.lemma for word in words) / len(words) >= 0.985
