"""The three builders on texts."""

import random
import warnings
from pathlib import Path

import pytest

from pyramidion.builders import BUILDERS, assemble
from pyramidion.builders._labels import label
from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.examples import example
from pyramidion.language.parse.clauses import parse_segment_id
from pyramidion.language.parse.segmented import segmented
from pyramidion.methods import Method
from pyramidion.model import Pyramid, Summary, Topic

ALL = ["edua-c", "edua-g", "edua-p"]
TEXTS = (
    "The lake was closed because algae had spread. Fishermen lost their income, and the town asked for help.",
    "Algae spread, so the council closed the lake. The town asked the state for help.",
    "Since algae had spread, the lake was closed in May. Many fishermen lost their income.",
    "In May the council closed the lake. Fishermen earned nothing while the algae spread.",
)


def topic(*texts: str) -> Topic:
    return Topic("lake", tuple(Summary(f"r{number}", text) for number, text in enumerate(texts)))


def build(name: str, texts: Topic, **settings: object) -> Pyramid:
    return BUILDERS[name](texts, **settings)  # type: ignore[call-arg]


def contents(pyramid: Pyramid) -> list[tuple[str, list[tuple[str, str]]]]:
    """SCUs without the names of references."""
    return [
        (scu.label, sorted((pyramid.reference(c.summary).text, pyramid.words(c)) for c in scu.contributors))
        for scu in pyramid.scus
    ]


@pytest.mark.parametrize("name", ALL)
def test_every_contributor_is_a_segment_of_its_reference(name: str) -> None:
    pyramid = build(name, topic(*TEXTS))
    assert pyramid.order > 1
    seen: dict[tuple[int, int], set[int]] = {}
    used: dict[tuple[int, int], set[int]] = {}
    for scu in pyramid.scus:
        assert scu.weight == len(scu.contributors)
        for contributor in scu.contributors:
            place = parse_segment_id(contributor.segment)
            assert place
            reference, sentence, segmentation, segment = place
            assert pyramid.references[reference].id == contributor.summary
            text = segmented(pyramid.references[reference].text)
            assert text.sentences[sentence][segmentation][segment].spans == contributor.spans
            seen.setdefault((reference, sentence), set()).add(segmentation)
            assert segment not in used.setdefault((reference, sentence), set())
            used[reference, sentence].add(segment)
    for number, reference in enumerate(pyramid.references):
        for sentence, kinds in enumerate(segmented(reference.text).sentences):
            (segmentation,) = seen[number, sentence]
            assert used[number, sentence] == set(range(len(kinds[segmentation])))


@pytest.mark.parametrize("name", ALL)
def test_ids_and_labels(name: str) -> None:
    pyramid = build(name, topic(*TEXTS))
    assert [scu.id for scu in pyramid.scus] == [str(number) for number in range(1, len(pyramid.scus) + 1)]
    weights = [scu.weight for scu in pyramid.scus]
    assert weights == sorted(weights, reverse=True)
    for scu in pyramid.scus:
        said = {
            label(text.analysis, segment)
            for text in map(segmented, TEXTS)
            for kinds in text.sentences
            for kind in kinds
            for segment in kind
        }
        assert scu.label in said


@pytest.mark.parametrize("name", ALL)
def test_order_and_names_of_references_change_nothing_else(name: str) -> None:
    expected = build(name, topic(*TEXTS))
    references = list(expected.references)
    for seed in range(3):
        random.Random(seed).shuffle(references)
        assert build(name, Topic("lake", tuple(references))) == expected
    renamed = Topic("lake", tuple(Summary(f"z{7 - int(one.id[1:])}", one.text) for one in references))
    other = build(name, renamed)
    assert contents(other) == contents(expected)
    assert [one.text for one in other.references] == [one.text for one in expected.references]


@pytest.mark.parametrize("name", ALL)
def test_one_reference_has_weight_one_throughout(name: str) -> None:
    pyramid = build(name, topic(TEXTS[0]))
    assert [(scu.label, scu.weight) for scu in pyramid.scus] == [
        ("The lake was closed because algae had spread", 1),
        ("Fishermen lost their income, and the town asked for help", 1),
    ]


@pytest.mark.parametrize("name", ALL)
def test_twenty_identical_references_give_every_sentence_the_weight_twenty(name: str) -> None:
    pyramid = build(name, topic(*[TEXTS[0]] * 20))
    assert [scu.weight for scu in pyramid.scus] == [20, 20]


