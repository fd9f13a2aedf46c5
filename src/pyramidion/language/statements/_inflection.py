"""Verbs put into the past or the present: what a participle becomes when it gets a subject of its own."""

from __future__ import annotations

from pyramidion.language.text.word_lists import words

_IRREGULAR = dict(pair.split(":") for pair in words("past"))
_DOUBLED = words("doubled")


def past(lemma: str) -> str:
    """Return a verb's past tense.

    >>> [past(verb) for verb in ("spend", "breed", "plan", "carry", "free", "walk", "stay")]
    ['spent', 'bred', 'planned', 'carried', 'freed', 'walked', 'stayed']
    """
    if lemma in _IRREGULAR:
        return _IRREGULAR[lemma]
    if lemma in _DOUBLED:
        return f"{lemma}{lemma[-1]}ed"
    if lemma.endswith("e"):
        return f"{lemma}d"
    if lemma.endswith("y") and lemma[-2:-1] not in "aeiou":
        return f"{lemma[:-1]}ied"
    return f"{lemma}ed"


def present(lemma: str, plural: bool) -> str:
    """Return a verb's present tense, third person.

    >>> [present(verb, plural=False) for verb in ("carry", "reach", "go", "be", "have", "walk")]
    ['carries', 'reaches', 'goes', 'is', 'has', 'walks']
    >>> present("walk", plural=True)
    'walk'
    """
    if plural:
        return "are" if lemma == "be" else lemma
    if lemma in ("be", "have"):
        return {"be": "is", "have": "has"}[lemma]
    if lemma.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{lemma}es"
    if lemma.endswith("y") and lemma[-2:-1] not in "aeiou":
        return f"{lemma[:-1]}ies"
    return f"{lemma}s"
