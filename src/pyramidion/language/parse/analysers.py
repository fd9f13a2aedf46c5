"""Who analyses a text: the embedded model, a spaCy pipeline, a CoNLL-U file, or any callable, all behind one call.

==================  =================================================================================
``en-minilm``       the embedded model, the default; what is not English is split by rules, unparsed
``unicode``         words and sentences by rules alone, for any language
``spacy:PIPELINE``  an installed spaCy pipeline (extra ``spacy``)
``conllu:FILE``     what another parser made of the texts, looked up by their content
==================  =================================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from itertools import pairwise

from pyramidion.errors import PyramidionError
from pyramidion.language.parse.analysis import Analysis, LanguageError, Word
from pyramidion.language.text.english import is_english
from pyramidion.language.text.sentences import sentence_starts
from pyramidion.language.text.words import split_words

Analyser = Callable[[str], Analysis]

ANALYSERS = ("en-minilm", "unicode", "spacy:PIPELINE", "conllu:FILE")


def analyse(text: str, by: str | Analyser = "en-minilm") -> Analysis:
    """Return the analysis of a text, by the named analyser or any callable that makes one.

    >>> [word.form for word in analyse("She can't swim.").words]
    ['She', 'ca', "n't", 'swim', '.']
    """
    analysis = (analyser(by) if isinstance(by, str) else by)(text)
    if not isinstance(analysis, Analysis) or analysis.text != text:
        raise LanguageError(
            f"The analyser {by!r} did not return an analysis of the text it was given",
            do="return an Analysis of that text",
        )
    return analysis


@lru_cache(maxsize=4096)
def analysed(text: str, by: str | Analyser) -> Analysis:
    """Return :func:`analyse`'s result, remembered: builders, matchers and metrics ask for it many times."""
    return analyse(text, by)


@cache
def analyser(name: str) -> Analyser:
    """Return the analyser of a name, loaded once per process."""
    kind, _, rest = name.partition(":")
    if name == "en-minilm":
        return _english
    if name == "unicode":
        return unicode_analysis
    if kind == "spacy" and rest:
        from pyramidion.language.parse.spacy import load

        return load(rest)
    if kind == "conllu" and rest:
        from pyramidion.language.parse.conllu_file import load as load_file

        return load_file(rest)
    raise PyramidionError(f"There is no analyser {name!r}", do=f"choose one of: {', '.join(ANALYSERS)}")


def models_of(name: str) -> tuple[str, ...]:
    """Return the models behind an analyser: those that ship by name, and files and folders.

    >>> models_of("en-minilm"), models_of("unicode"), models_of("conllu:parses.conllu")
    (('en-minilm', 'lemmas'), (), ('parses.conllu',))
    """
    kind, _, rest = name.partition(":")
    if name == "en-minilm":
        return "en-minilm", "lemmas"
    if kind == "spacy" and rest:
        from pyramidion.language.parse.spacy import folder

        return (str(folder(rest)),)
    return (rest,) if kind == "conllu" and rest else ()


def _english(text: str) -> Analysis:
    words = split_words(text)
    if not words or not is_english(text, words):
        return unicode_analysis(text)
    from pyramidion.language.parse.kept import parsed

    return parsed(text, words)


def unicode_analysis(text: str) -> Analysis:
    """Split words and sentences by rules, for any language; nothing is parsed."""
    words = split_words(text)
    starts = sentence_starts(text, words)
    return Analysis(
        text,
        tuple(Word(start, end, text[start:end]) for start, end in words),
        tuple(pairwise([*starts, len(words)])),
        parsed=not words,
        analyser="unicode",
    )
