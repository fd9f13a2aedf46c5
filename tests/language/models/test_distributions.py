"""Weights that are distributions of their own: what is missing or does not fit is said in one error."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pyramidion import api
from pyramidion.analyses.accuracy.candidates import matchers
from pyramidion.errors import MissingPartError
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.examples import example
from pyramidion.language.models import distributions
from pyramidion.language.models.distributions import ENTAILS, READER, WORDS, WRITES, Distribution, check
from pyramidion.language.models.graph_session import session
from pyramidion.methods import Method
from pyramidion.model import Summary, Topic

ALL = (*READER, WRITES)
WITHOUT = (
    "needs pyramidion-entails, pyramidion-words and pyramidion-writes, which are not installed; run: pip install "
    "'pyramidion-entails>=2,<3' 'pyramidion-words>=1,<2' 'pyramidion-writes>=1,<2'; or choose a method that goes by "
    "words: edua-p+soft, lite+soft"
)


def remove(monkeypatch: pytest.MonkeyPatch, *gone: Distribution) -> None:
    for distribution in gone:
        monkeypatch.setitem(sys.modules, distribution.package, None)


def test_one_message_names_everything_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first error named one distribution, and whoever installed it got a second error that named another."""
    remove(monkeypatch, *ALL)
    with pytest.raises(MissingPartError) as caught:
        evaluate(example()[:1])
    assert str(caught.value) == f"The method 'pyramidion' {WITHOUT}"
    with pytest.raises(MissingPartError) as caught:
        api.build(["It rained.", "It was wet."])
    assert str(caught.value) == f"The builder 'meaning' {WITHOUT}"


def test_the_hint_to_leave_the_writer_out_is_a_method_that_works(monkeypatch: pytest.MonkeyPatch) -> None:
    for distribution in READER:
        pytest.importorskip(distribution.package)
    remove(monkeypatch, WRITES)
    rain = Topic("rain", (Summary("1", "It rained all day."), Summary("2", "It rained all day.")))
    with pytest.raises(MissingPartError) as caught:
        api.build(rain)
    assert str(caught.value) == (
        "The builder 'meaning' needs pyramidion-writes, which is not installed; run: pip install "
        "'pyramidion-writes>=1,<2'; or let rules write, as the method 'pyramidion(writer=rules)' does"
    )
    assert [scu.weight for scu in api.build(rain, "pyramidion(writer=rules)").scus] == [2]


def test_weights_of_another_interface_are_refused_with_both_numbers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Weights of before said nothing of their interface; a network of three outputs must not be read for four."""
    (tmp_path / "pyramidion_entails.py").write_text("from pathlib import Path\nFOLDER = Path(__file__).parent\n")
    information = tmp_path / "pyramidion_entails-1.0.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.4\nName: pyramidion-entails\nVersion: 1.0.0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    remove(monkeypatch, ENTAILS, WORDS)
    del sys.modules[ENTAILS.package]  # which is found in the folder from now on
    monkeypatch.setattr(distributions, "__version__", "0.9")
    with pytest.raises(MissingPartError) as caught:
        Method.parse("lite").check_language(example()[:1])
    assert str(caught.value) == (
        "The method 'lite' needs pyramidion-words, which is not installed; pyramidion-entails 1.0.0 has interface 1, "
        "but pyramidion 0.9 reads interface 2; run: pip install 'pyramidion-entails>=2,<3' 'pyramidion-words>=1,<2'; "
        "or choose 'soft', which goes by words: edua-p+soft, lite+soft, given+soft"
    )
    with pytest.raises(
        MissingPartError, match="^It needs other weights; pyramidion-entails 1.0.0 has interface 1, but"
    ):
        check("It", {ENTAILS: ""})


def test_what_is_there_and_fits_is_not_complained_of() -> None:
    for distribution in ALL:
        pytest.importorskip(distribution.package)
    check("It", dict.fromkeys(ALL, ""))


def test_judges_without_their_weights_are_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    remove(monkeypatch, WORDS)
    assert {"entails", "either"} & {*matchers()} == set()
    assert "soft" in matchers()


@pytest.mark.parametrize(
    ("distribution", "inputs", "outputs"),
    [
        (ENTAILS, {"words": 768, "places": None, "whose": None, "mix": None}, {"logits": 4}),
        (
            WRITES,
            {
                "pieces": None,
                "places": None,
                "hidden": None,
                "last": None,
                **{f"{kind}.{layer}": 64 for layer in range(30) for kind in ("text", "past")},
            },
            None,
        ),
    ],
    ids=["entails", "writes"],
)
def test_an_interface_is_what_the_graph_takes_and_gives(
    distribution: Distribution, inputs: dict[str, int | None], outputs: dict[str, int] | None
) -> None:
    """Where this changes, the interface gets another number, here, in the package and in its version."""
    pytest.importorskip(distribution.package)
    assert (ENTAILS.interface, WRITES.interface) == (2, 1)
    graph = session((distribution.folder / "model.onnx").read_bytes())
    assert {value.name: value.shape[-1] if inputs.get(value.name) else None for value in graph.get_inputs()} == inputs
    if outputs is not None:
        assert {value.name: value.shape[-1] for value in graph.get_outputs()} == outputs
    else:
        assert len(graph.get_outputs()) == 31
