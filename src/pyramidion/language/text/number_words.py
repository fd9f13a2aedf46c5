"""Numbers in words and figures, and the parts of dates, in one spelling each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

_UNITS = {"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9}
_UNITS |= {"ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16}
_UNITS |= {"seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50}
_UNITS |= {"sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
SCALES = {"hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "dozen": 12}
SCALES |= {"k": 10**3, "m": 10**6, "mn": 10**6, "bn": 10**9, "b": 10**9, "tn": 10**12}
"""The factor that a word after a number stands for."""
_FIGURES = re.compile(rf"(\d{{1,3}}(?:,\d{{3}})+|\d+)(\.\d+)?({'|'.join(SCALES)})?")
MONTHS = {"january": "1", "february": "2", "march": "3", "april": "4", "may": "5", "june": "6", "july": "7"}
MONTHS |= {"august": "8", "september": "9", "october": "10", "november": "11", "december": "12"}
MONTHS |= {name[:3]: place for name, place in list(MONTHS.items())} | {"sept": "9"}
"""The number of a month, by its name or what stands for it (without a full stop)."""
WEEKDAYS = {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}


def number(words: Sequence[str]) -> str | None:
    """Return the number that some words spell, in figures; nothing if they spell none.

    >>> number(["32,000"]), number(["two", "hundred", "and", "five"]), number(["1.5", "million"]), number(["3-1"])
    ('32000', '205', '1500000', None)
    """
    total, group = Decimal(0), None
    for word in [part for form in words for part in re.split(r"-(?=[a-z])", form.lower())]:
        figures = _FIGURES.fullmatch(word)
        if word == "and" and group is not None:
            continue
        if figures:
            whole, fraction, scale = figures.groups()
            # Figures behind another number (*2 3*) begin a second one, so the words spell none.
            value = Decimal(whole.replace(",", "") + (fraction or "")) * SCALES.get(scale or "", 1)
            if group is not None:
                return None
            group = value
        elif word in _UNITS:
            group = (group or Decimal(0)) + _UNITS[word]
        elif word == "hundred" or (word in SCALES and group is not None and group < SCALES[word]):
            group = (Decimal(1) if group is None else group) * SCALES[word]
            if word != "hundred":
                total, group = total + group, Decimal(0)
        # *Million* may stand alone; *m* and *bn* are scales only behind a number.
        elif word in SCALES and len(word) > 2:
            total, group = total + SCALES[word], Decimal(0)
        else:
            return None
    if group is None:
        return None
    return f"{(total + group).normalize():f}"


def is_year(word: str) -> bool:
    """Return whether a word is four figures that look like a year: 1400 to 2199."""
    return len(word) == 4 and word.isascii() and word.isdigit() and "1400" <= word <= "2199"
