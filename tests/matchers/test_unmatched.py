"""Units of a summary that match nothing are of one kind, whoever matched: clauses without a word of a match."""

from __future__ import annotations

import pytest

from pyramidion.examples import example
from pyramidion.matchers import MATCHERS
from pyramidion.matchers.judged import units, unmatched
from pyramidion.model import Contributor, Match, Span, Summary

every = pytest.mark.parametrize("name", ["soft", "ape", "harnly", "passonneau", "peak"])


def test_a_clause_is_matched_by_a_word_of_it() -> None:
    peer = Summary("p", "The lake froze because it was cold. Frogs sing.", "peer")
    assert [peer.quote(one.spans) for one in unmatched(peer, [Match("1", (Span(4, 8),))])] == [
        "because it was cold",
        "Frogs sing.",
    ]
    assert len(unmatched(peer, [])) == 3
    assert not unmatched(peer, [Match("1", (Span(0, 47),))])


@every
def test_every_matcher_counts_the_same_units(name: str) -> None:
    (topic,) = example()[1:]
    assert topic.pyramid
    for peer in topic.peers:
        found = MATCHERS[name](topic.pyramid, peer)
        used = [span for match in found.matches for span in match.spans]
        assert [unit.spans for unit in found.unmatched] == sorted(
            unit.spans for sentence in units(peer) for unit in sentence if not _touches(unit, used)
        )


def _touches(unit: Contributor, used: list[Span]) -> bool:
    places = {place for span in unit.spans for place in range(span.start, span.end)}
    return any(not places.isdisjoint(range(span.start, span.end)) for span in used)
