"""Random values of the model, for properties that hold of all of them."""

from __future__ import annotations

from hypothesis import strategies as st

from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Source, Span, Summary, Topic

IDS = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=6)
TEXTS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Cn"), exclude_characters="\ufffd")
    | st.sampled_from(list("\n <&>\"'- ")),
    max_size=60,
)
WORDS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "Zs")), max_size=20)


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
def pyramids(draw: st.DrawFn, topic: str = "t", located: bool = False) -> Pyramid:
    """A pyramid of up to five references and twelve SCUs; with ``located``, every contributor has spans."""
    texts = TEXTS.filter(bool) if located else TEXTS
    references = tuple(Summary(id, draw(texts)) for id in draw(st.lists(IDS, min_size=1, max_size=5, unique=True)))
    scus = []
    for number in range(draw(st.integers(0, 12))):
        owners = draw(st.lists(st.sampled_from(references), min_size=1, max_size=5, unique=True))
        contributors = tuple(
            Contributor(owner.id, draw(spans(owner.text, min_size=int(located))), comment=draw(WORDS))
            for owner in owners
        )
        scus.append(SCU(str(number + 1), draw(WORDS).strip(), contributors, draw(WORDS)))
    return Pyramid(topic, references, tuple(scus))


@st.composite
def annotations(draw: st.DrawFn, pyramid: Pyramid, id: str = "peer", located: bool = False) -> Annotation:
    """An annotation of a random peer; with ``located``, a person's, else perhaps a judge's, who gives probabilities."""
    peer = Summary(id, draw(TEXTS.filter(bool) if located else TEXTS), "peer")
    known = [scu.id for scu in pyramid.scus]
    chosen = draw(st.lists(st.sampled_from(known), max_size=8)) if known else []
    some = spans(peer.text, min_size=int(located))
    return Annotation(
        peer,
        tuple(Match(scu, draw(some), comment=draw(WORDS)) for scu in chosen),
        tuple(Contributor(peer.id, draw(some), comment=draw(WORDS)) for _ in range(draw(st.integers(0, 4)))),
        comments=tuple(
            (scu, note) for scu, note in draw(st.dictionaries(st.sampled_from(known), WORDS.filter(bool))).items()
        )
        if known
        else (),
        probabilities=tuple((scu, draw(st.floats(0, 1))) for scu in known)
        if not located and draw(st.booleans())
        else (),
        unsupported=tuple(draw(st.lists(st.sampled_from(known), unique=True))) if known and not located else (),
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
