"""Lemmas in UD's manner, by rules of English inflection and a table of what the rules do not know.

The rules undo an inflection that the tag names (Minnen, Carroll and Pearce 2001, "Applied morphological processing of
English": suffix rules with exceptions); where several base forms are possible (*hoped*: *hope*, *hop*), the one that
the treebanks know is taken, and otherwise the spelling decides. The table, made by ``train/lemmas.py`` from the
training parts of EWT and GUM, holds the known base forms and, by tag, the forms whose lemma is another than the rules
give (*went*, *n't*), irregular verbs and plurals of a grammar among them.

UD's conventions: *be* and *have* for their clitics, *not* for *n't*, *I* for *me*; proper names keep their letters'
case, other words lose it; straight quotes for curly ones. A typing error that the treebanks do not have stays in the
lemma.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from pyramidion.language.models import weights

_VOWELS = "aeiou"
_PLAIN = str.maketrans({"\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'", "`": "'", "\u2013": "-"})
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")


@dataclass(frozen=True)
class Table:
    """Data beyond the rules: exceptions by tags and form (as written or in lower case), and known base forms."""

    exceptions: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    known: Mapping[str, frozenset[str]] = field(default_factory=dict)


@cache
def load() -> Table:
    """Return the table that ships with the package, read once."""
    raw = json.loads(gzip.decompress(weights.read(weights.MODELS / "lemmas" / "lemmas.json.gz")))
    exceptions = {tags: dict(lemmas) for tags, lemmas in raw["exceptions"].items()}
    return Table(exceptions, {kind: frozenset(forms) for kind, forms in raw["known"].items()})


def lemma(form: str, upos: str, xpos: str) -> str:
    """Return the lemma of a word with its tags.

    >>> lemma("Went", "VERB", "VBD"), lemma("n't", "PART", "RB"), lemma("hoping", "VERB", "VBG")
    ('go', 'not', 'hope')
    >>> lemma("Theories", "NOUN", "NNS"), lemma("Alps", "PROPN", "NNPS"), lemma("grimmest", "ADJ", "JJS")
    ('theory', 'Alp', 'grim')
    """
    table = load()
    exceptions = table.exceptions.get(f"{upos} {xpos}", {})
    irregular = exceptions.get(form) or exceptions.get(form.lower())
    return irregular or by_rule(form, upos, xpos, table.known)


def by_rule(form: str, upos: str, xpos: str, known: Mapping[str, frozenset[str]]) -> str:
    """Return the lemma that the rules give; never empty for a form that is not."""
    if upos in ("PUNCT", "SYM"):
        return form.translate(_PLAIN).lower()
    if upos == "X" or xpos in ("ADD", "GW") or (xpos == "NNP" and upos in ("ADJ", "ADV", "ADP", "NOUN")):
        return form
    if upos == "PROPN":
        return _singular(form, known) if xpos == "NNPS" and not form.isupper() else form
    if upos == "NUM" and _THOUSANDS.fullmatch(form):
        return form.replace(",", "")
    if upos == "NOUN" and len(form) > 1 and (form.isupper() or form[:-1].isupper()) and _is_acronym(form, known):
        return form[:-1] if xpos == "NNS" and form.endswith("s") else form
    return _base(form.lower(), xpos, known) or form.lower()


def _is_acronym(form: str, known: Mapping[str, frozenset[str]]) -> bool:
    """Return whether capitals are an acronym, not a shouted word: short, and no base form that we know."""
    lower = form.lower()
    return len(form) < 5 and not any(lower in forms or lower.rstrip("s") in forms for forms in known.values())


def _base(form: str, xpos: str, known: Mapping[str, frozenset[str]]) -> str:
    """Undo the inflection that a tag names; the form itself where the tag names none."""
    match xpos:
        case "NNS":
            return _singular(form, known)
        case "VBZ":
            return _singular(form, known, "verb")
        case "VBD" | "VBN" if form.endswith("ed"):
            return _without(form, "ed", known.get("verb", frozenset()))
        case "VBG" if form.endswith(("ing", "in'")) and len(form) > 4:
            return _without(form.replace("in'", "ing"), "ing", known.get("verb", frozenset()))
        case "JJR" | "RBR" if form.endswith("er"):
            return _without(form, "er", known.get("adjective", frozenset()))
        case "JJS" | "RBS" if form.endswith("est"):
            return _without(form, "est", known.get("adjective", frozenset()))
    return form


def _singular(form: str, known: Mapping[str, frozenset[str]], kind: str = "noun") -> str:
    """Remove the *s* of a plural or a third person: *boxes*, *houses*, *cities*, *ties*; and *firemen*."""
    bases = known.get(kind, frozenset())
    if kind == "noun" and form.endswith("men") and len(form) > 4:
        return form[:-2] + "an"
    if not form.endswith("s") or form.endswith("ss") or len(form) < 3:
        return form
    if form.endswith("'s"):
        return form[:-2]
    candidates = [form[:-1]]
    if form.endswith("ies") and len(form) > 4:
        candidates.insert(0, form[:-3] + "y")
    if form.endswith("es"):
        sibilant = form[:-2].endswith(("s", "x", "z", "ch", "sh", "o"))
        spelt = (sibilant and not form.endswith("ses")) or form.endswith("sses")
        candidates.insert(0 if spelt else len(candidates), form[:-2])
    if form.endswith("ves"):
        candidates.append(form[:-3] + "f")
        candidates.append(form[:-3] + "fe")
    return next((candidate for candidate in candidates if candidate.lower() in bases), candidates[0])


def _without(form: str, suffix: str, bases: frozenset[str]) -> str:
    """Remove *ed*, *ing*, *er* or *est*, and undo its changes of spelling."""
    stem = form[: -len(suffix)]
    if not any(letter in _VOWELS + "y" for letter in stem):
        return form
    candidates = [stem, stem + "e"]
    if suffix != "ing" and stem.endswith("i"):
        candidates.insert(0, stem[:-1] + "y")
    if suffix == "ing" and stem.endswith("y"):
        candidates.append(stem[:-1] + "ie")
    doubled = len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "aeiouhwy"
    if doubled:
        candidates.insert(0 if stem[-1] not in "lszf" else 1, stem[:-1])
    known_candidates = [candidate for candidate in candidates if candidate in bases]
    if known_candidates:
        return known_candidates[0] if doubled or len(known_candidates) == 1 else known_candidates[-1]
    return candidates[0] if doubled or candidates[0].endswith("y") or not _wants_e(stem) else stem + "e"


_WITH_E = re.compile(
    r".*(?:at|iz|is|yz|ac|ic|uc|ag|dg|ng|rg|v|u|[bcdfgkptz]l|[nr]c|[rnlu]s|as|os|ur|ir|ut|[aiou]d)"
    r"(?<!eat)(?<!oat)(?<!eis)(?<!ead)(?<!oad)(?<!aid)(?<!oid)(?<!loud)(?<!out)(?<!ous)(?<!our)(?<![ioa]ng)"
)


def _wants_e(stem: str) -> bool:
    """Return whether English spells this stem with a final *e*, by its last letters."""
    if _WITH_E.fullmatch(stem):
        return True
    return len(stem) in (3, 4) and stem[-1] in "kmnprt" and stem[-2] in "aiou" and stem[-3] not in _VOWELS
