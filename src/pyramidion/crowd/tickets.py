"""Tickets: proof that a server handed a task to a worker, without a list of what it handed out.

The ticket of task *t* for worker *w* in study *s* is HMAC-SHA256(secret, *s t w*), each part preceded by its length so
that no two triples are signed as the same text (RFC 2104). Whoever lacks the secret can neither make a ticket nor turn
one for a task or worker into one for another. A ticket never expires: work done is never refused.

The secret lies beside the answers, so that tasks handed out before a restart are accepted after it.
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
import tempfile
from base64 import urlsafe_b64encode
from contextlib import suppress
from pathlib import Path

from pyramidion.base.files import readable
from pyramidion.errors import FormatError, PyramidionError

SECRET = "serve.key"

_BYTES = 32


def ticket(secret: bytes, study: str, task: str, worker: str) -> str:
    """Return the ticket that is handed out with a task: 43 characters that can stand in an address.

    >>> ticket(b"a secret", "study", "w-1", "anna")[:12]
    'YfmY2tmXRXp5'
    """
    triple = "".join(f"{len(part)}:{part}" for part in (study, task, worker))
    signed = hmac.digest(secret, triple.encode("utf-8", "surrogatepass"), "sha256")
    return urlsafe_b64encode(signed).rstrip(b"=").decode()


def is_ticket(sent: object, secret: bytes, study: str, task: str, worker: str) -> bool:
    """Return whether this is the task's ticket for the worker, in a time that does not tell how much of it is right."""
    text = sent.encode("utf-8", "surrogatepass") if isinstance(sent, str) else b""
    return hmac.compare_digest(text, ticket(secret, study, task, worker).encode())


def read_or_make_secret(folder: Path) -> bytes:
    """Read the secret in a folder, and make it if there is none; only its owner may read it."""
    path = folder / SECRET
    if not path.exists():
        try:
            _make(path)
        except OSError as error:
            raise PyramidionError(
                f"The secret that signs tasks cannot be written: {error.strerror}", str(path), "check the folder"
            ) from None
    return _read(path)


def _make(path: Path) -> None:
    """Write a new secret, whole or not at all; of two servers that begin at once, the first one's stands."""
    # mkstemp makes files that only their owner may read; a link, unlike a renaming, never replaces a file
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(f"{secrets.token_bytes(_BYTES).hex()}\n")
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(name, path)
    finally:
        Path(name).unlink()


def _read(path: Path) -> bytes:
    with readable(path):
        text = path.read_bytes()[: 4 * _BYTES].decode("ascii", "replace").strip()
    if not re.fullmatch(rf"[0-9a-f]{{{2 * _BYTES}}}", text):
        raise FormatError(
            "This is not the secret that signs tasks",
            str(path),
            "delete it: workers with an open page must then reload it",
        )
    return bytes.fromhex(text)
