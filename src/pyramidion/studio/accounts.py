"""People and what they may do: accounts with passwords, roles in projects, invitations, assignments.

A *viewer* reads, an *annotator* also edits pyramids and annotates under their own name, an *owner* also sees the
annotations of all and manages people. An *admin* makes projects and is an owner everywhere.

As long as a workspace has no account, the studio serves one person on this machine alone (:data:`LOCAL`), without a
login.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import Engine, Row, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from pyramidion.errors import PyramidionError
from pyramidion.io.names import clean
from pyramidion.studio import schema
from pyramidion.studio.database import told
from pyramidion.studio.store import new_id, now, storable

Role = Literal["viewer", "annotator", "owner"]
ROLES: tuple[Role, ...] = get_args(Role)
"""From the least to the most."""

CONSENSUS = "consensus"
"""The annotator under whose name owners settle differences; nobody else has it."""
SHORTEST_PASSWORD = 10
LONGEST_NAME = 60


class RefusedError(PyramidionError):
    """A name, password or invitation that cannot be used."""


@dataclass(frozen=True, slots=True)
class Account:
    """A person; ``epoch`` is counted up to end all their sessions."""

    id: str
    name: str
    admin: bool = False
    epoch: int = 0


LOCAL = Account("", "", admin=True)
"""The one person at this machine, while there are no accounts. Their annotations carry no name."""


class Accounts:
    """The people of a workspace."""

    def __init__(self, engine: Engine, hasher: PasswordHasher | None = None) -> None:
        self.engine = engine
        self.hasher = hasher or PasswordHasher()
        self._nobody = self.hasher.hash(secrets.token_hex())

    def any(self) -> bool:
        """Whether there is an account."""
        with told(), self.engine.connect() as connection:
            return bool(connection.execute(select(func.count()).select_from(schema.users)).scalar())

    def add(self, name: str, password: str, *, admin: bool = False) -> Account:
        """Make an account."""
        name = storable(" ".join(clean(name).split()))
        if not name or len(name) > LONGEST_NAME or name == CONSENSUS:
            raise RefusedError("This name cannot be used.", do=f"write letters and digits, {LONGEST_NAME} at most")
        if len(password) < SHORTEST_PASSWORD:
            raise RefusedError("The password is too short.", do=f"write {SHORTEST_PASSWORD} characters or more")
        account = Account(new_id(), name, admin)
        row = {"id": account.id, "name": name, "password": self.hasher.hash(password), "admin": admin, "epoch": 0}
        try:
            with told(), self.engine.begin() as connection:
                connection.execute(insert(schema.users).values(**row))
        except IntegrityError:
            raise RefusedError("Somebody has this name already.", do="choose another") from None
        return account

    def by_password(self, name: str, password: str) -> Account | None:
        """The account, if the password is its own; an unknown name takes as long as a wrong password."""
        with told(), self.engine.connect() as connection:
            row = connection.execute(select(schema.users).where(schema.users.c.name == name)).first()
        try:
            self.hasher.verify(row.password if row else self._nobody, password)
        except (VerificationError, InvalidHashError):
            return None
        return _account(row) if row else None

    def get(self, id: str) -> Account | None:
        """The account of that id."""
        with told(), self.engine.connect() as connection:
            row = connection.execute(select(schema.users).where(schema.users.c.id == id)).first()
        return _account(row) if row else None

    def end_sessions(self, id: str) -> None:
        """Log a person out everywhere."""
        users = schema.users
        with told(), self.engine.begin() as connection:
            connection.execute(update(users).where(users.c.id == id).values(epoch=users.c.epoch + 1))

    # Projects

    def role(self, account: Account, project: str) -> Role | None:
        """What somebody may do in a project; nothing where they are not a member."""
        if account.admin:
            return "owner"
        members = schema.members
        query = select(members.c.role).where(members.c.project == project, members.c.account == account.id)
        with told(), self.engine.connect() as connection:
            role: Role | None = connection.execute(query).scalar()
        return role

    def set_role(self, project: str, account: str, role: Role | None) -> None:
        """Make somebody a member of a project, change their role, or end it."""
        members = schema.members
        with told(), self.engine.begin() as connection:
            connection.execute(delete(members).where(members.c.project == project, members.c.account == account))
            if role:
                connection.execute(insert(members).values(project=project, account=account, role=role))

    def members(self, project: str) -> Sequence[tuple[Account, Role]]:
        """Who is in a project, by name."""
        query = (
            select(schema.users, schema.members.c.role)
            .join(schema.members, schema.members.c.account == schema.users.c.id)
            .where(schema.members.c.project == project)
            .order_by(schema.users.c.name)
        )
        with told(), self.engine.connect() as connection:
            return [(_account(row), row.role) for row in connection.execute(query)]

    # Invitations

    def invite(self, project: str, role: Role) -> str:
        """A token with which one person can join a project; only its digest is kept."""
        token = secrets.token_urlsafe(24)
        row = {"token": _digest(token), "project": project, "role": role, "created": now(), "used_by": ""}
        with told(), self.engine.begin() as connection:
            connection.execute(insert(schema.invitations).values(**row))
        return token

    def invitation(self, token: str) -> tuple[str, Role] | None:
        """Project and role of an invitation that nobody has used."""
        table = schema.invitations
        query = select(table.c.project, table.c.role).where(table.c.token == _digest(token), table.c.used_by == "")
        with told(), self.engine.connect() as connection:
            row = connection.execute(query).first()
        return (row[0], row[1]) if row else None

    def accept(self, token: str, account: Account) -> str:
        """Use an invitation, once, and return its project."""
        found = self.invitation(token)
        table = schema.invitations
        with told(), self.engine.begin() as connection:
            unused = (table.c.token == _digest(token), table.c.used_by == "")
            used = connection.execute(update(table).where(*unused).values(used_by=account.id)).rowcount
        if found is None or not used:
            raise RefusedError("This invitation was used already, or never made.", do="ask for another")
        project, role = found
        before = self.role(account, project)
        if before is None or ROLES.index(role) > ROLES.index(before):
            self.set_role(project, account.id, role)
        return project

    # Assignments

    def assign(self, topic: str, peer: str, account: str, assigned: bool = True) -> None:
        """Ask somebody to annotate a peer, or no longer."""
        table = schema.assignments
        with told(), self.engine.begin() as connection:
            connection.execute(
                delete(table).where(table.c.topic == topic, table.c.peer == peer, table.c.account == account)
            )
            if assigned:
                connection.execute(insert(table).values(topic=topic, peer=peer, account=account))

    def assignments(self, topic: str) -> Sequence[tuple[str, str]]:
        """Peer and name of who is to annotate it, for a topic."""
        query = (
            select(schema.assignments.c.peer, schema.users.c.name)
            .join(schema.users, schema.users.c.id == schema.assignments.c.account)
            .where(schema.assignments.c.topic == topic)
            .order_by(schema.assignments.c.peer, schema.users.c.name)
        )
        with told(), self.engine.connect() as connection:
            return [(row[0], row[1]) for row in connection.execute(query)]


def _account(row: Row[tuple[object, ...]]) -> Account:
    return Account(row.id, row.name, bool(row.admin), row.epoch)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
