"""The network of ``entails``: what it promises whatever its weights, and a few statements that anybody can judge."""

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from pyramidion.errors import InputWarning, MissingPartError
from pyramidion.language.entailment import network as module
from pyramidion.language.entailment.network import (
    MOST_TEXT,
    EntailmentNetwork,
    clear,
    entailment_network,
    probabilities,
)
from pyramidion.matchers.entails import DENIED

TEXT = (
    "The council of Marwick voted on Tuesday to close the old bridge. Engineers had found cracks in three pillars. "
    "A new bridge will cost 40 million euros. Shop owners fear that they will lose customers while it is built."
)
SAID = [
    "The council decided to shut the old bridge.",
    "Cracks were discovered in three pillars.",
    "Merchants worry about losing business.",
]
CONTRADICTED = [
    "The council did not vote to close the bridge.",
    "Cracks were found in five pillars.",
    "Shop owners are not afraid of losing customers.",
]
NOT_SAID = ["Dogs like to bark.", "The engineers live in a small village.", "The vote took place on Friday."]
UNITS = [*SAID, *CONTRADICTED, *NOT_SAID]


def weights() -> Path:
    installed = pytest.importorskip("pyramidion_entails", reason="pip install ./entails: the weights are not installed")
    return installed.FOLDER


@pytest.fixture(scope="module")
def network() -> EntailmentNetwork:
    weights()
    return entailment_network()


def test_a_row_of_three_probabilities_for_every_unit(network):
    found = network.probabilities(TEXT, UNITS)
    assert found.shape == (len(UNITS), 3)
    assert np.abs(found.sum(axis=1) - 1).max() < 1e-3
    assert network.probabilities(TEXT, []).shape == (0, 3)


def test_a_probability_of_being_clear_for_every_statement():
    weights()
    found, none = clear([(TEXT, UNITS), (TEXT, [])])
    assert found.shape == (len(UNITS),)
    assert ((found >= 0) & (found <= 1)).all()
    assert none.shape == (0,)


def test_what_is_blank_is_not_clear():
    weights()
    assert [one.tolist() for one in clear([(TEXT, [" "]), ("", SAID[:1])])] == [[0.0], [0.0]]


def test_a_statement_is_clear_if_a_stranger_understands_it_and_its_text_says_it():
    """Of each pair the second leaves open who is meant, says what the text does not, or is no sentence."""
    weights()
    pairs = [
        ("Engineers had found cracks in three pillars of the old bridge.", "They had found them in three."),
        ("The council of Marwick voted to close the old bridge.", "Cracks voted to close the old bridge."),
        ("Shop owners in Marwick fear that they will lose customers.", "Shop owners fear that lose while built."),
    ]
    (found,) = clear([(TEXT, [one for pair in pairs for one in pair])])
    assert (found[::2] > found[1::2] + 0.3).all()


def test_statements_that_anybody_can_judge(network):
    found = network.probabilities(TEXT, UNITS)
    judged = [*SAID, *CONTRADICTED]
    verdict = [module.VERDICTS[place] for place in found[: len(judged)].argmax(axis=1)]
    assert verdict == ["said"] * len(SAID) + ["contradicted"] * len(CONTRADICTED)
    assert found[: len(SAID), 0].min() > 0.5
    silent = found[len(judged) :]
    assert silent[:, 0].max() < 0.2
    assert silent[:, 1].max() < DENIED


@pytest.mark.parametrize(
    ("text", "true", "false"),
    [
        ("Brazil beat Peru in the semi-final.", "Peru lost to Brazil.", "Peru beat Brazil in the semi-final."),
        (
            "The bank lent the brothers money.",
            "The brothers borrowed money from the bank.",
            "The brothers lent the bank money.",
        ),
        ("Rents rose faster than wages.", "Wages grew more slowly than rents.", "Wages rose faster than rents."),
        (
            "Families moved from the villages to the city.",
            "Families left the villages for the city.",
            "Families moved from the city to the villages.",
        ),
    ],
)
def test_who_did_what_to_whom(network, text, true, false):
    said = network.probabilities(text, [true, false])[:, 0]
    assert said[0] > 0.5 > said[1]


def test_the_words_of_a_text_in_another_order_say_nothing(network):
    shuffled = " ".join(sorted(TEXT.replace(".", "").split()))
    assert network.probabilities(shuffled, SAID)[:, 0].max() < network.probabilities(TEXT, SAID)[:, 0].min()


