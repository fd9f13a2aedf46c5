"""The names that a server answers to, against DNS rebinding and against other pages that post to it.

*Rebinding*: a page of ``http://evil.example:8000/`` lets its name point to 127.0.0.1 and then reads this server as if
it were its own. The browser still says ``Host: evil.example``, so a server that answers only to its own names is safe.
An address in digits needs no name server and cannot be rebound.

*Other pages*: a browser says in ``Origin`` which page posts. It must be one of this server's.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address

from pyramidion.errors import PyramidionError

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

_AUTHORITY = re.compile(r"(?:\[([0-9A-Fa-f:.]{2,45})\]|([^\s:/?#@\[\]]{1,255}))(?::[0-9]{1,5})?")


def host_name(authority: str) -> str:
    """The name or address in a ``Host`` header, in small letters and without the port; empty if it is none.

    >>> host_name("Study.Example.org:8000"), host_name("[::1]:8000"), host_name("a/b")
    ('study.example.org', '::1', '')
    """
    parts = _AUTHORITY.fullmatch(authority)
    return (parts[1] or parts[2].removesuffix(".")).lower() if parts else ""


def _address(name: str) -> str:
    """An address in digits in its one spelling; empty for a name."""
    try:
        return str(ip_address(name.partition("%")[0]))
    except ValueError:
        return ""


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one server."""

    own: frozenset[str]
    allowed: frozenset[str] = frozenset()
    """Names that a web server in front of it is known by."""
    any_address: bool = False
    """It listens to the whole network, where it has addresses that it need not know."""

    @classmethod
    def of(cls, bound: str, allowed: Iterable[str] = ()) -> Names:
        """The names of a server that listens at ``bound``, and those that are allowed besides."""
        names = {name: host_name(name) for name in allowed}
        for name, read in names.items():
            if not read:
                raise PyramidionError(
                    f"{name!r} is not a host name", do="give only the name, such as study.example.org"
                )
        address = _address(bound)
        everywhere = not bound or (bool(address) and ip_address(address).is_unspecified)
        own = LOOPBACK | {address or bound.lower()}
        if everywhere:
            machine = socket.gethostname().lower()
            own |= {machine, f"{machine}.local"}
        return cls(own - {""}, frozenset(names.values()), everywhere)

    def know(self, host: str | None) -> bool:
        """Whether a ``Host`` header means this server; a browser always sends one."""
        name = host_name(host or "")
        address = _address(name)
        return (address or name) in self.own | self.allowed or (self.any_address and bool(address))

    def sent_from_here(self, origin: str | None, host: str | None) -> bool:
        """Whether an ``Origin`` header is that of this server's pages; only a browser sends one."""
        if origin is None:
            return True
        scheme, _, authority = origin.lower().partition("://")
        if scheme not in ("http", "https") or not self.know(host):
            return False
        return authority == (host or "").lower() or host_name(authority) in self.allowed
