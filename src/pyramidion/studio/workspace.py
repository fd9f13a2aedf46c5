"""A workspace that is open: its database, topics, people, secret, long work, and who looks at what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from argon2 import PasswordHasher
from sqlalchemy import Engine, bindparam, insert, select

from pyramidion.base.names import clean
from pyramidion.crowd.tickets import read_or_make_secret
from pyramidion.model import Topic
from pyramidion.studio import schema
from pyramidion.studio.accounts import LOCAL, Account, Accounts
from pyramidion.studio.crowd_studies import CrowdStudies
from pyramidion.studio.database import database_errors, open_database
from pyramidion.studio.jobs import Jobs
from pyramidion.studio.live import Watchers
from pyramidion.studio.log.store import Store, new_id, now, storable
from pyramidion.studio.sessions import Throttle

_PROJECT_OF = (
    select(schema.projects.c.id, schema.projects.c.name)
    .join(schema.topics, schema.topics.c.project == schema.projects.c.id)
    .where(schema.topics.c.id == bindparam("topic"))
)


@dataclass(frozen=True, slots=True)
class Project:
    """A project by its id and name."""

    id: str
    name: str


class Workspace:
    """Everything that the studio's pages work on."""

    def __init__(
        self,
        folder: Path,
        url: str = "",
        *,
        local: bool = True,
        hasher: PasswordHasher | None = None,
        runs: Path | None = None,
    ) -> None:
        """Open the workspace of a folder; with a ``url``, its database is there, and the folder keeps the secret."""
        self.folder = folder
        self.runs = runs or folder / "runs"
        """A folder with the folders of runs in it."""
        self.engine: Engine = open_database(folder, url)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.secret = read_or_make_secret(folder)
        self.local = local
        """Only this machine can reach it, so that one person needs no login."""
        self.watchers = Watchers()
        self.store = Store(self.engine, self.watchers.notify)
        self.accounts = Accounts(self.engine, hasher)
        self.crowd = CrowdStudies(self.engine)
        self.jobs = Jobs()
        self.throttle = Throttle()

    def close(self) -> None:
        """End what runs and let go of the database."""
        self.jobs.close()
        self.engine.dispose()

    def add_project(self, name: str, topics: Sequence[Topic] = (), owner: Account = LOCAL) -> str:
        """Make a project of these topics."""
        id = new_id()
        with database_errors(), self.engine.begin() as connection:
            name = storable(" ".join(clean(name).split()))[:100] or "Project"
            connection.execute(insert(schema.projects).values(id=id, name=name, created=now()))
        if owner.id:
            self.accounts.set_role(id, owner.id, "owner")
        for topic in topics:
            self.store.add(id, topic)
        return id

    def projects(self, account: Account) -> list[Project]:
        """Return the projects that somebody may see, the oldest first."""
        query = select(schema.projects.c.id, schema.projects.c.name).order_by(schema.projects.c.created)
        with database_errors(), self.engine.connect() as connection:
            projects = [Project(row[0], row[1]) for row in connection.execute(query)]
        return [project for project in projects if self.accounts.role(account, project.id)]

    def project(self, id: str) -> Project | None:
        """Return the project of that id."""
        query = select(schema.projects.c.name).where(schema.projects.c.id == id)
        with database_errors(), self.engine.connect() as connection:
            name = connection.execute(query).scalar()
        return None if name is None else Project(id, name)

    def project_of(self, topic: str) -> Project | None:
        """Return the project that a topic belongs to."""
        with database_errors(), self.engine.connect() as connection:
            row = connection.execute(_PROJECT_OF, {"topic": topic}).first()
        return Project(row[0], row[1]) if row else None
