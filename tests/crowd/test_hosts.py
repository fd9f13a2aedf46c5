"""Which Host and Origin headers mean this server."""

from __future__ import annotations

import socket

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pyramidion.crowd.hosts import Names, host_name
from pyramidion.errors import PyramidionError


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8000", "127.0.0.1:8000", "[::1]:8000", "[0:0::1]", "localhost."]
)
def test_loopback_names_mean_this_computer(host: str) -> None:
    assert Names.of("127.0.0.1").know(host)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8000",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evil.example#localhost",
        "evil.example@localhost",
        "localhost@evil.example",
        "localhost, evil.example",
        "localhost/",
        "localhost:80x",
        "192.168.1.5",
        "0.0.0.0",
        "[::1",
        " ",
        "",
        None,
    ],
)
def test_other_names_do_not(host: str | None) -> None:
    assert not Names.of("127.0.0.1").know(host)


@given(st.text(max_size=30))
@example("127.0.0.1")
@example("1")
def test_no_name_is_known_that_was_not_given(host: str) -> None:
    known = Names.of("127.0.0.1", ["study.example.org"]).know(host)
    assert known == (host_name(host) in {"localhost", "127.0.0.1", "::1", "study.example.org"})


def test_the_bound_host_and_the_given_names_are_known() -> None:
    assert Names.of("192.168.1.5").know("192.168.1.5:8000")
    assert not Names.of("192.168.1.5").know("192.168.1.6:8000")
    assert Names.of("Lab.Example.org").know("lab.example.org:8000")
    assert Names.of("127.0.0.1", ["Study.Example.org"]).know("study.example.org")
    assert Names.of("::1").know("[::1]:1")


@pytest.mark.parametrize("everywhere", ["0.0.0.0", "::", ""])
def test_in_the_whole_network_any_address_in_digits_and_the_machine_s_name_are_known(everywhere: str) -> None:
    names = Names.of(everywhere)
    machine = socket.gethostname()
    for host in ("192.168.1.5:8000", "[fe80::1]:8000", machine, f"{machine}.local:8000", "localhost"):
        assert names.know(host), host
    for host in ("evil.example", "192.168.1.5.evil.example", "1.2.3", "3232235781"):
        assert not names.know(host), host


@pytest.mark.parametrize("name", ["https://study.example.org", "a b", "", "a/b"])
def test_a_name_that_is_none_is_an_error(name: str) -> None:
    with pytest.raises(PyramidionError, match="is not a host name; give only the name"):
        Names.of("127.0.0.1", [name])


@pytest.mark.parametrize(
    ("origin", "host", "fine"),
    [
        (None, "localhost:8000", True),
        ("http://localhost:8000", "localhost:8000", True),
        ("http://localhost:3000", "localhost:8000", False),
        ("http://127.0.0.1:8000", "localhost:8000", False),
        ("http://evil.example", "localhost:8000", False),
        ("http://evil.example", "evil.example", False),
        ("null", "localhost:8000", False),
        ("", "localhost:8000", False),
        ("file://", "localhost:8000", False),
        ("localhost:8000", "localhost:8000", False),
        ("https://study.example.org", "study.example.org", True),
        ("https://study.example.org", "127.0.0.1:8000", True),
        ("https://STUDY.example.org:444", "127.0.0.1:8000", True),
        ("https://study.example.org.evil.example", "127.0.0.1:8000", False),
        ("ftp://study.example.org", "study.example.org", False),
    ],
)
def test_answers_come_from_pages_of_this_server(origin: str | None, host: str, fine: bool) -> None:
    assert Names.of("127.0.0.1", ["study.example.org"]).sent_from_here(origin, host) is fine
