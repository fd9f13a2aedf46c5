"""People and what they may do: accounts with passwords, roles in projects, invitations, assignments.

A *viewer* reads, an *annotator* also edits pyramids and annotates under their own name, an *owner* also sees the
annotations of all and manages people. An *admin* makes projects and is an owner everywhere.

As long as a workspace has no account, the studio serves one person on this machine alone (:data:`LOCAL`), without a
login: whoever has the key of the address that the server printed.
"""

from __future__ import annotations

import hashlib
import secrets
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, get_args

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import ColumnElement, Connection, Engine, Row, bindparam, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from pyramidion.base.names import clean
from pyramidion.errors import PyramidionError
from pyramidion.studio import schema
from pyramidion.studio.database import database_errors
from pyramidion.studio.log.store import new_id, now, storable, time_text

Role = Literal["viewer", "annotator", "owner"]
ROLES: tuple[Role, ...] = get_args(Role)
"""The roles, from the one that may do least to the one that may do most."""

CONSENSUS = "consensus"
"""The annotator under whose name owners settle differences; nobody else has it."""
SHORTEST_PASSWORD = 10
LONGEST_NAME = 60
INVITATION_DAYS = 7
"""Days for which an invitation can be used."""


_ANY = select(schema.users.c.id).limit(1)
_BY_ID = select(schema.users).where(schema.users.c.id == bindparam("id"))
_ROLE = select(schema.members.c.role).where(
    schema.members.c.project == bindparam("project"), schema.members.c.account == bindparam("account")
)


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
NOBODY = Account("", "")
"""Whoever has not logged in."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation that can be used: the digest of its token, the role that it gives, and when it was made."""

    digest: str
    role: Role
    created: str

    @property
    def ends(self) -> str:
        """The last day on which it can be used."""
        return (datetime.fromisoformat(self.created) + timedelta(days=INVITATION_DAYS)).date().isoformat()


class Accounts:
    """The people of a workspace."""

    def __init__(self, engine: Engine, hasher: PasswordHasher | None = None) -> None:
        self.engine = engine
        self.hasher = hasher or PasswordHasher()
        # verified where nobody has the name, so that a name that is unknown takes as long as a wrong password
        self._nobody = self.hasher.hash(secrets.token_hex())

    def any(self) -> bool:
        """Return whether there is an account."""
        with database_errors(), self.engine.connect() as connection:
            return connection.execute(_ANY).first() is not None

    def add(self, name: str, password: str, *, admin: bool = False) -> Account:
        """Make an account."""
        row = self._row(name, password, admin)
        with database_errors(), self.engine.begin() as connection:
            return _insert(connection, row)

    def _row(self, name: str, password: str, admin: bool = False) -> dict[str, Any]:
        """Return an account as its table has it; a name or password that cannot be used is an error."""
        name = known_as(name)
        if not _alike_key(name) or len(name) > LONGEST_NAME or _alike_key(name) == CONSENSUS:
            raise RefusedError("This name cannot be used.", do=f"write letters and digits, {LONGEST_NAME} at most")
        if len(password) < SHORTEST_PASSWORD:
            raise RefusedError("The password is too short.", do=f"write {SHORTEST_PASSWORD} characters or more")
        return {"id": new_id(), "name": name, "password": self.hasher.hash(password), "admin": admin, "epoch": 0}

    def by_password(self, name: str, password: str) -> Account | None:
        """Return the account, if the password is right; an unknown name takes as long as a wrong password."""
        with database_errors(), self.engine.connect() as connection:
            row = connection.execute(select(schema.users).where(schema.users.c.name == known_as(name))).first()
        try:
            self.hasher.verify(row.password if row else self._nobody, password)
        except (VerificationError, InvalidHashError):
            return None
        return _account(row) if row else None

    def get(self, id: str) -> Account | None:
        """Return the account of that id."""
        with database_errors(), self.engine.connect() as connection:
            row = connection.execute(_BY_ID, {"id": id}).first()
        return _account(row) if row else None

    def end_sessions(self, id: str) -> None:
        """Log a person out everywhere."""
        users = schema.users
        with database_errors(), self.engine.begin() as connection:
            connection.execute(update(users).where(users.c.id == id).values(epoch=users.c.epoch + 1))

    # Projects

    def role(self, account: Account, project: str) -> Role | None:
        """Return somebody's role in a project; nothing where they are not a member."""
        if account.admin:
            return "owner"
        with database_errors(), self.engine.connect() as connection:
            return _role(connection, project, account.id)

    def set_role(self, project: str, account: str, role: Role | None) -> None:
        """Make somebody a member of a project, change their role, or end it."""
        with database_errors(), self.engine.begin() as connection:
            _set_role(connection, project, account, role)

    def members(self, project: str) -> Sequence[tuple[Account, Role]]:
        """Return the members of a project with their roles, by name."""
        query = (
            select(schema.users, schema.members.c.role)
            .join(schema.members, schema.members.c.account == schema.users.c.id)
            .where(schema.members.c.project == project)
            .order_by(schema.users.c.name)
        )
        with database_errors(), self.engine.connect() as connection:
            return [(_account(row), row.role) for row in connection.execute(query)]

    # Invitations

    def invite(self, project: str, role: Role) -> str:
        """Make an invitation and return its token, with which one person can join; only the token's digest is kept."""
        token = secrets.token_urlsafe(24)
        row = {"token": _digest(token), "project": project, "role": role, "created": now(), "used_by": ""}
        with database_errors(), self.engine.begin() as connection:
            connection.execute(insert(schema.invitations).values(**row))
        return token

    def invitation(self, token: str) -> tuple[str, Role] | None:
        """Return the project and the role of an invitation, if it can be used."""
        table = schema.invitations
        query = select(table.c.project, table.c.role).where(table.c.token == _digest(token), *_usable_conditions())
        with database_errors(), self.engine.connect() as connection:
            row = connection.execute(query).first()
        return (row[0], row[1]) if row else None

    def invitations(self, project: str) -> Sequence[Invitation]:
        """Return the invitations to a project that can be used, the oldest first."""
        table = schema.invitations
        query = select(table).where(table.c.project == project, *_usable_conditions()).order_by(table.c.created)
        with database_errors(), self.engine.connect() as connection:
            return [Invitation(row.token, row.role, row.created) for row in connection.execute(query)]

    def revoke(self, project: str, digest: str) -> None:
        """Make an invitation useless; it is named by the digest of its token."""
        table = schema.invitations
        unused = (table.c.project == project, table.c.token == digest, table.c.used_by == "")
        with database_errors(), self.engine.begin() as connection:
            if not connection.execute(delete(table).where(*unused)).rowcount:
                raise RefusedError("This invitation was used or revoked already.", do="reload the page")

    def accept(self, token: str, account: Account) -> str:
        """Use an invitation, once, and return its project."""
        with database_errors(), self.engine.begin() as connection:
            return _use(connection, token, account)

    def join(self, token: str, name: str, password: str) -> tuple[Account, str]:
        """Make an account by an invitation, and return it with the project: both are there then, or neither."""
        if self.invitation(token) is None:  # before a password is hashed, which takes long
            raise unusable_invitation()
        row = self._row(name, password)
        with database_errors(), self.engine.begin() as connection:
            account = _insert(connection, row)
            return account, _use(connection, token, account)

    # Assignments

    def assign(self, topic: str, peer: str, account: str, assigned: bool = True) -> None:
        """Ask somebody to annotate a peer, or no longer."""
        table = schema.assignments
        with database_errors(), self.engine.begin() as connection:
            # taken away first, so that assigning twice is no error
            connection.execute(
                delete(table).where(table.c.topic == topic, table.c.peer == peer, table.c.account == account)
            )
            if assigned:
                connection.execute(insert(table).values(topic=topic, peer=peer, account=account))

    def assignments(self, topic: str) -> Sequence[tuple[str, str]]:
        """Return the peers of a topic that somebody is to annotate, each with that person's name."""
        query = (
            select(schema.assignments.c.peer, schema.users.c.name)
            .join(schema.users, schema.users.c.id == schema.assignments.c.account)
            .where(schema.assignments.c.topic == topic)
            .order_by(schema.assignments.c.peer, schema.users.c.name)
        )
        with database_errors(), self.engine.connect() as connection:
            return [(row[0], row[1]) for row in connection.execute(query)]


