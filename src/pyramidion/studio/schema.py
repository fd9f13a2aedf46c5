"""The tables of a workspace, and the numbered steps that lead to them.

The same SQL runs on SQLite and PostgreSQL. A workspace remembers how many steps it has taken; a newer studio takes the
rest when it opens it, each in one transaction, and an older one refuses it. A step that was released never changes.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Engine,
    Integer,
    MetaData,
    String,
    Table,
    insert,
    inspect,
    select,
    text,
    update,
)

from pyramidion.base.stores import STUDIO
from pyramidion.errors import PyramidionError

STEPS = (
    """
    create table projects (id text primary key, name text not null, created text not null);
    create table topics (
      id text primary key, project text not null references projects (id), name text not null,
      first_id integer not null, created text not null
    );
    create index topics_of_project on topics (project);
    create table entries (
      topic text not null references topics (id), number integer not null, time text not null, author text not null,
      kind text not null, operation text not null, primary key (topic, number)
    );
    create table snapshots (
      topic text not null references topics (id), number integer not null, document text not null,
      primary key (topic, number)
    );
    create table suggestions (
      topic text not null references topics (id), peer text not null, matcher text not null, annotation text not null,
      primary key (topic, peer)
    );
    create table users (
      id text primary key, name text not null unique, password text not null, admin boolean not null,
      epoch integer not null
    );
    create table members (
      project text not null references projects (id), account text not null references users (id), role text not null,
      primary key (project, account)
    );
    create table invitations (
      token text primary key, project text not null references projects (id), role text not null,
      created text not null, used_by text not null
    );
    create table assignments (
      topic text not null references topics (id), peer text not null, account text not null references users (id),
      primary key (topic, peer, account)
    )
    """,
    """
    create table kept (
      id text primary key, project text not null references projects (id), kind text not null, created text not null,
      author text not null, method text not null, signature text not null, basis text not null, content text not null
    );
    create index kept_of_project on kept (project);
    create table tours (account text primary key, ended text not null)
    """,
    """
    create table crowd_studies (
      id text primary key, project text not null references projects (id), name text not null, created text not null,
      link text not null unique, open boolean not null, secret text not null, service text not null,
      version integer not null, study text not null
    );
    create index crowd_studies_of_project on crowd_studies (project);
    create table crowd_answers (
      study text not null references crowd_studies (id), task text not null, worker text not null, id text not null,
      phase text not null, time text not null, content text not null, submission text not null,
      primary key (study, task, worker), unique (study, id, task)
    )
    """,
)

metadata = MetaData()
version_table = Table("studio_schema", metadata, Column("version", Integer, nullable=False))
projects = Table(
    "projects", metadata, Column("id", String, primary_key=True), Column("name", String), Column("created", String)
)
topics = Table(
    "topics",
    metadata,
    Column("id", String, primary_key=True),
    Column("project", String),
    Column("name", String),
    Column("first_id", Integer),
    Column("created", String),
)
entries = Table(
    "entries",
    metadata,
    Column("topic", String, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("time", String),
    Column("author", String),
    Column("kind", String),
    Column("operation", String),
)
snapshots = Table(
    "snapshots",
    metadata,
    Column("topic", String, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("document", String),
)
suggestions = Table(
    "suggestions",
    metadata,
    Column("topic", String, primary_key=True),
    Column("peer", String, primary_key=True),
    Column("matcher", String),
    Column("annotation", String),
)
users = Table(
    "users",
    metadata,
    Column("id", String, primary_key=True),
    Column("name", String),
    Column("password", String),
    Column("admin", Boolean),
    Column("epoch", Integer),
)
members = Table(
    "members",
    metadata,
    Column("project", String, primary_key=True),
    Column("account", String, primary_key=True),
    Column("role", String),
)
invitations = Table(
    "invitations",
    metadata,
    Column("token", String, primary_key=True),
    Column("project", String),
    Column("role", String),
    Column("created", String),
    Column("used_by", String),
)
assignments = Table(
    "assignments",
    metadata,
    Column("topic", String, primary_key=True),
    Column("peer", String, primary_key=True),
    Column("account", String, primary_key=True),
)
kept = Table(
    "kept",
    metadata,
    Column("id", String, primary_key=True),
    Column("project", String),
    Column("kind", String),
    Column("created", String),
    Column("author", String),
    Column("method", String),
    Column("signature", String),
    Column("basis", String),
    Column("content", String),
)
tours = Table("tours", metadata, Column("account", String, primary_key=True), Column("ended", String))
crowd_studies = Table(
    "crowd_studies",
    metadata,
    Column("id", String, primary_key=True),
    Column("project", String),
    Column("name", String),
    Column("created", String),
    Column("link", String),
    Column("open", Boolean),
    Column("secret", String),
    Column("service", String),
    Column("version", Integer),
    Column("study", String),
)
crowd_answers = Table(
    "crowd_answers",
    metadata,
    Column("study", String, primary_key=True),
    Column("task", String, primary_key=True),
    Column("worker", String, primary_key=True),
    Column("id", String),
    Column("phase", String),
    Column("time", String),
    Column("content", String),
    Column("submission", String),
)

DATA = (
    *(projects, users, topics, entries, snapshots, suggestions, members, invitations, assignments, kept, tours),
    *(crowd_studies, crowd_answers),
)
"""Every table that holds what people made, those first that others refer to."""


def migrate(engine: Engine, steps: tuple[str, ...] = STEPS) -> None:
    """Take the steps that the workspace has not taken yet."""
    with engine.connect() as connection:  # a workspace that is up to date opens also on a full disk
        if inspect(connection).has_table("studio_schema") and _version(connection) == len(steps):
            return
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":  # two studios that start at once; SQLite locks by itself
            connection.execute(text("select pg_advisory_xact_lock(5063)"))
        if not inspect(connection).has_table("studio_schema"):
            if engine.dialect.name == "sqlite":
                connection.execute(text(STUDIO.mark))
            connection.execute(text("create table studio_schema (version integer not null)"))
            connection.execute(insert(version_table).values(version=0))
    while _step(engine, steps):
        pass


def _step(engine: Engine, steps: tuple[str, ...]) -> bool:
    """Take the next step; say whether there was one."""
    with engine.begin() as connection:
        # claims the row first, so that of two studios one waits
        connection.execute(update(version_table).values(version=version_table.c.version))
        version = _version(connection)
        if version > len(steps):
            raise PyramidionError(
                f"The workspace was written by a newer Pyramidion (schema {version}).", do="update this one"
            )
        if version == len(steps):
            return False
        _run(connection, steps[version])
        connection.execute(update(version_table).values(version=version + 1))
    return True


def _version(connection: Connection) -> int:
    """Return the number of steps that were taken."""
    return int(connection.execute(select(version_table.c.version)).scalar_one())


def _run(connection: Connection, script: str) -> None:
    # SQLite's driver runs one statement at a time; no step has a semicolon within one
    for statement in script.split(";"):
        if statement.strip():
            connection.execute(text(statement))
