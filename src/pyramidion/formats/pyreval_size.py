"""The sizes of a PyrEval pyramid's layers (``sizes/X.size``), read and written.

The number of SCUs in each layer, one whole number a line, the heaviest layer first; but PyrEval's converter
``to_xml.py`` writes the lightest first. Nothing in the file tells the two apart, so the option ``order`` does, and a
pyramid that comes out upside down, with more SCUs at its top than at its bottom, is warned of.

A file of n lines is a pyramid of n references, its layers weighing n, n-1, ..., 1. The SCUs have no words; they are
numbered from 0 by falling weight, as in the PyrEval pyramid of the same name, and an SCU of weight w is given to the
references 1 to w, with a warning: scores that need only weights are right, those that leave a reference out are not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args

from pyramidion.base.choices import check_choices
from pyramidion.base.files import decode, read_bytes, write_bytes
from pyramidion.errors import FormatError, Where
from pyramidion.formats import _bare
from pyramidion.formats._differences import find_losses
from pyramidion.model import SCU, Contributor, Pyramid, Summary, Topic
from pyramidion.notes import note

TITLE = "PyrEval: the number of SCUs in each layer of a pyramid"
SUFFIXES: tuple[str, ...] = (".size",)
Order = Literal["heaviest-first", "lightest-first"]
ORDERS: tuple[Order, ...] = get_args(Order)


def sniff(path: Path, head: bytes) -> bool:
    """Return whether this holds whole numbers and is called ``.size``; without that name they could be anything."""
    numbers = head.removeprefix(b"\xef\xbb\xbf").split()
    return path.suffix in SUFFIXES and bool(numbers) and all(number.isdigit() for number in numbers)


@check_choices
def load(path: Path, *, order: Order = "heaviest-first") -> list[Topic]:
    """Return the topic of a file, named as the file is; ``order`` is ``heaviest-first`` or ``lightest-first``."""
    return loads(read_bytes(path), str(path), order=order)


@check_choices
def loads(data: bytes | str, source: str = "<string>", *, order: Order = "heaviest-first") -> list[Topic]:
    """Return the topic of a document: a pyramid of SCUs without words over references without texts."""
    sizes = _heaviest_first(_counts(decode(data, source), source), order)
    # checked before the SCUs are made: a line of a few digits can stand for any number of them
    _bare.check_total(sum(weight * size for weight, size in enumerate(reversed(sizes), start=1)), Where(source))
    pyramid = _pyramid(_bare.topic_id(source), sizes)
    note(
        f"{source}: The file gives the number of SCUs of each weight, not the references that express them; an SCU of "
        f"weight w was assigned to the first w of {pyramid.size} placeholder references"
    )
    if sizes[0] > sizes[-1]:
        reverse = "lightest-first" if order == "heaviest-first" else "heaviest-first"
        note(
            f"{source}: The pyramid is upside down, with {sizes[0]} SCU(s) of weight {len(sizes)} and {sizes[-1]} "
            f"of weight 1; if the file is written the other way round, read it with order={reverse}"
        )
    return [Topic(pyramid.topic, pyramid.references, pyramid=pyramid)]


def _pyramid(topic: str, sizes: Sequence[int]) -> Pyramid:
    """Return the pyramid of these layers, heaviest first."""
    references = tuple(Summary(_bare.made_reference(k), "") for k in range(1, len(sizes) + 1))
    contributors = tuple(Contributor(reference.id) for reference in references)
    named = [
        (weight, f"SCU {number} of weight {weight}")
        for weight, size in zip(range(len(sizes), 0, -1), sizes, strict=True)
        for number in range(1, size + 1)
    ]
    scus = tuple(SCU(str(uid), label, contributors[:weight]) for uid, (weight, label) in enumerate(named))
    return Pyramid(topic, references, scus)


def _sizes(pyramid: Pyramid) -> list[int]:
    """Return the number of SCUs in each layer, heaviest first, including empty layers."""
    counted = Counter(scu.weight for scu in pyramid.scus)
    return [counted[weight] for weight in range(pyramid.size, 0, -1)]


def _heaviest_first(sizes: list[int], order: Order) -> list[int]:
    """Return sizes in the order of a file as heaviest first, or back: turning round is its own inverse."""
    return sizes if order == "heaviest-first" else sizes[::-1]


def _counts(text: str, source: str) -> list[int]:
    """Return the numbers in the lines."""
    counts: list[int] = []
    at_least = 0
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").rstrip().split("\n"), start=1):
        count = _bare.whole_number(line)
        if count is None:
            raise FormatError(
                f"{line.strip()[:60]!r} is not a number of SCUs",
                Where(source, number, 1, text=line),
                "write one whole number per line",
            )
        counts.append(count)
        # In whatever order the layers are: an SCU has a contributor, and an empty layer still stands for a reference.
        at_least += max(count, 1)
        _bare.check_total(at_least, Where(source, number, 1, text=line))
    return counts


@check_choices
def losses(topics: Sequence[Topic], path: Path, *, order: Order = "heaviest-first") -> list[str]:
    """List what is lost when the file of this name is read again."""
    return find_losses(
        topics, lambda chosen: dumps(chosen, order=order), lambda data: loads(data, str(path), order=order)
    )


@check_choices
def dump(topics: Sequence[Topic], path: Path, *, order: Order = "heaviest-first") -> None:
    """Write the sizes of one topic's pyramid; ``order`` is ``heaviest-first`` or ``lightest-first``."""
    write_bytes(path, dumps(topics, order=order))


@check_choices
def dumps(topics: Sequence[Topic], *, order: Order = "heaviest-first") -> bytes:
    """Return one line for each weight that the pyramid's references allow, empty layers included."""
    pyramid = _bare.one_pyramid(topics)
    if not pyramid.size:
        raise FormatError(
            f"Pyramid {pyramid.topic!r} has no reference, so it has no layer", do="build or annotate one first"
        )
    return "".join(f"{size}\n" for size in _heaviest_first(_sizes(pyramid), order)).encode()
