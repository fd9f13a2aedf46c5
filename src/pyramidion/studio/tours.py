"""Who has seen the tour: it is offered to everybody until they ended it once."""

from __future__ import annotations

from sqlalchemy import Engine, delete, insert, select
from starlette.responses import JSONResponse, Response

from pyramidion.studio import schema
from pyramidion.studio.accounts import Account
from pyramidion.studio.database import database_errors
from pyramidion.studio.doors import Visit
from pyramidion.studio.log.store import now


def is_offered(engine: Engine, account: Account) -> bool:
    """Return whether somebody is still to be offered the tour: they have never ended it."""
    query = select(schema.tours.c.ended).where(schema.tours.c.account == account.id)
    with database_errors(), engine.connect() as connection:
        return connection.execute(query).scalar() is None


def end(visit: Visit) -> Response:
    """Remember that the visitor has seen the tour, or does not want it."""
    tours = schema.tours
    with database_errors(), visit.workspace.engine.begin() as connection:
        connection.execute(delete(tours).where(tours.c.account == visit.account.id))
        connection.execute(insert(tours).values(account=visit.account.id, ended=now()))
    return JSONResponse({"ok": True})
