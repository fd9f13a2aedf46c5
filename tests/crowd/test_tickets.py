"""Tickets: only the right one is right, and a restart keeps it."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from pyramidion.crowd.tickets import SECRET, is_ticket, read_or_make_secret, ticket
from pyramidion.errors import PyramidionError

SECRETS = st.binary(min_size=32, max_size=32)
TRIPLES = st.tuples(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20))
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


@given(SECRETS, TRIPLES)
def test_what_was_handed_out_is_known(secret: bytes, about: tuple[str, str, str]) -> None:
    handed_out = ticket(secret, *about)
    assert is_ticket(handed_out, secret, *about)
    assert (len(handed_out), set(handed_out) <= set(ALPHABET)) == (43, True)


@given(SECRETS, TRIPLES, TRIPLES)
@example(b"x" * 32, ("s", "t1", "anna"), ("s", "t", "1anna"))
@example(b"x" * 32, ("s", "t", "anna"), ("s", "anna", "t"))
@example(b"x" * 32, ("s", "1:t", "w"), ("s1:", "t", "w"))
def test_a_ticket_is_none_for_another_study_task_or_worker(
    secret: bytes, about: tuple[str, str, str], other: tuple[str, str, str]
) -> None:
    assume(about != other)
    assert not is_ticket(ticket(secret, *about), secret, *other)


@given(SECRETS, SECRETS, TRIPLES)
def test_nobody_without_the_secret_makes_one(secret: bytes, guess: bytes, about: tuple[str, str, str]) -> None:
    assume(secret != guess)
    assert not is_ticket(ticket(guess, *about), secret, *about)


@given(SECRETS, TRIPLES, st.integers(0, 42), st.sampled_from(ALPHABET), st.text(min_size=1, max_size=3))
def test_a_ticket_that_is_cut_changed_or_longer_is_none(
    secret: bytes, about: tuple[str, str, str], place: int, letter: str, more: str
) -> None:
    right = ticket(secret, *about)
    assert not is_ticket(right[:place], secret, *about)
    assert not is_ticket(right + more, secret, *about)
    assert not is_ticket(more + right, secret, *about)
    if letter != right[place]:
        assert not is_ticket(right[:place] + letter + right[place + 1 :], secret, *about)


@given(st.one_of(st.none(), st.text(), st.integers(), st.lists(st.text()), st.dictionaries(st.text(), st.text())))
@example("\udc80")
@example("")
def test_anything_else_that_json_can_hold_is_none(value: object) -> None:
    assert not is_ticket(value, b"secret", "study", "task", "anna")


def test_the_secret_is_made_once_and_read_by_its_owner_only(tmp_path: Path) -> None:
    secret = read_or_make_secret(tmp_path)
    assert len(secret) == 32
    assert read_or_make_secret(tmp_path) == secret
    if os.name != "nt":
        assert stat.S_IMODE((tmp_path / SECRET).stat().st_mode) == 0o600
    (tmp_path / "other").mkdir()
    assert read_or_make_secret(tmp_path / "other") != secret


def test_two_servers_that_begin_at_once_have_one_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw, others = secrets.token_bytes, []

    def interrupted(size: int) -> bytes:
        monkeypatch.setattr(secrets, "token_bytes", draw)
        others.append(read_or_make_secret(tmp_path))
        return draw(size)

    monkeypatch.setattr(secrets, "token_bytes", interrupted)
    assert [read_or_make_secret(tmp_path)] == others
    assert [path.name for path in tmp_path.iterdir()] == [SECRET]


@pytest.mark.parametrize("content", [b"", b"00" * 31, b"zz" * 32, b"00" * 33, b"\xff" * 64])
def test_a_damaged_secret_is_an_error_and_never_a_weak_key(tmp_path: Path, content: bytes) -> None:
    (tmp_path / SECRET).write_bytes(content)
    with pytest.raises(PyramidionError, match=r"not the secret that signs tasks; delete it"):
        read_or_make_secret(tmp_path)


def test_a_folder_that_cannot_hold_it_is_named(tmp_path: Path) -> None:
    with pytest.raises(PyramidionError, match=r"serve.key: The secret that signs tasks cannot be written"):
        read_or_make_secret(tmp_path / "nowhere")
