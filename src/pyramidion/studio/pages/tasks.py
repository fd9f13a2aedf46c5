"""The pages of workers: the tasks of a crowd study, for whoever has its link.

What they show and take is the crowd room's (:mod:`pyramidion.crowd.counter`), as ``pyramidion crowd serve`` has it: no
account, no cookie; instead of a session's token, answers carry the ticket of their task.
"""

from __future__ import annotations

from starlette.responses import Response

from pyramidion.crowd.counter import Place, Reply
from pyramidion.studio.doors import Visit


def start(visit: Visit) -> Response:
    """Ask for a name."""
    return _page(visit, "start")


def task(visit: Visit) -> Response:
    """Show the worker's next task."""
    return _page(visit, "task")


def thanks(visit: Visit) -> Response:
    """Thank the worker."""
    return _page(visit, "done")


def answer(visit: Visit) -> Response:
    """Keep what a task's page sends."""
    return _response(visit.workspace.crowd.counter(visit.study).answer(visit.body))


def _page(visit: Visit, place: Place) -> Response:
    """Return the page of a place; a study that is closed has no task for anybody."""
    counter = visit.workspace.crowd.counter(visit.study)
    return _response(counter.page(place if visit.study.open else "done", dict(visit.request.query_params)))


def _response(reply: Reply) -> Response:
    return Response(reply.body, reply.status, reply.headers)
