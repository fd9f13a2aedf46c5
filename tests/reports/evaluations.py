"""Evaluations that are hard on a page."""

from __future__ import annotations

import warnings

from pyramidion.errors import InputWarning
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.evaluation.evaluation import Evaluation
from pyramidion.model import SCU, Annotation, Contradiction, Contributor, Match, Pyramid, Span, Summary, Topic
from pyramidion.scoring import DEFAULT, Presence, Settings

ATTACK = (
    "</script><script>window.attacked = 1</script><img src=x onerror='window.attacked = 1'>"
    '<!-- <svg onload="window.attacked = 1"> &amp; {{ 7 * 7 }} '
)


def _of(pyramid: Pyramid, *annotations: Annotation, settings: Settings = DEFAULT) -> Evaluation:
    peers = tuple(annotation.summary for annotation in annotations)
    return evaluate([Topic(pyramid.topic, pyramid.references, peers, (), pyramid, annotations)], "manual", settings)


def at(text: str, *words: str) -> tuple[Span, ...]:
    """Where the words stand in the text."""
    return tuple(Span(text.index(one), text.index(one) + len(one)) for one in words)


def hostile() -> Evaluation:
    """Markup, control characters, right-to-left text and characters beyond the basic plane, in every place for text."""
    said = (
        "\U0001f600\U0001f44d\U0001f3fd The lake \u0633\u0644\u0627\u0645 died. " + ATTACK + "After\x00\x07 all\r\nso."
    )
    reference = Summary(f"A{ATTACK}", f"The \U0001f41f died. {ATTACK}")
    pyramid = Pyramid(
        f"t{ATTACK}",
        (reference, Summary("B\x01", "Died.")),
        (
            SCU("1", f"fish {ATTACK}", (Contributor(reference.id, at(reference.text, "The \U0001f41f died")),)),
            SCU("2", "\u0633\u0644\u0627\u0645", (Contributor("B\x01", (), f"died {ATTACK}"),)),
            SCU("3", f"no lake {ATTACK}", (Contributor("B\x01", (), f"no {ATTACK}"),), unclear=f"what? {ATTACK}"),
        ),
    )
    peer = Summary(f"p{ATTACK}", said, "peer")
    return _of(
        pyramid,
        Annotation(
            peer,
            (
                Match("1", at(said, "The lake", "died"), 0.9, reason=f"r{ATTACK}"),
                Match("2", at(said, "lake \u0633\u0644\u0627\u0645"), 0.5),
            ),
            (Contributor(peer.id, at(said, "After")),),
            f"me{ATTACK}",
            contradicted=(Contradiction("3", at(said, ATTACK), comment=f"c{ATTACK}", reason=f"no{ATTACK}"),),
        ),
    )


def segmented() -> Evaluation:
    """What a matcher writes: similarities below 1, and the names of segments."""
    reference = "Fish died in the lake. Farms fed it phosphorus."
    pyramid = Pyramid(
        "lake",
        (Summary("A", reference), Summary("B", reference)),
        (
            SCU("s1", "Fish died", tuple(Contributor(one, at(reference, "Fish died in the lake")) for one in "AB")),
            SCU("s2", "Farms fed the lake", (Contributor("A", at(reference, "Farms fed it phosphorus")),)),
        ),
    )
    text = "The fish died, and a boat sank."
    peer = Summary("p", text, "peer")
    match = Match("s1", at(text, "The fish died"), 0.87, segment="1.1.1.0")
    return _of(pyramid, Annotation(peer, (match,), (Contributor("p", at(text, "a boat sank"), segment="1.1.1.1"),)))


def judged(presence: Presence = "expected") -> Evaluation:
    """What a judge writes: a probability for every SCU, here of weight 2, 2 and 1; the first is matched."""
    reference = "Fish died in the lake. Farms fed it phosphorus. Reeds grew."
    said = ("Fish died in the lake", "Farms fed it phosphorus", "Reeds grew")
    pyramid = Pyramid(
        "lake",
        (Summary("A", reference), Summary("B", reference)),
        tuple(
            SCU(f"s{number}", words, tuple(Contributor(one, at(reference, words)) for one in owners))
            for number, (words, owners) in enumerate(zip(said, ("AB", "AB", "A"), strict=True), 1)
        ),
    )
    text = "The fish died, and a farmer came."
    peer = Summary("p", text, "peer")
    annotation = Annotation(
        peer,
        (Match("s1", at(text, "The fish died"), 0.875, segment="1.1.1.0"),),
        (Contributor("p", at(text, ", and a farmer came."), segment="1.1.1.1"),),
        probabilities=(("s1", 0.875), ("s2", 0.375), ("s3", 0.03125)),
    )
    return _of(pyramid, annotation, settings=Settings(presence=presence))


