"""Who sends a request: a signed cookie, and a token that only our own pages know.

The cookie names a session, an account and when it ends, signed with the workspace's secret (:mod:`pyramidion.crowd.
tickets`); no list of sessions is kept. A change must carry the session's token, which stands in our pages and which no
other site can read (against cross-site request forgery).
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections import deque
from dataclasses import dataclass
from hashlib import sha256

from pyramidion.crowd.tickets import is_ticket, ticket
from pyramidion.studio.accounts import LOCAL, NOBODY, Account, Accounts

LASTS = 14 * 24 * 3600
"""Seconds that a login holds."""
TRIES, WITHIN = 8, 300.0
"""So many failed logins for one name or from one address within so many seconds, and no more."""
MOST_NAMES = 10_000
HERE = "here"
"""What stands for an account in the session of the one person at this machine; no account has this id."""


@dataclass(frozen=True, slots=True)
class Session:
    """A browser, and whose it is; ``account`` is empty before a login."""

    id: str
    account: str
    ends: int
    epoch: int

    @classmethod
    def new(cls, account: Account | None = None) -> Session:
        """A session of somebody, or of nobody yet."""
        whose = account or NOBODY
        id = HERE if whose == LOCAL else whose.id
        return cls(secrets.token_urlsafe(18), id, int(time.time()) + LASTS, whose.epoch)

    @property
    def _text(self) -> str:
        return f"{self.id}.{self.account}.{self.ends}.{self.epoch}"

    def signed(self, secret: bytes) -> str:
        """What the cookie holds."""
        return f"{self._text}.{ticket(secret, 'session', self._text, '')}"

    @classmethod
    def read(cls, cookie: str, secret: bytes) -> Session | None:
        """The session of a cookie, if we signed it and it has not ended."""
        text, _, signature = cookie.rpartition(".")
        parts = text.split(".")
        if len(parts) != 4 or not is_ticket(signature, secret, "session", text, ""):
            return None
        session = cls(parts[0], parts[1], int(parts[2]), int(parts[3]))
        return session if session.ends > time.time() else None

    def token(self, secret: bytes) -> str:
        """What every change must carry."""
        return ticket(secret, "change", self.id, self.account)

    def is_token(self, sent: str, secret: bytes) -> bool:
        """Whether this is the token."""
        return hmac.compare_digest(sent.encode("utf-8", "replace"), self.token(secret).encode())


def cookie_name(secret: bytes) -> str:
    """The cookie's name: another one for each workspace, since browsers do not tell ports of one machine apart."""
    return f"pyramidion_{sha256(secret).hexdigest()[:8]}"


def whose(session: Session | None, accounts: Accounts, local: bool) -> Account | None:
    """Who the session belongs to: an account, or, without accounts and only on this machine, whoever had the key."""
    if session is None or not session.account:
        return None
    if session.account == HERE:
        return LOCAL if local and not accounts.any() else None
    account = accounts.get(session.account)
    return account if account and account.epoch == session.epoch else None


class Throttle:
    """Counts failed logins by name and by address."""

    def __init__(self) -> None:
        self._failed: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def allows(self, *keys: str) -> bool:
        """Whether another try is allowed."""
        since = time.monotonic() - WITHIN
        with self._lock:
            for key in keys:
                failed = self._failed.get(key, deque())
                while failed and failed[0] < since:
                    failed.popleft()
                if len(failed) >= TRIES:
                    return False
        return True

    def failed(self, *keys: str) -> None:
        """Count a failure."""
        with self._lock:
            for key in keys:
                self._failed.setdefault(key, deque()).append(time.monotonic())
            while len(self._failed) > MOST_NAMES:
                del self._failed[next(iter(self._failed))]