def test_a_unit_gets_the_same_answer_alone_and_in_any_company(network):
    together = network.probabilities(TEXT, UNITS)
    alone = np.concatenate([network.probabilities(TEXT, [unit]) for unit in UNITS])
    backwards = network.probabilities(TEXT, UNITS[::-1])[::-1]
    assert np.abs(together - alone).max() <= 2e-4
    assert np.abs(together - backwards).max() <= 2e-4


def test_rounded_activations_do_not_multiply_what_company_changes(network):
    """With one softmax for all pieces the logits of a unit moved by hundredths with the units beside it."""
    text, *units = network.pieces([TEXT, *UNITS])
    together = network._logits(text, units)
    alone = np.concatenate([network._logits(text, [unit]) for unit in units])
    assert np.abs(together - alone).max() < 1e-5


def test_the_size_of_a_pass_changes_nothing(network, monkeypatch):
    together = network.probabilities(TEXT, UNITS)
    monkeypatch.setattr(module, "AT_ONCE", 20)
    assert np.abs(network.probabilities(TEXT, UNITS) - together).max() <= 2e-4


def test_the_same_bytes_with_one_thread_and_with_several(network, monkeypatch):
    asked = [(TEXT, UNITS[:4]), (TEXT.partition(".")[0], UNITS[:1]), (TEXT, [])]
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("PYRAMIDION_THREADS", threads)
        found.append([rows.tobytes() for rows in network.all_answers(asked)])
    assert found[0] == found[1]
    assert found[0][0] == network.answers(*asked[0]).tobytes()


def test_an_empty_text_says_nothing_and_an_empty_unit_is_not_said(network):
    assert network.probabilities("", UNITS[:2]).tolist() == [[0, 0, 1]] * 2
    assert network.probabilities(" \n", UNITS[:1]).tolist() == [[0, 0, 1]]
    assert network.probabilities(TEXT, ["", SAID[0]])[0].tolist() == [0, 0, 1]


def test_a_text_beyond_the_window_is_read_to_its_end(network):
    filling = "The weather was mild and the harvest was good. " * 60
    assert len(network.pieces([filling])[0]) > MOST_TEXT
    found = network.probabilities(filling + TEXT, [SAID[0], NOT_SAID[0]])
    assert found[0, 0] > 0.5
    assert found[1, 2] > 0.5


def test_windows_overlap_by_half_and_hold_every_piece():
    for size in (MOST_TEXT, MOST_TEXT + 1, 3 * MOST_TEXT, 1234):
        windows = module._windows(list(range(size)))
        assert {piece for window in windows for piece in window} == set(range(size))
        assert max(map(len, windows)) <= MOST_TEXT
        assert all(later[0] - sooner[0] == MOST_TEXT // 2 for sooner, later in pairwise(windows))


def test_a_unit_that_is_cut_is_told(network):
    with pytest.warns(InputWarning, match="reads only its first 96"):
        network.probabilities(TEXT, ["word " * 120])


def test_without_the_distribution_an_error_gives_the_pip_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyramidion_entails", None)
    entailment_network.cache_clear()
    with pytest.raises(MissingPartError, match="needs pyramidion-entails, which is not .*'pyramidion-entails>=2,<3'$"):
        probabilities(TEXT, UNITS)
    entailment_network.cache_clear()


def test_damaged_weights_are_refused(tmp_path):
    for name in ("model.onnx", "words.npz", "tokenizer.json"):
        (tmp_path / name).write_bytes(b"damaged")
    (tmp_path / "SHA256SUMS").write_text(f"{'0' * 64}  model.onnx\n")
    with pytest.raises(MissingPartError, match=r"model\.onnx: its content is not what was released"):
        EntailmentNetwork(tmp_path, tmp_path)
    with pytest.raises(MissingPartError, match=r"words\.npz: its content is .*--no-deps 'pyramidion-words>=1,<2'$"):
        EntailmentNetwork(weights(), tmp_path)
    with pytest.raises(MissingPartError, match="SHA256SUMS"):
        EntailmentNetwork(tmp_path / "nowhere", tmp_path)


def test_nothing_is_reported_home_or_kept_there(tmp_path: Path) -> None:
    weights()  # skipped where they are not installed
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    code = (
        "from pyramidion.language.entailment.network import probabilities; probabilities('It rained.', ['It rained.'])"
    )
    subprocess.run([sys.executable, "-c", code], env=environment | {"HOME": str(tmp_path)}, check=True)
    assert list(tmp_path.iterdir()) == []