def crowded(scus: int = 120, peers: int = 70) -> Evaluation:
    """A pyramid with a wide lowest tier, and a class of pupils with long names."""
    words = [f"word{number}" for number in range(scus)]
    texts = {name: " ".join(words) for name in "ABC"}

    def unit(number: int, word: str) -> SCU:
        owners = "ABC"[: 3 if number < 3 else 2 if number < 10 else 1]
        return SCU(f"u{number}", f"label {word}", tuple(Contributor(one, at(texts[one], word)) for one in owners))

    made = tuple(unit(number, word) for number, word in enumerate(words))
    pyramid = Pyramid("wide", tuple(Summary(*pair) for pair in texts.items()), made)

    def annotation(number: int) -> Annotation:
        chosen = range(number % 7, scus, 9)
        text = " ".join(words[one] for one in chosen)
        peer = Summary(f"a-pupil-with-a-long-name-{number:03}" + "x" * 40, text, "peer")
        return Annotation(peer, tuple(Match(f"u{one}", at(text, words[one])) for one in chosen))

    return _of(pyramid, *map(annotation, range(peers)))


def unread() -> Evaluation:
    """One summary that nobody annotated, beside one that somebody did."""
    reference = Summary("A", "Fish died.")
    pyramid = Pyramid("t", (reference,), (SCU("1", "fish died", (Contributor("A", (Span(0, 9),)),)),))
    anna, ben = Summary("anna", "Fish died.", "peer"), Summary("ben", "Fish live.", "peer")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        return _of(
            pyramid, Annotation(anna, (Match("1", (Span(0, 9),)),)), Annotation(ben, unjudged=(("1", "not asked"),))
        )


def contradicting(presence: Presence = "expected") -> Evaluation:
    """What a judge of three verdicts writes, of SCUs of weight 2, 2 and 1: one said, one contradicted, one neither."""
    (one,) = judged(presence).results
    text = "The fish died, but the farms kept their phosphorus out of it. A boat sank."
    peer = Summary("p", text, "peer")
    annotation = Annotation(
        peer,
        (Match("s1", at(text, "The fish died"), 0.875, segment="1.1.1.0"),),
        (
            Contributor("p", at(text, "but the farms kept their phosphorus out of it"), segment="1.1.1.1"),
            Contributor("p", at(text, "A boat sank"), segment="1.2.0.0"),
        ),
        probabilities=(("s1", 0.875), ("s2", 0.125), ("s3", 0.03125)),
        contradicted=(
            Contradiction("s2", at(text, "the farms kept their phosphorus out of it"), 0.75, segment="1.1.1.1"),
        ),
    )
    return _of(one.pyramid, annotation, settings=Settings(presence=presence))


def school() -> Topic:
    """A class of seven, read by a judge: one copies, one is brief, one contradicts, one writes in another language."""
    reference = (
        "The town closed the old bridge in May. Engineers had found cracks in two of its piers. "
        "Buses now take a detour of nine miles. The council will vote on a new bridge in autumn."
    )
    said = (
        ("bridge", "The town closed the old bridge in May", "ABC"),
        ("cracks", "Engineers had found cracks in two of its piers", "ABC"),
        ("buses", "Buses now take a detour of nine miles", "AB"),
        ("vote", "The council will vote on a new bridge in autumn", "A"),
    )
    scus = tuple(
        SCU(id, words, tuple(Contributor(one, at(reference, words)) for one in owners)) for id, words, owners in said
    )
    pyramid = Pyramid("bridge", tuple(Summary(one, reference) for one in "ABC"), scus)

    def pupil(
        name: str, text: str, probabilities: tuple[float, ...], said: dict[str, str], against: str = "", words: str = ""
    ) -> Annotation:
        place = at(text, words) if words else ()
        return Annotation(
            Summary(name, text, "peer"),
            tuple(Match(id, at(text, found)) for id, found in said.items()),
            (Contributor(name, place),) if place else (),
            probabilities=tuple(zip((scu.id for scu in scus), probabilities, strict=True)),
            contradicted=(Contradiction(against, place, 0.8),) if against else (),
        )

    german = "Die Stadt hat die alte Brücke im Mai geschlossen, weil die Pfeiler Risse haben und alt sind."
    annotations = (
        pupil(
            "Ada",
            "Cracks in the piers made the town shut its bridge in May, so buses go round for nine miles.",
            (0.98, 0.95, 0.9, 0.02),
            {"cracks": "Cracks in the piers", "bridge": "the town shut its bridge in May", "buses": "buses go round"},
        ),
        pupil("Ben", reference, (0.99, 0.99, 0.99, 0.99), {id: words for id, words, _ in said}),
        pupil(
            "Cem",
            "In May the bridge was shut. Engineers found no cracks at all, and the buses run as they always did.",
            (0.97, 0.03, 0.05, 0.02),
            {"bridge": "In May the bridge was shut"},
            "cracks",
            "Engineers found no cracks at all",
        ),
        pupil("Dee", "The bridge is old.", (0.35, 0.04, 0.02, 0.02), {}),
        pupil(
            "Eli",
            "In May the old bridge was closed, and people may decide about another in the autumn.",
            (0.96, 0.05, 0.04, 0.6),
            {"bridge": "In May the old bridge was closed", "vote": "people may decide about another in the autumn"},
        ),
        pupil("Fay", german, (0.4, 0.45, 0.05, 0.02), {}),
        pupil(
            "Gus",
            "Because the piers are cracked nobody may cross the old bridge any more since May this year.",
            (0.9, 0.88, 0.1, 0.03),
            {"cracks": "the piers are cracked", "bridge": "nobody may cross the old bridge any more since May"},
        ),
    )
    return Topic("bridge", pyramid.references, tuple(one.summary for one in annotations), (), pyramid, annotations)
