"""The pages of accounts: the way in without one, the first one, logging in and out, joining by an invitation."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from pyramidion.crowd.tickets import is_ticket, ticket
from pyramidion.studio.accounts import LOCAL, Account, RefusedError, known_as, unusable_invitation
from pyramidion.studio.doors import Visit
from pyramidion.studio.rendering import page
from pyramidion.studio.sessions import Session
from pyramidion.studio.workspace import Workspace


def setup_key(workspace: Workspace) -> str:
    """Return the key that proves that whoever makes the first account started the server."""
    return ticket(workspace.secret, "setup", "", "")


def local_key(workspace: Workspace) -> str:
    """Return the key that proves that whoever opens the studio here started it, and is no other user of the machine."""
    return ticket(workspace.secret, "enter", "", "")


def _begin_session(visit: Visit, account: Account, to: str = "/") -> Response:
    """Begin a new session, since one from before the login proves nothing, and lead to a page."""
    visit.account, visit.session = account, Session.new(account)
    return RedirectResponse(to, 303)


def enter(visit: Visit) -> Response:
    """Let in whoever started the studio on this machine: the key is in the address that it printed."""
    workspace = visit.workspace
    if workspace.accounts.any():
        return RedirectResponse("/", 303)
    if not workspace.local or not is_ticket(visit.value("key"), workspace.secret, "enter", "", ""):
        raise RefusedError("This is not the address that the studio printed when it started.")
    return _begin_session(visit, LOCAL)


def login(visit: Visit) -> Response:
    """Ask for name and password."""
    return _login(visit)


def _login(visit: Visit, status: int = 200, error: str = "") -> Response:
    """Ask for name and password; where nobody has any yet, say where the way in is."""
    here = visit.workspace.local and not visit.workspace.accounts.any()
    return page(visit, "login.html", status, error=error, here=here)


def log_in(visit: Visit) -> Response:
    """Check name and password; after some failures nobody is let in for minutes, not even with the right one."""
    name, password = visit.value("name"), visit.value("password", 1000)
    address = visit.request.client.host if visit.request.client else ""
    throttle, tried = visit.workspace.throttle, (f"name {known_as(name)}", f"from {address}")
    if not throttle.begin(*tried):
        return _login(visit, 429, "too_many_tries")
    account = visit.workspace.accounts.by_password(name, password)
    if account is None:
        return _login(visit, 403, "wrong_login")
    throttle.succeeded(*tried)
    return _begin_session(visit, account)


def log_out(visit: Visit) -> Response:
    """End all sessions of the visitor."""
    visit.workspace.accounts.end_sessions(visit.account.id)
    visit.session = Session.new()
    return RedirectResponse("/login", 303)


def _may_set_up(visit: Visit) -> bool:
    if visit.workspace.accounts.any():
        return False
    return visit.account.admin or is_ticket(visit.value("key"), visit.workspace.secret, "setup", "", "")


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
    return _begin_session(visit, account)


def invitation(visit: Visit) -> Response:
    """Ask who was invited for a name and password."""
    token = visit.request.path_params["token"]
    if visit.workspace.accounts.invitation(token) is None:
        raise unusable_invitation()
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
    # whoever is logged in joins as the one they are
    if visit.account.id:
        return RedirectResponse(f"/projects/{accounts.accept(token, visit.account)}", 303)
    account, project = accounts.join(token, visit.value("name"), visit.value("password", 1000))
    return _begin_session(visit, account, f"/projects/{project}")
