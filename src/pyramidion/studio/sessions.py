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
"""The most tries to log in for one name, or from one address, within that many seconds; logins do not count."""
MOST_NAMES = 10_000
HERE = "here"
"""The id in the session of the one person at this machine, in place of an account's; no account has it."""


@dataclass(frozen=True, slots=True)
class Session:
    """A browser, and whose it is; ``account`` is empty before a login."""

    id: str
    account: str
    ends: int
    epoch: int

    @classmethod
    def new(cls, account: Account | None = None) -> Session:
        """Return a session of somebody, or of nobody yet."""
        account = account or NOBODY
        id = HERE if account == LOCAL else account.id
        return cls(secrets.token_urlsafe(18), id, int(time.time()) + LASTS, account.epoch)

    @property
    def _text(self) -> str:
        return f"{self.id}.{self.account}.{self.ends}.{self.epoch}"

    def cookie_value(self, secret: bytes) -> str:
        """Return the text of the cookie: the session, signed."""
        return f"{self._text}.{ticket(secret, 'session', self._text, '')}"

    @classmethod
    def read(cls, cookie: str, secret: bytes) -> Session | None:
        """Return the session of a cookie, if we signed it and it has not ended."""
        text, _, signature = cookie.rpartition(".")
        parts = text.split(".")
        if len(parts) != 4 or not is_ticket(signature, secret, "session", text, ""):
            return None
        # these are numbers, since we signed the text
        session = cls(parts[0], parts[1], int(parts[2]), int(parts[3]))
        return session if session.ends > time.time() else None

    def token(self, secret: bytes) -> str:
        """Return the token that every change must carry."""
        return ticket(secret, "change", self.id, self.account)

    def is_token(self, sent: str, secret: bytes) -> bool:
        """Return whether this is the session's token, in a time that does not tell how much of it is right."""
        return hmac.compare_digest(sent.encode("utf-8", "replace"), self.token(secret).encode())


def cookie_name(secret: bytes) -> str:
    """Return the cookie's name: one for each workspace, since browsers do not tell ports of one machine apart."""
    return f"pyramidion_{sha256(secret).hexdigest()[:8]}"


def session_account(session: Session | None, accounts: Accounts, local: bool) -> Account | None:
    """Return whom the session belongs to: an account, or, without accounts and on this machine only, :data:`LOCAL`."""
    if session is None or not session.account:
        return None
    if session.account == HERE:
        return LOCAL if local and not accounts.any() else None
    account = accounts.get(session.account)
    return account if account and account.epoch == session.epoch else None


class Throttle:
    """Counts tries to log in by name and by address, until they succeed."""

    def __init__(self) -> None:
        self._tries: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def begin(self, *keys: str) -> bool:
        """Count a try, if it is allowed; it counts from its beginning, so that many at once are not all let through."""
        now = time.monotonic()
        with self._lock:
            for key in keys:
                tries = self._tries.get(key, deque())
                while tries and tries[0] < now - WITHIN:
                    tries.popleft()
                if len(tries) >= TRIES:
                    return False
            # only when all keys are below the limit, so that a try that is refused does not prolong the wait
            for key in keys:
                self._tries.setdefault(key, deque()).append(now)
            # anybody can send any number of names; they must not fill the memory
            while len(self._tries) > MOST_NAMES:
                del self._tries[next(iter(self._tries))]
        return True

    def succeeded(self, *keys: str) -> None:
        """Take a try that succeeded out of the count."""
        with self._lock:
            for key in keys:
                if self._tries.get(key):
                    self._tries[key].pop()
