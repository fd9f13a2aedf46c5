"""Whom to ask, with which key, how patiently, and for how much: what the environment says of a chat endpoint.

================================  ============================================================================
``PYRAMIDION_LLM_URL``            the endpoint's base URL, up to and with ``/v1``; else ``OPENAI_BASE_URL``
``PYRAMIDION_LLM_KEY``            its key, if it wants one
``OPENAI_API_KEY``                the key of OpenAI, or of what ``OPENAI_BASE_URL`` names: sent to no other host
``PYRAMIDION_LLM_CACHE``          the file of answers; ``off`` for none
``PYRAMIDION_LLM_CONCURRENCY``    requests at once: 4
``PYRAMIDION_LLM_TIMEOUT``        seconds until a request counts as lost: 120
``PYRAMIDION_LLM_RETRIES``        how often a lost request is sent again: 5
``PYRAMIDION_LLM_BACKOFF``        seconds before the first of these, doubled each time: 1
``PYRAMIDION_LLM_PRICE_IN``       price of a million tokens of questions
``PYRAMIDION_LLM_PRICE_OUT``      price of a million tokens of answers
``PYRAMIDION_LLM_MAX_COST``       what a process may spend, in the currency of the prices
``PYRAMIDION_LLM_MAX_TOKENS``     tokens that an answer may have, thoughts included; else by the question
================================  ============================================================================

No host is contacted unless a URL or ``OPENAI_API_KEY`` is given. A key is in no message, no file and no ``repr``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf, isfinite
from pathlib import Path
from typing import overload
from urllib.parse import SplitResult, urlsplit, urlunsplit

from pyramidion.errors import PyramidionError

OPENAI = "https://api.openai.com/v1"
CHARACTERS_PER_TOKEN = 4
"""The characters per token of English text, for estimates; other scripts need more tokens."""


def tokens(text: str) -> int:
    """About how many tokens a text has: a quarter of its characters.

    >>> tokens("The lake died.")
    4
    """
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def most_tokens(text: str) -> int:
    """Return the most tokens of a text: one for each byte, for any script and tokeniser.

    >>> most_tokens("Ein See: \u6e56")
    12
    """
    return len(text.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A chat endpoint, and the limits of dealing with it."""

    url: str
    key: str = field(default="", repr=False)
    cache: Path | None = None
    concurrency: int = 4
    timeout: float = 120.0
    retries: int = 5
    backoff: float = 1.0
    price_in: float | None = None
    price_out: float | None = None
    max_cost: float = inf
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        """Check the URL, the key, and that a maximum cost comes with prices."""
        parts = _split(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise PyramidionError("The URL of the chat endpoint is not valid", do=f"give one such as {OPENAI}")
        if parts.username or parts.password:
            raise PyramidionError(
                f"The URL of the chat endpoint {self.host} has a user or password in it",
                do="put the key into PYRAMIDION_LLM_KEY",
            )
        if not (self.key.isascii() and self.key.isprintable()) or " " in self.key:
            raise PyramidionError(
                "The key of the chat endpoint has characters that no key has", do="set PYRAMIDION_LLM_KEY again"
            )
        if isfinite(self.max_cost) and (self.price_in is None or self.price_out is None):
            raise PyramidionError(
                "A maximum cost is set without prices",
                do="set PYRAMIDION_LLM_PRICE_IN and PYRAMIDION_LLM_PRICE_OUT, per million tokens",
            )

    @classmethod
    def named(cls, base_url: str = "", environment: Mapping[str, str] | None = None) -> Endpoint:
        """Return the endpoint of that base URL, or the environment's."""
        variables = os.environ if environment is None else environment
        openai = variables.get("OPENAI_BASE_URL", "").strip() or OPENAI
        its_key = variables.get("OPENAI_API_KEY", "").strip()
        url = base_url.strip() or variables.get("PYRAMIDION_LLM_URL", "").strip()
        if not url and (its_key or variables.get("OPENAI_BASE_URL", "").strip()):
            url = openai
        if not url:
            raise PyramidionError(
                "No chat endpoint is named",
                do="set PYRAMIDION_LLM_URL (http://localhost:8000/v1, say), or OPENAI_API_KEY for OpenAI",
            )
        # Scheme and host must be the same: OPENAI_API_KEY is sent to no other server.
        is_openai = _split(url)[:2] == _split(openai)[:2]
        return cls(
            url.rstrip("/"),
            variables.get("PYRAMIDION_LLM_KEY", "").strip() or (its_key if is_openai else ""),
            _cache(variables),
            int(_number(variables, "CONCURRENCY", 4, least=1, whole=True)),
            _number(variables, "TIMEOUT", 120.0, least=0.001),
            int(_number(variables, "RETRIES", 5, whole=True)),
            _number(variables, "BACKOFF", 1.0),
            _number(variables, "PRICE_IN", None),
            _number(variables, "PRICE_OUT", None),
            _number(variables, "MAX_COST", inf),
            int(_number(variables, "MAX_TOKENS", 0, whole=True)) or None,
        )

    @property
    def host(self) -> str:
        """The host, and the port if one is given: what messages call the endpoint."""
        return _split(self.url).netloc.rpartition("@")[2]

    @property
    def limit(self) -> str:
        """The endpoint's name for the limit on an answer's tokens, unless it says otherwise."""
        return "max_completion_tokens" if self.url.startswith(OPENAI) else "max_tokens"

    @property
    def completions(self) -> str:
        """Return the URL for questions."""
        parts = _split(self.url)
        return urlunsplit(parts._replace(path=parts.path.rstrip("/") + "/chat/completions", fragment=""))

    def cost(self, questions: int, answers: int) -> float | None:
        """Return the price of so many tokens, if the prices are known."""
        if self.price_in is None or self.price_out is None:
            return None
        return (questions * self.price_in + answers * self.price_out) / 1e6


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        # ``urlsplit`` checks the port only when it is asked for.
        _ = parts.port
    except ValueError:  # a port that is no number, brackets that are no address
        raise PyramidionError("The URL of the chat endpoint is not valid", do=f"give one such as {OPENAI}") from None
    return parts


def _cache(variables: Mapping[str, str]) -> Path | None:
    named = variables.get("PYRAMIDION_LLM_CACHE", "").strip()
    if named:
        return None if named == "off" else Path(named)
    folder = variables.get("XDG_CACHE_HOME") or variables.get("LOCALAPPDATA")
    return (Path(folder) if folder else Path.home() / ".cache") / "pyramidion" / "answers.sqlite"


@overload
def _number(
    variables: Mapping[str, str], name: str, default: float, least: float = ..., whole: bool = ...
) -> float: ...
@overload
def _number(variables: Mapping[str, str], name: str, default: None) -> float | None: ...
def _number(
    variables: Mapping[str, str], name: str, default: float | None, least: float = 0.0, whole: bool = False
) -> float | None:
    """Return a number that the environment sets, checked."""
    name = f"PYRAMIDION_LLM_{name}"
    text = variables.get(name, "").strip()
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not (isfinite(value) and value >= least) or (whole and value != int(value)):
        kind = "a whole number" if whole else "a number"
        raise PyramidionError(f"{name} is {text!r}", do=f"set it to {kind} of at least {least:g}")
    return value
