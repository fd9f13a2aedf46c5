"""The wordings of an SCU, which matchers compare with a peer."""

from __future__ import annotations

from pyramidion.model import SCU, Pyramid


def expressions(pyramid: Pyramid, scu: SCU) -> list[str]:
    """Return the words of the SCU's contributors, pieces of one joined; its label if nobody's words are known."""
    wordings = []
    for contributor in scu.contributors:
        text = pyramid.reference(contributor.summary).text
        words = " ".join(span.of(text) for span in contributor.spans) or contributor.label
        wordings.append(" ".join(words.split()))
    return list(filter(None, wordings)) or [scu.label]
