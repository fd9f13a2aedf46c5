"""A PostgreSQL for the tests that need one; they are skipped with a reason where it is not installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

PROGRAMS = ":".join(str(folder) for folder in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True))
"""Where Debian has the programs of a server, which are not on the path; the newest first."""


class UnavailableError(Exception):
    """Why there is no PostgreSQL here."""


@contextmanager
def served_postgres(*settings: str) -> Iterator[str]:
    """A PostgreSQL of our own that listens to a socket in a folder: its URL, up to the name of a database."""
    path = f"{os.environ['PATH']}:{PROGRAMS}"
    initdb, server = (shutil.which(name, path=path) for name in ("initdb", "postgres"))
    if find_spec("psycopg") is None:
        raise UnavailableError("psycopg is not installed")
    if os.name == "nt":
        raise UnavailableError("its socket is no file here")
    if initdb is None or server is None:
        raise UnavailableError("it is not installed (make browser, or apt-get install postgresql)")
    with tempfile.TemporaryDirectory(prefix="pyramidion-pg-") as name:  # a socket's path must be short
        folder = Path(name)
        options: dict[str, Any] = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        if os.getuid() == 0:  # which PostgreSQL refuses to be
            import pwd

            try:
                other = pwd.getpwnam("postgres")
            except KeyError:
                raise UnavailableError("root cannot run it, and there is no user postgres") from None
            os.chown(folder, other.pw_uid, other.pw_gid)
            options |= {"user": other.pw_uid, "group": other.pw_gid, "extra_groups": []}
        data = folder / "data"
        about = ["-D", data, "-U", "studio", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"]
        if subprocess.run([initdb, *about], **options).returncode:
            raise UnavailableError(f"it cannot make a database in {folder}")
        every = ("listen_addresses=", f"unix_socket_directories={folder}", *settings)
        child = subprocess.Popen([server, "-D", data, *(word for one in every for word in ("-c", one))], **options)
        try:
            _wait(folder)
            yield f"postgresql+psycopg://studio@/{{}}?host={folder}"
        finally:
            child.kill()
            child.wait(60)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """One for all tests, which need not survive a power cut."""
    try:
        with served_postgres("fsync=off") as url:
            yield url
    except UnavailableError as why:
        pytest.skip(f"no tests on PostgreSQL: {why}")


def _wait(folder: Path) -> None:
    import psycopg

    for _ in range(600):
        try:
            psycopg.connect(host=str(folder), user="studio", dbname="postgres").close()
            return
        except psycopg.OperationalError:
            time.sleep(0.05)
    raise AssertionError("PostgreSQL does not start")


def new_database(postgres: str) -> str:
    """The URL of a new database, empty."""
    import psycopg

    name = f"studio_{uuid4().hex}"
    folder = postgres.partition("host=")[2]
    with psycopg.connect(host=folder, user="studio", dbname="postgres", autocommit=True) as connection:
        connection.execute(f"create database {name}")  # type: ignore[arg-type]
    return postgres.format(name)