@pytest.mark.parametrize("name", ALL)
def test_a_copy_adds_its_weight_and_nothing_else(name: str) -> None:
    once, twice = build(name, topic(*TEXTS)), build(name, topic(*TEXTS, TEXTS[0]))
    assert sorted(scu.label for scu in once.scus) == sorted(scu.label for scu in twice.scus)
    heavier = sum(scu.weight for scu in twice.scus) - sum(scu.weight for scu in once.scus)
    mine = [c for scu in once.scus for c in scu.contributors if once.reference(c.summary).text == TEXTS[0]]
    assert heavier == len(mine)


@pytest.mark.parametrize("name", ALL)
def test_twenty_nearly_identical_references(name: str) -> None:
    texts = [f"The lake was closed in {1990 + n}. Fishermen lost income number {n}." for n in range(20)]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        pyramid = build(name, topic(*texts), t_edge=0.6, limit=2000)
    assert any("candidate SCUs" in str(one.message) for one in told) == (name != "edua-p")
    assert sum(scu.weight for scu in pyramid.scus) >= 40
    if name == "edua-p":
        assert [scu.weight for scu in pyramid.scus] == [20, 20]


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("blank", ["", " \n\t", "...", "\x00\x07"])
def test_a_blank_reference_is_left_out_with_a_warning(name: str, blank: str) -> None:
    with pytest.warns(InputWarning, match="'r4' say"):
        pyramid = build(name, topic(*TEXTS, blank))
    assert pyramid == build(name, topic(*TEXTS))


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("texts", [(), ("",), ("", "?!")])
def test_nothing_to_build_from_is_an_error(name: str, texts: tuple[str, ...]) -> None:
    with pytest.raises(PyramidionError, match="no reference with any words"):
        build(name, topic(*texts))


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    "texts",
    [
        ("Lake", "lake", "Pond"),
        ("The lake.", "A big lake.", "No more fish."),
        ("The \x00lake\x07 was\u202e closed.", "The lake\x1b[0m was closed."),
        ("Озеро закрыли, потому что появились водоросли.", "Водоросли появились, и озеро закрыли."),
        ("湖被关闭了。", "The lake was closed.", "\uff34\uff48\uff45\u3000\uff4c\uff41\uff4b\uff45"),
        ("a " * 300, "b"),
    ],
)
def test_odd_texts_have_a_pyramid_with_every_reference(name: str, texts: tuple[str, ...]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        pyramid = build(name, topic(*texts))
    assert {c.summary for scu in pyramid.scus for c in scu.contributors} == {r.id for r in pyramid.references}
    assert len(pyramid.references) == len(texts)


def test_long_texts_keep_fewer_segmentations(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole, three clauses, and two merges of two segments each: 1 + 3 + 2 + 2."""
    text = "He came because she called, although it rained."
    for room, kept in ((7, "finest"), (3, "one segment")):
        monkeypatch.setattr(assemble, "MAX_SEGMENTS", room)
        with pytest.warns(InputWarning, match=kept):
            build("edua-g", topic(text))
    monkeypatch.setattr(assemble, "MAX_SEGMENTS", 0)
    with pytest.raises(PyramidionError, match="too many to compare"):
        build("edua-g", topic(text))


@pytest.mark.parametrize("name", ALL)
def test_settings_are_a_methods_parameters(name: str) -> None:
    method = Method(name, "given", (("percentile", 60), ("embedder", "static")))
    assert method.pyramid(topic(*TEXTS)) == build(name, topic(*TEXTS), percentile=60.0, embedder="static")


@pytest.mark.parametrize("name", ALL)
def test_a_pyramid_knows_its_threshold_on_edges(name: str) -> None:
    built = build(name, example()[0]).built
    assert 0.15 < built["t_edge"] < 0.9
    assert built["pairs"] > 1000
    assert build(name, example()[0], t_edge=0.5).built == {"t_edge": 0.5, "pairs": 0}


def test_the_threshold_is_remembered_with_a_pyramid_that_is_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYRAMIDION_CACHE", str(tmp_path))
    first, again = (Method.parse("pyreval").pyramid(example()[0]) for _ in range(2))
    assert first == again
    assert first is not again
    assert first.built == again.built != {}


def test_a_low_threshold_is_told() -> None:
    with pytest.warns(
        InputWarning, match=r"Topic 'lake-revival': t_edge, .* is -?0\.\d\d, a percentile of 3,693 pairs"
    ):
        build("edua-g", example()[0], percentile=20, limit=1_000_000)
