"""The crowd studies of a workspace: made of a project's topics, offered to workers by a link, each with its desk.

A study is the crowd room's (:mod:`pyramidion.crowd.study`) and only grows. Its link is a secret that cannot be guessed;
whoever has it may do tasks, without an account. A study that is closed gives out no more tasks, but takes the answers
to those that it has given out: work that is done is never refused.
"""

from __future__ import annotations

import secrets
import threading
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import Engine, delete, insert, select, update

from pyramidion.base.choices import check_choices
from pyramidion.base.json import decoder
from pyramidion.crowd import study as studies
from pyramidion.crowd.assignment import Distinct
from pyramidion.crowd.counter import Counter
from pyramidion.crowd.desk import Desk
from pyramidion.crowd.study import Study
from pyramidion.studio import schema
from pyramidion.studio.crowd_answers import StudyAnswers
from pyramidion.studio.database import database_errors
from pyramidion.studio.log.store import ConflictError, GoneError, new_id, now, storable

DESKS = 64
"""Studies whose desks are in memory."""

_rows = schema.crowd_studies
_about = (_rows.c.id, _rows.c.project, _rows.c.name, _rows.c.created, _rows.c.link, _rows.c.open, _rows.c.version)


@check_choices
@dataclass(frozen=True, slots=True)
class Service:
    """The settings by which tasks are given out."""

    each: int = 0
    """The most tasks that one worker gets, 0 for all."""
    distinct: Distinct = "item"
    completion: str = ""
    """The address to which workers are led at the end."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A study as it is listed: without its texts."""

    id: str
    project: str
    name: str
    created: str
    link: str
    open: bool
    """Tasks are given out."""
    version: int
    """The number of times that the study was put in place: 1 at first, and one more whenever it grows."""


NO_OFFER = Offer("", "", "", "", "", False, 0)


@dataclass(frozen=True, slots=True)
class Open:
    """A study that is in memory."""

    study: Study
    answers: StudyAnswers
    desk: Desk
    service: Service


class CrowdStudies:
    """The crowd studies of a workspace."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._open: dict[str, tuple[int, Open]] = {}
        self._lock = threading.Lock()

    def add(self, project: str, study: Study, service: Service) -> str:
        """Offer a study and return its id."""
        id = new_id()
        row = {"id": id, "project": project, "name": storable(study.name), "created": now(), "open": True, "version": 1}
        row |= {"link": _new_link(), "secret": secrets.token_hex(32), "study": studies.dumps(study).decode()}
        with database_errors(), self.engine.begin() as connection:
            connection.execute(insert(_rows).values(**row, service=msgspec.json.encode(service).decode()))
        return id

    def of(self, project: str) -> list[Offer]:
        """Return the studies of a project, the newest first."""
        query = select(*_about).where(_rows.c.project == project).order_by(_rows.c.created.desc(), _rows.c.id)
        with database_errors(), self.engine.connect() as connection:
            return [_offer(row) for row in connection.execute(query)]

    def get(self, id: str) -> Offer | None:
        """Return the study of that id."""
        return self._one(_rows.c.id == id)

    def by_link(self, link: str) -> Offer | None:
        """Return the study that workers with this link do."""
        return self._one(_rows.c.link == link)

    def open_study(self, offer: Offer) -> Open:
        """Return the study with its answers and its desk; the same desk as long as the study does not grow."""
        with self._lock:
            version, known = self._open.get(offer.id, (0, None))
            if known is None or version != offer.version:
                known = self._load(offer)
                self._open[offer.id] = offer.version, known
                # the desk that was made first goes first; it is made again when somebody comes
                while len(self._open) > DESKS:
                    del self._open[next(iter(self._open))]
            return known

    def counter(self, offer: Offer) -> Counter:
        """Return the counter that its workers come to."""
        return Counter(self.open_study(offer).desk, f"/crowd/{offer.link}")

    def grow(self, offer: Offer, study: Study) -> None:
        """Put a study in the place of what it has grown from."""
        # the version is the lock: if somebody was faster, no row has it any more
        unchanged = (_rows.c.id == offer.id, _rows.c.version == offer.version)
        values = {"study": studies.dumps(study).decode(), "version": offer.version + 1}
        with database_errors(), self.engine.begin() as connection:
            if not connection.execute(update(_rows).where(*unchanged).values(**values)).rowcount:
                raise ConflictError("Somebody else has meanwhile changed this study.", do="look at it as it is now")

    def set_open(self, offer: Offer, open: bool) -> None:
        """Begin or stop to give out tasks."""
        self._set(offer, open=open)

    def renew_link(self, offer: Offer) -> None:
        """Give the study another link; the old one leads nowhere."""
        self._set(offer, link=_new_link())

    def remove(self, offer: Offer) -> None:
        """Take away a study that nobody has answered."""
        answers = schema.crowd_answers
        with database_errors(), self.engine.begin() as connection:
            # a condition of the deletion itself, not a question before it: answers may come at any time
            unanswered = ~select(answers.c.task).where(answers.c.study == offer.id).exists()
            if not connection.execute(delete(_rows).where(_rows.c.id == offer.id, unanswered)).rowcount:
                raise ConflictError("This study has answers.", do="close it instead")

    def _set(self, offer: Offer, **values: Any) -> None:
        with database_errors(), self.engine.begin() as connection:
            connection.execute(update(_rows).where(_rows.c.id == offer.id).values(**values))

    def _one(self, where: Any) -> Offer | None:
        with database_errors(), self.engine.connect() as connection:
            row = connection.execute(select(*_about).where(where)).first()
        return _offer(row) if row else None

    def _load(self, offer: Offer) -> Open:
        """Read a study from the database, and make its desk."""
        query = select(_rows.c.study, _rows.c.secret, _rows.c.service).where(_rows.c.id == offer.id)
        with database_errors(), self.engine.connect() as connection:
            row = connection.execute(query).first()
        if row is None:
            raise GoneError("There is no such study.")
        study, service = studies.loads(row.study), decoder(Service).decode(row.service)
        answers = StudyAnswers(self.engine, offer.id, study, row.secret)
        desk = Desk(
            study,
            answers,
            study.phase,
            each=service.each,
            distinct=service.distinct,
            completion=service.completion,
        )
        return Open(study, answers, desk, service)


def _offer(row: Any) -> Offer:
    return Offer(row.id, row.project, row.name, row.created, row.link, bool(row.open), row.version)


def _new_link() -> str:
    return secrets.token_urlsafe(18)
