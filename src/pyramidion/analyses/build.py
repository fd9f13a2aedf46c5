"""Build the pyramid of every topic by a method."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from pyramidion.base.tables import Table, plural
from pyramidion.formats.native import TopicRecord, to_record
from pyramidion.formats.read import how_read
from pyramidion.methods import DEFAULT_METHOD, Method
from pyramidion.model import SCU, Pyramid, Topic
from pyramidion.result import Result
from pyramidion.signature import Signature


@dataclass(frozen=True, slots=True)
class Pyramids(Result):
    """The pyramids of topics, each with its references."""

    signature: Signature
    pyramids: tuple[Pyramid, ...]

    @property
    def topics(self) -> list[Topic]:
        """Return topics with only a pyramid and its references, as a file holds them."""
        return [Topic(pyramid.topic, pyramid.references, pyramid=pyramid) for pyramid in self.pyramids]

    @property
    def size(self) -> str:
        """Describe the number of SCUs and topics."""
        scus = sum(len(pyramid.scus) for pyramid in self.pyramids)
        return f"{plural(scus, 'SCU')} of {plural(len(self.pyramids), 'topic')}"

    @property
    def thresholds(self) -> dict[str, str]:
        """Describe the threshold on edges of each topic whose builder has one."""
        return {pyramid.topic: words for pyramid in self.pyramids if (words := _threshold(pyramid))}

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return the SCUs, heaviest first: a table for each topic or, if ``whole``, one table of all topics."""
        if whole:  # CSV holds one table
            return {"scus": _every_scu(self)}
        return {pyramid.topic: _scus_table(pyramid, str(self.signature)) for pyramid in self.pyramids}

    def to_json(self) -> list[TopicRecord]:
        """Return the topics in our own format."""
        return [to_record(topic) for topic in self.topics]


def build(
    topics: Iterable[Topic],
    method: Method | str = DEFAULT_METHOD,
    *,
    progress: Callable[[], object] = lambda: None,
) -> Pyramids:
    """Build the pyramids of the topics' references; ``progress`` is called for each topic."""
    method = Method.parse(method) if isinstance(method, str) else method
    topics = list(topics)
    method.check_language(replace(topic, peers=(), annotations=()) for topic in topics)
    pyramids = []
    for topic in topics:
        pyramids.append(method.pyramid(topic))
        progress()
    return Pyramids(Signature(str(method), (*method.versions, *how_read(topics))), tuple(pyramids))


def _heaviest_first(pyramid: Pyramid) -> Iterator[SCU]:
    return (scu for scus in pyramid.tiers.values() for scu in scus)


def _every_scu(built: Pyramids) -> Table:
    rows = tuple(
        (pyramid.topic, scu.id, scu.weight, scu.label, scu.unclear)
        for pyramid in built.pyramids
        for scu in _heaviest_first(pyramid)
    )
    return Table(("topic", "SCU", "weight", "label", "unclear"), rows, signature=str(built.signature))


def _scus_table(pyramid: Pyramid, signature: str) -> Table:
    title = f"{pyramid.topic}: {plural(len(pyramid.scus), 'SCU')} of {plural(pyramid.size, 'reference')}"
    rows = tuple((scu.id, scu.weight, scu.label) for scu in _heaviest_first(pyramid))
    caption = "\n".join(filter(None, (_threshold(pyramid), _unclear(pyramid))))
    return Table(("SCU", "weight", "label"), rows, title, caption, signature=signature)


def _threshold(pyramid: Pyramid) -> str:
    """Describe the threshold on edges, if the pyramid was made with one."""
    if "t_edge" not in pyramid.built:
        return ""
    pairs = int(pyramid.built["pairs"])
    several = "" if pairs == 1 else "s"
    of = f"a percentile of {pairs:,} pair{several} of segments" if pairs else "given, or no two references to compare"
    return f"t_edge: {pyramid.built['t_edge']:.3f} ({of})."


def _unclear(pyramid: Pyramid) -> str:
    """Say in a sentence which labels cannot be read by themselves."""
    unclear = [scu.id for scu in _heaviest_first(pyramid) if scu.unclear]
    if not unclear:
        return ""
    return f"These labels need their text to be understood, so no student gets them as advice: {', '.join(unclear)}."
