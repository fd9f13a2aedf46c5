"""The network of ``writes``: what it promises whatever its weights, and sentences that anybody can write."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pyramidion.errors import MissingPartError
from pyramidion.language.statements import writing_network as module
from pyramidion.language.statements.writing_network import (
    MOST_SENTENCE,
    MOST_TEXT,
    WritingNetwork,
    _whole_lines,
    parts,
    statement_lines,
    writing_network,
)

BRIDGE = [
    "The council of Marwick voted on Tuesday to close the old bridge.",
    "Engineers had found cracks in three of its pillars, which they blame on the lorries of the quarry.",
    "It will be replaced.",
    "A new one will cost 40 million euros, of which the state pays half, and shop owners fear that they will lose "
    "customers while it is built.",
    "The mayor, who voted against it, wants a ferry meanwhile.",
]
HOMEWORK = [
    "For twenty years Ruth Calder handed out worksheets every afternoon.",
    "Now the teacher wants to see them banned.",
    "Her main point is fairness, since homework rewards children whose parents have time and education and punishes the "
    "rest, who have no quiet corner to work in.",
    "She also doubts that it is any use: studies show that younger pupils learn next to nothing from it.",
    "When she gave it up in her own classroom, results stayed as good as before, and the children arrived rested.",
    "To those who say that homework teaches discipline she replies that it teaches copying, for half of her pupils used "
    "to have theirs from a friend or the internet.",
    "Practice must take place at school under the eyes of a teacher.",
    "She would spare only one task, a book before bedtime.",
]
SIZES = st.lists(st.integers(0, MOST_SENTENCE) | st.integers(0, 3 * MOST_TEXT), max_size=40)


def weights() -> Path:
    installed = pytest.importorskip("pyramidion_writes", reason="pip install ./writes: the weights are not installed")
    folder: Path = installed.FOLDER
    return folder


@pytest.fixture(scope="module")
def network() -> WritingNetwork:
    weights()
    return writing_network()


@pytest.fixture
def nothing_kept() -> Iterator[None]:
    """What a test reads or writes is neither known before nor after."""
    module._statement_cache.cache_clear()
    yield
    module._statement_cache.cache_clear()


def test_a_list_of_lines_for_every_sentence_that_is_asked_in_the_order_of_asking(network: WritingNetwork) -> None:
    found = network.write(BRIDGE, [2, 0])
    assert len(found) == 2
    assert "Marwick" in found[1][0]
    assert "Marwick voted" not in " ".join(found[0])
    assert network.write(BRIDGE, []) == []


def test_a_sentence_that_states_one_thing_stays_as_it_is(network: WritingNetwork) -> None:
    alone = ["Dogs bark.", "The lake was closed in May."]
    assert network.write(alone, [0, 1]) == [["Dogs bark."], ["The lake was closed in May."]]


def test_a_pronoun_is_written_out_from_the_text(network: WritingNetwork) -> None:
    ((line, *_),) = network.write(["The mill was sold in May.", "It burnt down in June."], [1])
    assert line.startswith("The mill ")
    assert line.endswith(" down in June.")


def test_a_sentence_is_written_the_same_alone_and_in_any_company(network: WritingNetwork) -> None:
    """The same letters: sentences that are written side by side are filled up to one length, and none may notice."""
    numbers = list(range(len(HOMEWORK)))
    together = network.write(HOMEWORK, numbers)
    assert [network.write(HOMEWORK, [number])[0] for number in numbers] == together
    assert network.write(HOMEWORK, numbers[::-2]) == together[::-2]


def test_other_texts_in_the_call_and_the_number_of_threads_change_nothing(
    monkeypatch: pytest.MonkeyPatch, nothing_kept: None
) -> None:
    weights()
    asked = [(BRIDGE, [2, 4]), (HOMEWORK[:2], [1]), (BRIDGE[:3], [2]), (HOMEWORK, [])]
    found = []
    for threads, order in (("1", 1), ("3", 1), ("3", -1)):
        monkeypatch.setenv("PYRAMIDION_THREADS", threads)
        writing_network.cache_clear()  # it counts threads when it is loaded
        module._statement_cache.cache_clear()
        found.append(statement_lines(asked[::order])[::order])
    monkeypatch.undo()
    writing_network.cache_clear()
    module._statement_cache.cache_clear()
    assert found[0] == found[1] == found[2]
    assert [len(lines) for lines in found[0]] == [2, 1, 1, 0]
    assert found[0][:3] == [statement_lines([pair])[0] for pair in asked[:3]]


def test_what_was_written_once_needs_no_network_again(
    monkeypatch: pytest.MonkeyPatch, nothing_kept: None, tmp_path: Path
) -> None:
    weights()
    monkeypatch.setenv("PYRAMIDION_CACHE", str(tmp_path))
    first = statement_lines([(BRIDGE, [2])])
    module._statement_cache.cache_clear()  # as in another process
    monkeypatch.setattr(WritingNetwork, "write", None)
    assert statement_lines([(BRIDGE, [2])]) == first
    with pytest.raises(TypeError):
        statement_lines([(BRIDGE, [1])])


def test_what_is_kept_of_a_text_is_not_taken_for_another_that_ends_in_a_number(nothing_kept: None) -> None:
    weights()
    one, other = ["Dogs bark.", "Cats sleep."], ["Dogs bark.", "Cats sleep.", "0"]
    assert [len(statement_lines([asked])[0]) for asked in ((one, [0, 1]), (other, [1]))] == [2, 1]


def test_blank_sentences_and_those_that_are_too_long_state_nothing(network: WritingNetwork) -> None:
    long = "The mill was sold and " * MOST_SENTENCE + "closed."
    found = network.write(["", " \n\t", "Dogs bark.", long], [0, 1, 2, 3])
    assert found == [[], [], ["Dogs bark."], []]
    assert network.write([""], [0]) == [[]]
    assert network.write([long], [0]) == [[]]


def test_a_sentence_far_into_a_long_text_is_written_in_the_light_of_what_is_before_it(network: WritingNetwork) -> None:
    filling = [f"In week {number} the weather was mild and the harvest was good." for number in range(80)]
    assert sum(len(network._pairs.ids(sentence)) for sentence in filling) > MOST_TEXT
    sentences = [*filling, "Anna Smith bought the mill.", "She painted it blue."]
    ((line, *_),) = network.write(sentences, [len(sentences) - 1])
    assert line == "Anna Smith painted the mill blue."


@settings(max_examples=300)
@given(sizes=SIZES)
@example(sizes=[])
@example(sizes=[MOST_TEXT + 1, 0, 1])
@example(sizes=[MOST_TEXT // 2] * 5)
def test_every_sentence_is_asked_once_and_read_with_what_fits_before_it(sizes: list[int]) -> None:
    made = list(parts(sizes))
    assert [number for _, first, last in made for number in range(first, last)] == list(range(len(sizes)))
    for before, first, last in made:
        assert before <= first < last
        assert sum(sizes[before:first]) <= MOST_TEXT // 2
        assert sum(sizes[before:last]) <= MOST_TEXT or last == first + 1
        # no more would fit
        assert before == 0 or sum(sizes[before - 1 : first]) > MOST_TEXT // 2
        assert last == len(sizes) or sum(sizes[before : last + 1]) > MOST_TEXT


def test_a_short_text_is_read_at_once() -> None:
    assert list(parts([MOST_TEXT // 2, MOST_TEXT // 2])) == [(0, 0, 2)]


@given(lines=st.lists(st.lists(st.integers(1, 9), max_size=4), min_size=1, max_size=5))
def test_of_what_is_cut_off_the_lines_that_are_whole_are_kept(lines: list[list[int]]) -> None:
    pieces = [piece for line in lines for piece in (0, *line)][1:]  # 0 ends a line
    whole = [piece for line in lines[:-1] for piece in (0, *line)][1:]
    assert _whole_lines(pieces, 0) == whole


@settings(max_examples=8)
@given(st.lists(st.text(max_size=20) | st.sampled_from([*BRIDGE[:3], "<|endoftext|>", "<|im_end|>", "?"]), max_size=4))
@example(["\ud800", "\x04\x06", "\U0010ffff", "<|im_start|><file_sep>"])
def test_any_text_gives_lists_of_lines(sentences: list[str]) -> None:
    weights()
    found = writing_network().write(sentences, range(len(sentences)))
    assert len(found) == len(sentences)
    for sentence, lines in zip(sentences, found, strict=True):
        assert all(line == line.strip() and line and "\n" not in line for line in lines)
        assert sentence.split() or not lines


def test_without_the_distribution_an_error_gives_the_pip_line_and_the_other_writer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pyramidion_writes", None)
    with pytest.raises(MissingPartError, match=r"pip install 'pyramidion-writes>=1,<2'; or choose the writer 'rules'"):
        statement_lines([(BRIDGE, [0])])
    assert statement_lines([(BRIDGE, []), (HOMEWORK, [])]) == [[], []]


@pytest.mark.parametrize("name", ["model.onnx", "pieces.json"])
def test_a_damaged_file_is_refused_with_the_line_how_to_install_again(tmp_path: Path, name: str) -> None:
    for file in weights().iterdir():
        if file.name in ("SHA256SUMS", "model.onnx", "pieces.json"):
            (tmp_path / file.name).symlink_to(file)
    (tmp_path / name).unlink()
    (tmp_path / name).write_bytes(b"damaged")
    with pytest.raises(MissingPartError, match="its content is not what was released") as caught:
        WritingNetwork(tmp_path)
    assert name in str(caught.value)
    assert "pip install --force-reinstall --no-deps 'pyramidion-writes>=1,<2'" in str(caught.value)


def test_a_folder_without_digests_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        MissingPartError, match=r"(?s)SHA256SUMS.*--force-reinstall --no-deps 'pyramidion-writes>=1,<2'"
    ):
        WritingNetwork(tmp_path / "nowhere")


def test_nothing_is_reported_home_or_kept_there(tmp_path: Path) -> None:
    weights()  # skipped where they are not installed
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    code = "from pyramidion.language.statements.writing_network import statement_lines; statement_lines([(['It rained.'], [0])])"
    subprocess.run([sys.executable, "-c", code], env=environment | {"HOME": str(tmp_path)}, check=True)
    assert list(tmp_path.iterdir()) == []
