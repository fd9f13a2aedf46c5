"""The pages of accounts: the first one, logging in and out, joining by an invitation."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from pyramidion.crowd.tickets import is_ticket, ticket
from pyramidion.studio.accounts import Account, RefusedError
from pyramidion.studio.doors import Visit
from pyramidion.studio.rendering import page
from pyramidion.studio.sessions import Session
from pyramidion.studio.workspace import Workspace


def setup_key(workspace: Workspace) -> str:
    """What proves that whoever makes the first account started the server."""
    return ticket(workspace.secret, "setup", "", "")


def _logged_in(visit: Visit, account: Account, to: str = "/") -> Response:
    """Begin a new session: one from before the login is nobody's proof."""
    visit.account, visit.session = account, Session.new(account)
    return RedirectResponse(to, 303)


def login(visit: Visit) -> Response:
    """Ask for name and password."""
    return page(visit, "login.html", error="")


def log_in(visit: Visit) -> Response:
    """Check name and password; after some failures nobody is let in for minutes, not even with the right one."""
    name, password = visit.value("name"), visit.value("password", 1000)
    address = visit.request.client.host if visit.request.client else ""
    throttle = visit.workspace.throttle
    if not throttle.allows(f"name {name}", f"from {address}"):
        return page(visit, "login.html", 429, error="too_many_tries")
    account = visit.workspace.accounts.by_password(name, password)
    if account is None:
        throttle.failed(f"name {name}", f"from {address}")
        return page(visit, "login.html", 403, error="wrong_login")
    return _logged_in(visit, account)


def log_out(visit: Visit) -> Response:
    """End all sessions of the visitor."""
    visit.workspace.accounts.end_sessions(visit.account.id)
    visit.session = Session.new()
    return RedirectResponse("/login", 303)


def _may_set_up(visit: Visit) -> bool:
    if visit.workspace.accounts.any():
        return False
    key = visit.value("key")
    return visit.workspace.local or is_ticket(key, visit.workspace.secret, "setup", "", "")


def setup(visit: Visit) -> Response:
    """Ask for the first account."""
    if not _may_set_up(visit):
        raise RefusedError("There is an account already, or the link is not the one that the server printed.")
    return page(
        visit, "join.html", title="first_account", about="first_account_about", to="/setup", key=visit.value("key")
    )


def set_up(visit: Visit) -> Response:
    """Make the first account; from then on, everybody logs in."""
    if not _may_set_up(visit):
        raise RefusedError("There is an account already, or the link is not the one that the server printed.")
    account = visit.workspace.accounts.add(visit.value("name"), visit.value("password", 1000), admin=True)
    return _logged_in(visit, account)


def invitation(visit: Visit) -> Response:
    """Ask who was invited for a name and password."""
    token = visit.request.path_params["token"]
    if visit.workspace.accounts.invitation(token) is None:
        raise RefusedError("This invitation was used already, or never made.", do="ask for another")
    known = bool(visit.account.id)
    return page(
        visit,
        "join.html",
        title="join",
        about="join_known" if known else "join_about",
        to=f"/invitations/{token}",
        key="",
    )


def join(visit: Visit) -> Response:
    """Use an invitation: with the account one has, or with a new one."""
    accounts, token = visit.workspace.accounts, visit.request.path_params["token"]
    if accounts.invitation(token) is None:
        raise RefusedError("This invitation was used already, or never made.", do="ask for another")
    account = visit.account if visit.account.id else accounts.add(visit.value("name"), visit.value("password", 1000))
    project = accounts.accept(token, account)
    to = f"/projects/{project}"
    return RedirectResponse(to, 303) if visit.account.id else _logged_in(visit, account, to)
