"""Other analysers give the same kind of answer: CoNLL-U files, spaCy's labels, rules, callables."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.errors import FormatError, MissingPartError, PyramidionError
from pyramidion.language import ROOT, Analysis, LanguageError, Word, analyse
from pyramidion.language.parse import conllu
from pyramidion.language.parse.analysers import unicode_analysis
from pyramidion.language.parse.spacy import from_document, to_universal
from pyramidion.language.parse.spacy import load as load_spacy
from pyramidion.language.text import lemmas
from tests.fuzz import mutated, only_our_errors

CONLLU = """# newdoc id = a
# text = Cats don't sleep.
1\tCats\tcat\tNOUN\tNNS\t_\t4\tnsubj\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_
4\tsleep\tsleep\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No
5\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_

# newdoc id = b
# text = Dogs du.
1\tDogs\tdog\tNOUN\tNNS\t_\t0\troot\t_\t_
2-3\tdu\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
2\tde\tde\tX\tFW\t_\t1\tdep\t_\tDiscourse=x
3\tle\tle\tX\tFW\t_\t1\tdep\t_\t_
4\t.\t.\tPUNCT\t.\t_\t1\tpunct\t_\t_
"""


def test_conllu_documents_become_analyses() -> None:
    cats, dogs = conllu.loads(CONLLU)
    assert cats.text == "Cats don't sleep."
    assert [(word.form, word.start, word.head) for word in cats.words] == [
        ("Cats", 0, 3), ("do", 5, 3), ("n't", 7, 3), ("sleep", 11, ROOT), (".", 16, 3),
    ]  # fmt: skip
    assert [word.form for word in dogs.words] == ["Dogs", "d", "u", "."]
    assert dogs.edus == ((0, 1), (1, 4))


def test_conllu_written_and_read_again_is_the_same() -> None:
    first = analyse("The council fined the company, which didn't pay. It rained.")
    (again,) = conllu.loads(conllu.dumps(first))
    assert [(w.form, w.lemma, w.upos, w.xpos, w.head, w.relation) for w in again.words] == [
        (w.form, w.lemma, w.upos, w.xpos, w.head, w.relation) for w in first.words
    ]
    assert (again.sentences, again.edus) == (first.sentences, first.edus)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "The file has no sentence"),
        ("1\tCats\n", r"x.conllu:1: The line has 2 columns, not 10"),
        (CONLLU.replace("2\tdo", "7\tdo"), "Word 7 follows word 1"),
        (CONLLU.replace("\t4\taux", "\t40\taux"), "Word 2 has the head 40"),
        (CONLLU.replace("# text = Cats", "# text = Rats"), "The word 'Cats' is not where the sentence's text has it"),
        (
            CONLLU.replace("\t4\taux", "\t\u00b2\taux"),
            "x.conllu:5: Word 2 has the head '\u00b2'; give the number of a word",
        ),
        (CONLLU.replace("\t4\taux", "\tx\taux"), "x.conllu:5: Word 2 has the head 'x'"),
        (CONLLU.replace("\t4\taux", "\t-1\taux"), "x.conllu:5: Word 2 has the head '-1'"),
        (
            CONLLU.replace("Dogs du", "Dogs d").replace("\tdu\t", "\td\t"),
            "x.conllu:14: The token 'd' is shorter than its 2 words; check the token's form and range",
        ),
        (CONLLU.replace("2-3\tdon't", "x\tdon't"), "The id 'x' is not a CoNLL-U id"),
    ],
)
def test_conllu_that_is_wrong_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        conllu.loads(text, "x.conllu")


def test_an_unparsed_conllu_has_no_heads() -> None:
    (analysis,) = conllu.loads("1\tCats\t_\t_\t_\t_\t_\t_\t_\t_\n")
    assert (analysis.parsed, analysis.words[0].head) == (False, ROOT)


@given(mutated(CONLLU.encode()) | st.binary(max_size=200))
def test_damaged_conllu(data: bytes) -> None:
    only_our_errors(lambda: conllu.loads(data.decode("utf-8", "replace")))


def test_a_conllu_file_answers_for_its_texts_whatever_their_line_breaks(tmp_path: Path) -> None:
    path = tmp_path / "cats.conllu"
    path.write_text(CONLLU)
    analysis = analyse("Cats\n don't  sleep.", f"conllu:{path}")
    assert [word.form for word in analysis.words] == ["Cats", "do", "n't", "sleep", "."]
    assert analysis.text == "Cats\n don't  sleep."
    assert analyse(" \n", f"conllu:{path}") == Analysis(" \n", (), (), analyser="conllu")
    with pytest.raises(LanguageError, match="has no analysis of the text 'Birds sing.'"):
        analyse("Birds sing.", f"conllu:{path}")


def test_rules_for_any_language() -> None:
    analysis = unicode_analysis(
        "\u041a\u043e\u0442 \u0441\u043f\u0438\u0442. \u041f\u0451\u0441 \u043b\u0430\u0435\u0442."
    )
    assert (len(analysis.words), len(analysis.sentences), analysis.parsed) == (6, 2, False)


def test_any_callable() -> None:
    def shout(text: str) -> Analysis:
        return Analysis(text, (Word(0, len(text), text, text.lower(), "X", "X", ROOT, "root"),), ((0, 1),))

    assert analyse("BOO", shout).words[0].lemma == "boo"


def test_unknown_and_missing_analysers(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PyramidionError, match="There is no analyser 'magic'; choose one of: en-minilm"):
        analyse("x", "magic")
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingPartError, match="spaCy is not installed; run: pip install 'pyramidion\\[spacy\\]'"):
        analyse("x", "spacy:en_core_web_none")


def test_clearnlp_labels_become_universal() -> None:
    # "The dog was bitten by cats in Rome" as spaCy's English pipelines label it
    words = ["The", "dog", "was", "bitten", "by", "cats", "in", "Rome"]
    heads, relations = to_universal(
        ["DT", "NN", "VBD", "VBN", "IN", "NNS", "IN", "NNP"], [*words], [1, 3, 3, ROOT, 3, 4, 3, 6],
        ["det", "nsubjpass", "auxpass", "root", "agent", "pobj", "prep", "pobj"],
    )  # fmt: skip
    assert list(zip(words, heads, relations, strict=True)) == [
        ("The", 1, "det"), ("dog", 3, "nsubj:pass"), ("was", 3, "aux:pass"), ("bitten", ROOT, "root"),
        ("by", 5, "case"), ("cats", 3, "obl:agent"), ("in", 7, "case"), ("Rome", 3, "obl"),
    ]  # fmt: skip


def test_clearnlp_copulas_hang_on_their_predicates() -> None:
    # "Ann is a doctor ."
    heads, relations = to_universal(
        ["NNP", "VBZ", "DT", "NN", "."], ["Ann", "be", "a", "doctor", "."], [1, ROOT, 3, 1, 1],
        ["nsubj", "root", "det", "attr", "punct"],
    )  # fmt: skip
    assert heads == [3, 3, 3, ROOT, 3]
    assert relations == ["nsubj", "cop", "det", "root", "punct"]


class Pipeline:
    """As much of a spaCy pipeline as the analyser sees: "Ann is ill" parsed, with the labels of a scheme."""

    pipe_names = ("tagger", "parser")

    def __init__(self, *labels: str) -> None:
        self.labels = labels

    def get_pipe(self, name: str) -> Pipeline:
        return self

    def __call__(self, text: str) -> Any:
        if len(text) > 20:
            raise ValueError("[E088] Text of length 21 exceeds maximum of 20.")
        rows = [("Ann", 0, "NNP", 1, "nsubj"), ("is", 4, "VBZ", 1, "ROOT"), ("ill", 7, "JJ", 1, "acomp")]
        tokens: list[Any] = [
            SimpleNamespace(
                i=i, idx=start, text=form, lemma_="be" if form == "is" else form, pos_="X", tag_=tag, dep_=label,
                is_space=False, is_sent_start=i == 0,
            )
            for i, (form, start, tag, _, label) in enumerate(rows)
        ]  # fmt: skip
        for token, (_, _, _, head, _) in zip(tokens, rows, strict=True):
            token.head = tokens[head]
        return Document(tokens, text)


class Document(list[Any]):
    def __init__(self, tokens: list[Any], text: str) -> None:
        super().__init__(tokens)
        self.text = text

    def has_annotation(self, name: str) -> bool:
        return True


def spacy_with(monkeypatch: pytest.MonkeyPatch, load: Callable[[str], Pipeline]) -> None:
    monkeypatch.setitem(sys.modules, "spacy", SimpleNamespace(load=load))


@pytest.mark.parametrize(
    ("labels", "parsed", "tree"),
    [
        (["nsubj", "dobj", "acomp"], True, [(2, "nsubj"), (2, "cop"), (ROOT, "root")]),
        (["nsubj", "obj", "case"], True, [(1, "nsubj"), (ROOT, "root"), (1, "acomp")]),
        (["sb", "oa", "nk"], False, [(ROOT, "")] * 3),
    ],
    ids=["ClearNLP", "UD", "TIGER"],
)
def test_the_parsers_labels_decide_what_becomes_of_a_spacy_tree(
    monkeypatch: pytest.MonkeyPatch, labels: list[str], parsed: bool, tree: list[tuple[int, str]]
) -> None:
    spacy_with(monkeypatch, lambda name: Pipeline(*labels))
    analysis = load_spacy("some")("Ann is ill")
    assert analysis.parsed is parsed
    assert [(word.head, word.relation) for word in analysis.words] == tree
    assert analysis.sentences == ((0, 3),)


def test_a_text_too_long_for_spacy(monkeypatch: pytest.MonkeyPatch) -> None:
    spacy_with(monkeypatch, lambda name: Pipeline("obj", "case"))
    with pytest.raises(LanguageError, match=r"refuses the text 'x+' \(\[E088\].*; split the text"):
        load_spacy("some")("x" * 21)


@pytest.mark.parametrize(
    ("error", "message"),
    [(OSError("[E050]"), "has no pipeline 'some'"), (ValueError("[E002]"), "cannot load the pipeline 'some'")],
)
def test_a_spacy_pipeline_that_does_not_load(monkeypatch: pytest.MonkeyPatch, error: Exception, message: str) -> None:
    def fail(name: str) -> Pipeline:
        raise error

    spacy_with(monkeypatch, fail)
    with pytest.raises(MissingPartError, match=message):
        load_spacy("some")


@pytest.mark.parametrize(
    "content",
    [
        None,
        b"",
        b"no gzip",
        gzip.compress(b"{}" * 99, mtime=0)[:-9],
        gzip.compress(b"[]", mtime=0),
        gzip.compress(b"{", mtime=0),
    ],
)
def test_a_missing_or_damaged_table_of_lemmas(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes | None
) -> None:
    folder = tmp_path / "lemmas"
    folder.mkdir(parents=True)
    if content is not None:
        (folder / "lemmas.json.gz").write_bytes(content)
    monkeypatch.setattr("pyramidion.language.models.weights.MODELS", tmp_path)
    with pytest.raises(MissingPartError, match="missing or damaged.*; install pyramidion again"):
        lemmas.load.__wrapped__()


def test_a_blank_spacy_pipeline_gives_words_without_a_parse() -> None:
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed (extra spacy)")
    analysis = from_document(spacy.blank("en")("Cats  sleep."), "spacy:blank", "")
    assert [word.form for word in analysis.words] == ["Cats", "sleep", "."]
    assert not analysis.parsed