def unusable_invitation() -> RefusedError:
    """Return the error of an invitation that lets nobody in; it does not say why, so that guessing teaches nothing."""
    return RefusedError(
        "This invitation was used or revoked, it is too old, or it was never made.", do="ask for another"
    )


def _usable_conditions() -> tuple[ColumnElement[bool], ...]:
    """Return the conditions that hold of every invitation that can be used."""
    since = datetime.now(UTC) - timedelta(days=INVITATION_DAYS)
    return schema.invitations.c.used_by == "", schema.invitations.c.created > time_text(since)


def _use(connection: Connection, token: str, account: Account) -> str:
    """Use an invitation within a transaction; a role that is higher already stays."""
    table = schema.invitations
    this_invitation = table.c.token == _digest(token)
    # the update is the check: of two who use an invitation at once, one finds no row that is unused
    if not connection.execute(
        update(table).where(this_invitation, *_usable_conditions()).values(used_by=account.id)
    ).rowcount:
        raise unusable_invitation()
    project, role = connection.execute(select(table.c.project, table.c.role).where(this_invitation)).one()
    before = "owner" if account.admin else _role(connection, project, account.id)
    if before is None or ROLES.index(role) > ROLES.index(before):
        _set_role(connection, project, account.id, role)
    return str(project)


def known_as(name: str) -> str:
    """Return a name as it is kept, however it was typed."""
    return storable(" ".join(unicodedata.normalize("NFC", clean(name)).split()))


def _alike_key(name: str) -> str:
    """Return the same text for names that people take for one another: other case, letter forms, signs nobody sees."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return " ".join("".join(sign for sign in folded if unicodedata.category(sign) != "Cf").split())


def _insert(connection: Connection, row: dict[str, Any]) -> Account:
    try:
        # the table itself refuses only names that are exactly equal
        if any(
            _alike_key(name) == _alike_key(row["name"])
            for name in connection.execute(select(schema.users.c.name)).scalars()
        ):
            raise RefusedError("Somebody has this name already.", do="choose another")
        connection.execute(insert(schema.users).values(**row))
    except IntegrityError:
        raise RefusedError("Somebody has this name already.", do="choose another") from None
    return Account(row["id"], row["name"], row["admin"], row["epoch"])


def _role(connection: Connection, project: str, account: str) -> Role | None:
    role: Role | None = connection.execute(_ROLE, {"project": project, "account": account}).scalar()
    return role


def _set_role(connection: Connection, project: str, account: str, role: Role | None) -> None:
    members = schema.members
    connection.execute(delete(members).where(members.c.project == project, members.c.account == account))
    if role:
        connection.execute(insert(members).values(project=project, account=account, role=role))


def _account(row: Row[tuple[object, ...]]) -> Account:
    return Account(row.id, row.name, bool(row.admin), row.epoch)


def _digest(token: str) -> str:
    # so that whoever reads the database, or a backup, cannot use the invitations
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
