"""A studio without a network: a workspace, its application, and people who visit it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from argon2 import PasswordHasher
from starlette.testclient import TestClient

from pyramidion.crowd.hosts import Names
from pyramidion.studio.accounts import Account
from pyramidion.studio.app import make_app
from pyramidion.studio.pages.accounts import local_key
from pyramidion.studio.workspace import Workspace

CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
PASSWORD = "a long enough password"
ADDRESS = "http://127.0.0.1:8000"


def opened(folder: Path, url: str = "", *, local: bool = True) -> Workspace:
    return Workspace(folder, url, local=local, hasher=CHEAP)


class Visitor:
    """A browser: keeps cookies, knows the token of the page it saw last; without accounts, it has the key."""

    def __init__(self, workspace: Workspace, *, key: bool = True) -> None:
        self.workspace = workspace
        app = make_app(workspace, Names.of("127.0.0.1"))
        self.client = TestClient(app, base_url=ADDRESS, follow_redirects=False, raise_server_exceptions=False)
        self.token = ""
        if key and workspace.local and not workspace.accounts.any():
            assert self.client.get(f"/enter?key={local_key(workspace)}").status_code == 303

    def get(self, path: str, **headers: str) -> Any:
        answer = self.client.get(path, headers={"Accept": "text/html", **headers})
        found = re.search(r'"token":"([\w-]+)"', answer.text)
        self.token = found[1] if found else self.token
        return answer

    def json(self, path: str) -> Any:
        return self.client.get(path, headers={"Accept": "application/json"})

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.client.post(path, json=body or {}, headers={"X-Token": self.token, **headers})

    def upload(self, path: str, files: dict[str, bytes], **values: str) -> Any:
        parts = [("file", (name, data)) for name, data in files.items()]
        return self.client.post(path, files=parts, data=values, headers={"X-Token": self.token})

    def edit(self, topic: str, kind: str, operation: Any, base: int | None = None) -> Any:
        version = self.workspace.store.version(topic) if base is None else base
        return self.post(f"/topics/{topic}/operations", {"kind": kind, "operation": operation, "base": version})

    def log_in(self, account: Account, password: str = PASSWORD) -> Visitor:
        self.get("/login")
        answer = self.client.post("/login", data={"name": account.name, "password": password, "token": self.token})
        assert answer.status_code == 303, answer.text
        self.get("/")
        return self
