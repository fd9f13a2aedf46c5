"""Random values of the model, for properties that hold of all of them."""

from __future__ import annotations

from hypothesis import strategies as st

from pyramidion.model import (
    SCU,
    Annotation,
    Contradiction,
    Contributor,
    Match,
    Place,
    Pyramid,
    Source,
    Span,
    Summary,
    Topic,
)

IDS = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=6)
TEXTS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Cn"), exclude_characters="\ufffd")
    | st.sampled_from(list("\n <&>\"'- ")),
    max_size=60,
)
WORDS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "Zs")), max_size=20)


COMMENTS = WORDS | st.sampled_from(
    ["no answer", "not asked", "unsupported quote", "partial_support", "failed", "1.2.3", "1.2.3.4", 'source "1" 1-2']
)
"""Free text, some of which looks as if it were data."""
SEGMENTS = st.just("") | st.tuples(*[st.integers(1, 9)] * 2, *[st.integers(0, 9)] * 2).map(
    lambda numbers: ".".join(map(str, numbers))
)


@st.composite
def spans(draw: st.DrawFn, text: str, min_size: int = 0) -> tuple[Span, ...]:
    """Spans inside a text, possibly overlapping."""
    if not text:
        return ()
    found = []
    for _ in range(draw(st.integers(min_size, 3))):
        start = draw(st.integers(0, len(text) - 1))
        found.append(Span(start, draw(st.integers(start + 1, len(text)))))
    return tuple(found)


@st.composite
def contributed(
    draw: st.DrawFn, summary: str, where: st.SearchStrategy[tuple[Span, ...]], located: bool
) -> Contributor:
    """A contributor or an unmatched unit; with ``located``, what a person marks: words and a comment."""
    if located:
        return Contributor(summary, draw(where), comment=draw(COMMENTS))
    places = st.none() | st.integers(0, 9).map(lambda start: Place("a source", Span(start, start + 1)))
    supported = draw(st.booleans())
    return Contributor(
        summary,
        draw(where) if supported else (),
        comment=draw(COMMENTS),
        segment=draw(SEGMENTS),
        place=draw(places),
        reason=draw(WORDS),
        supported=supported,
        annotator=draw(WORDS),
    )


@st.composite
def matched(draw: st.DrawFn, scu: str, where: st.SearchStrategy[tuple[Span, ...]], located: bool) -> Match:
    """A match; with ``located``, a person's."""
    if located:
        return Match(scu, draw(where), comment=draw(COMMENTS))
    supported = draw(st.booleans())
    return Match(
        scu,
        draw(where) if supported else (),
        comment=draw(COMMENTS),
        segment=draw(SEGMENTS),
        reason=draw(WORDS),
        supported=supported,
    )


@st.composite
def contradicted(draw: st.DrawFn, scu: str, where: st.SearchStrategy[tuple[Span, ...]]) -> Contradiction:
    """A person's or a judge's."""
    probability, segment = draw(st.floats(0, 1)), draw(SEGMENTS)
    return Contradiction(scu, draw(where), probability, draw(COMMENTS), segment=segment, reason=draw(WORDS))


@st.composite
def pyramids(draw: st.DrawFn, topic: str = "t", located: bool = False) -> Pyramid:
    """A pyramid of up to five references and twelve SCUs; with ``located``, every contributor has spans."""
    texts = TEXTS.filter(bool) if located else TEXTS
    references = tuple(Summary(id, draw(texts)) for id in draw(st.lists(IDS, min_size=1, max_size=5, unique=True)))
    scus = []
    for number in range(draw(st.integers(0, 12))):
        owners = draw(st.lists(st.sampled_from(references), min_size=1, max_size=5, unique=True))
        contributors = tuple(
            draw(contributed(owner.id, spans(owner.text, min_size=int(located)), located)) for owner in owners
        )
        scus.append(
            SCU(
                str(number + 1),
                draw(WORDS).strip(),
                contributors,
                draw(COMMENTS),
                sentence="" if located else draw(WORDS),
                unclear="" if located else draw(WORDS),
            )
        )
    return Pyramid(topic, references, tuple(scus))


@st.composite
def annotations(draw: st.DrawFn, pyramid: Pyramid, id: str = "peer", located: bool = False) -> Annotation:
    """An annotation of a random peer; with ``located``, a person's, else perhaps a judge's, who gives probabilities."""
    peer = Summary(id, draw(TEXTS.filter(bool) if located else TEXTS), "peer")
    known = [scu.id for scu in pyramid.scus]
    chosen = draw(st.lists(st.sampled_from(known), max_size=8)) if known else []
    some = spans(peer.text, min_size=int(located))
    left = draw(st.permutations(sorted(set(known) - set(chosen)))) if not located else []
    unjudged, partial = left[: len(left) // 3], left[len(left) // 3 : len(left) // 2]
    against = left[len(left) // 2 : -(-len(left) * 3 // 4)]
    return Annotation(
        peer,
        tuple(draw(matched(scu, some, located)) for scu in chosen),
        tuple(draw(contributed(peer.id, some, located)) for _ in range(draw(st.integers(0, 4)))),
        comments=tuple(
            (scu, note) for scu, note in draw(st.dictionaries(st.sampled_from(known), COMMENTS.filter(bool))).items()
        )
        if known
        else (),
        probabilities=tuple((scu, draw(st.floats(0, 1))) for scu in known if scu not in unjudged)
        if not located and draw(st.booleans())
        else (),
        matcher="" if located else draw(WORDS),
        unjudged=tuple((scu, draw(st.sampled_from(("no answer", "not asked")))) for scu in unjudged),
        partial=tuple(partial),
        labels=() if located else tuple((scu, draw(WORDS)) for scu in known[:2]),
        unsupported=tuple(draw(st.lists(st.sampled_from(known), unique=True))) if known and not located else (),
        contradicted=tuple(draw(contradicted(scu, some)) for scu in against),
    )


@st.composite
def annotated(draw: st.DrawFn) -> tuple[Pyramid, Annotation]:
    """A pyramid and an annotation against it."""
    pyramid = draw(pyramids())
    return pyramid, draw(annotations(pyramid))


@st.composite
def topics(draw: st.DrawFn, located: bool = False) -> Topic:
    """A topic with everything."""
    id = draw(IDS)
    pyramid = draw(pyramids(id, located))
    peers = draw(st.lists(IDS, max_size=3, unique=True))
    made = tuple(draw(annotations(pyramid, peer, located)) for peer in peers)
    sources = tuple(Source(str(number), draw(TEXTS)) for number in range(draw(st.integers(0, 2))))
    return Topic(id, pyramid.references, tuple(one.summary for one in made), sources, pyramid, made)
