"""Any installed spaCy pipeline as an analyser (extra ``spacy``).

spaCy's English pipelines label dependencies as ClearNLP does, most others as UD, German ones as TIGER. Which it is, the
labels that a pipeline's parser knows decide, once; a tree with labels of neither kind is no parse to us. ClearNLP's are
mapped to UD's here as far as labels alone can be (``nsubjpass`` -> ``nsubj:pass``, ``dobj`` -> ``obj``, ``prep`` +
``pobj`` -> ``case`` and an oblique with the preposition below its noun; copulas are turned so that the predicate heads
its ``be``). Sentences come from the pipeline; there are no discourse units, so each sentence is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from pyramidion.errors import MissingPartError
from pyramidion.language.parse.analysis import ROOT, Analysis, LanguageError, Word

Labels = Literal["ClearNLP", "UD", ""]
"""The scheme of a parser's labels; unknown, or none without a parser."""

LABELS = {
    "nsubjpass": "nsubj:pass", "csubjpass": "csubj:pass", "auxpass": "aux:pass", "dobj": "obj", "dative": "iobj", "attr": "xcomp",
    "acomp": "xcomp", "relcl": "acl:relcl", "poss": "nmod:poss", "prt": "compound:prt", "neg": "advmod", "npadvmod": "obl:unmarked",
    "nn": "compound", "possessive": "case", "predet": "det:predet", "preconj": "cc:preconj", "quantmod": "advmod", "intj": "discourse",
    "complm": "mark", "number": "nummod", "num": "nummod", "infmod": "acl", "partmod": "acl", "rcmod": "acl:relcl", "agent": "case",
    "meta": "dep", "oprd": "xcomp", "nounmod": "nmod", "ROOT": "root",
}  # fmt: skip
"""ClearNLP -> UD, where a label alone decides."""


def folder(name: str) -> Path:
    """Return the folder of a pipeline: the one named, or that of an installed package."""
    package = find_spec(name) if name.isidentifier() else None
    return Path(package.origin).parent if package and package.origin else Path(name)


def load(name: str) -> Callable[[str], Analysis]:
    """Return the analyser of a pipeline's name or folder."""
    try:
        import spacy
    except ImportError:
        raise MissingPartError("spaCy is not installed", do="run: pip install 'pyramidion[spacy]'") from None
    try:
        pipeline = spacy.load(name)
    except OSError as error:
        raise MissingPartError(
            f"spaCy has no pipeline {name!r} here ({error})", do=f"run: python -m spacy download {name}"
        ) from None
    except Exception as error:  # a pipeline is a package with code of its own, and may fail in any way
        raise MissingPartError(
            f"spaCy cannot load the pipeline {name!r} ({error})", do="install a version that fits this spaCy"
        ) from None
    labels = labels_of(pipeline.get_pipe("parser").labels) if "parser" in pipeline.pipe_names else ""

    def analyse(text: str) -> Analysis:
        try:
            document = pipeline(text)
        except ValueError as error:
            raise LanguageError(
                f"The spaCy pipeline {name!r} refuses the text {text[:40]!r} ({error})", do="split the text"
            ) from None
        return from_document(document, f"spacy:{name}", labels)

    return analyse


def labels_of(labels: Iterable[str]) -> Labels:
    """Return the scheme of these labels.

    >>> labels_of(["nsubj", "dobj", "case"]), labels_of(["nsubj", "obj", "case"]), labels_of(["sb", "oa"])
    ('ClearNLP', 'UD', '')
    """
    known = frozenset(labels)
    if known & {"dobj", "pobj", "nsubjpass"}:
        return "ClearNLP"
    return "UD" if known & {"obl", "nsubj:pass"} or known >= {"obj", "case"} else ""


def from_document(document: Any, analyser: str, labels: Labels) -> Analysis:
    """Return the analysis that a spaCy document holds; tokens of white space are left out."""
    tokens = [token for token in document if not token.is_space]
    index = {token.i: number for number, token in enumerate(tokens)}
    heads = [ROOT if token.head.i == token.i or token.head.i not in index else index[token.head.i] for token in tokens]
    relations = ["root" if head == ROOT else token.dep_ or "dep" for token, head in zip(tokens, heads, strict=True)]
    if not labels:
        heads, relations = [ROOT] * len(tokens), [""] * len(tokens)
    elif labels == "ClearNLP":
        heads, relations = to_universal([t.tag_ for t in tokens], [t.lemma_ for t in tokens], heads, relations)
    words = tuple(
        Word(token.idx, token.idx + len(token.text), token.text, token.lemma_, token.pos_, token.tag_, head, relation)
        for token, head, relation in zip(tokens, heads, relations, strict=True)
    )
    has_sentences = document.has_annotation("SENT_START")
    starts = [number for number, token in enumerate(tokens) if number == 0 or (has_sentences and token.is_sent_start)]
    return Analysis(
        document.text, words, tuple(pairwise([*starts, len(words)])), (), bool(labels) or not words, analyser
    )


def to_universal(
    tags: list[str], lemmas: list[str], heads: list[int], relations: list[str]
) -> tuple[list[int], list[str]]:
    """Turn ClearNLP's heads and labels into UD's: prepositions go below nouns, copulas below predicates."""
    heads, relations = list(heads), list(relations)
    for word, relation in enumerate(list(relations)):
        preposition = heads[word]
        if relation in ("pobj", "pcomp") and preposition != ROOT:
            governor = heads[preposition]
            verbal = governor != ROOT and tags[governor][:1] in ("V", "J", "R", "M")
            upper = relations[preposition]
            _turn(heads, relations, preposition, word, "case" if relation == "pobj" else "mark")
            if upper in ("prep", "agent", "pcomp", "pobj"):
                nominal = "obl:agent" if upper == "agent" else "obl" if verbal else "nmod"
                relations[word] = nominal if relation == "pobj" else "advcl" if verbal else "acl"
    for word, relation in enumerate(list(relations)):
        verb = heads[word]
        if relation in ("attr", "acomp") and verb != ROOT and lemmas[verb] == "be":
            _turn(heads, relations, verb, word, "cop")
    return heads, [LABELS.get(relation, "dep" if relation == "prep" else relation) for relation in relations]


def _turn(heads: list[int], relations: list[str], upper: int, lower: int, label: str) -> None:
    """Let two words change places: the lower takes the upper's head, relation and dependents, and governs it."""
    heads[lower], relations[lower] = heads[upper], relations[upper]
    heads[upper], relations[upper] = lower, label
    for dependent, head in enumerate(heads):
        if head == upper and dependent != lower:
            heads[dependent] = lower
