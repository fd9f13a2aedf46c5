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
    """Return the name or address in a ``Host`` header, in small letters and without the port; empty if it is none.

    >>> host_name("Study.Example.org:8000"), host_name("[::1]:8000"), host_name("a/b")
    ('study.example.org', '::1', '')
    """
    parts = _AUTHORITY.fullmatch(authority)
    return (parts[1] or parts[2].removesuffix(".")).lower() if parts else ""


def _address(name: str) -> str:
    """Return an address in digits in its one spelling; empty for a name."""
    try:
        # an IPv6 address may name its interface: fe80::1%eth0
        return str(ip_address(name.partition("%")[0]))
    except ValueError:
        return ""


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one server."""

    own_names: frozenset[str]
    allowed: frozenset[str] = frozenset()
    """The names by which a web server in front of this one is known."""
    any_address: bool = False
    """The server listens to the whole network, on addresses of which no list is needed."""

    @classmethod
    def of(cls, bound: str, allowed: Iterable[str] = ()) -> Names:
        """Return the names of a server that listens at ``bound``, and those that are allowed besides."""
        names = {name: host_name(name) for name in allowed}
        for name, read in names.items():
            if not read:
                raise PyramidionError(
                    f"{name!r} is not a host name", do="give only the name, such as study.example.org"
                )
        address = _address(bound)
        everywhere = not bound or (bool(address) and ip_address(address).is_unspecified)
        own_names = LOOPBACK | {address or bound.lower()}
        if everywhere:
            machine = socket.gethostname().lower()
            # by the second name, machines of a local network find each other without a name server (mDNS)
            own_names |= {machine, f"{machine}.local"}
        return cls(own_names - {""}, frozenset(names.values()), everywhere)

    def know(self, host: str | None) -> bool:
        """Return whether a ``Host`` header means this server; a browser always sends one."""
        name = host_name(host or "")
        address = _address(name)
        return (address or name) in self.own_names | self.allowed or (self.any_address and bool(address))

    def sent_from_here(self, origin: str | None, host: str | None) -> bool:
        """Return whether an ``Origin`` header is that of this server's pages."""
        if origin is None:  # only browsers send one, and other programs cannot be led to post by a page
            return True
        scheme, _, authority = origin.lower().partition("://")
        if scheme not in ("http", "https") or not self.know(host):
            return False
        return authority == (host or "").lower() or host_name(authority) in self.allowed
