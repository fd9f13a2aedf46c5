"""Who may do what: every route as every role, tokens, hosts, sessions, logins, sizes, and texts that are markup."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pyramidion.crowd.design import Design
from pyramidion.crowd.desk import name_of
from pyramidion.crowd.plan import plan
from pyramidion.evaluation.engines.serial import Serial
from pyramidion.evaluation.record import record_of
from pyramidion.evaluation.run import drive_run
from pyramidion.evaluation.work import Scoring
from pyramidion.examples import example
from pyramidion.methods import Method
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Span, Summary, Topic
from pyramidion.studio import accounts, guard, keeping, sessions
from pyramidion.studio.accounts import CONSENSUS, Account, RefusedError
from pyramidion.studio.app import DOORS
from pyramidion.studio.crowd_studies import Offer, Service
from pyramidion.studio.database import UnwritableError
from pyramidion.studio.doors import Door
from pyramidion.studio.live import Watchers
from pyramidion.studio.pages.accounts import local_key, setup_key
from pyramidion.studio.sessions import Session, Throttle
from pyramidion.studio.workspace import Workspace
from tests.studio.crowd_desk import Worker, dam, make_study
from tests.studio.desk import PASSWORD, Visitor, opened

TEXT = "The dam broke."
TOPIC = Topic("dam", (Summary("A", TEXT), Summary("B", TEXT)), (Summary("p", TEXT, "peer"), Summary("q", TEXT, "peer")))
ROLES = ("nobody", "stranger", "viewer", "annotator", "owner", "admin")


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    made = opened(tmp_path)
    yield made
    made.close()


@pytest.fixture
def people(workspace: Workspace) -> dict[str, Account]:
    """An account for each role; the first one is the admin's."""
    made = {role: workspace.accounts.add(role, PASSWORD, admin=role == "admin") for role in reversed(ROLES[1:])}
    project = workspace.add_project("Class", [TOPIC], made["owner"])
    workspace.accounts.set_role(project, made["viewer"].id, "viewer")
    workspace.accounts.set_role(project, made["annotator"].id, "annotator")
    return made


def ids(workspace: Workspace) -> tuple[str, str]:
    from pyramidion.studio.log.store import topics_of

    (project,) = workspace.projects(Account("", "", admin=True))
    return project.id, topics_of(workspace.engine, project.id)[0][0]


def kept_feedback(workspace: Workspace, project: str) -> str:
    files, basis = {"index.html": b"<p>", "x.csv": b""}, keeping.current_basis(workspace.store, project)
    about = {"author": "owner", "method": "manual", "signature": "method:manual|version:0"}
    return keeping.keep(workspace.engine, project, "feedback", files, basis=basis, **about)


def make_run(folder: Path) -> None:
    """What ``evaluate --out`` writes of the example's first topic."""
    work = Scoring(Method.parse("manual"))
    with drive_run(folder, record_of(work, {}, {}, topics=1, summaries=6)) as driver:
        driver.go(work, example()[:1], Serial())


def a_study(workspace: Workspace, project: str) -> Offer:
    """A crowd study of another topic than the project's, for which one person has judged."""
    id = workspace.crowd.add(project, plan([dam()], Design(workers=1, platform="own"), statements="pyramid"), Service())
    offer = workspace.crowd.get(id)
    assert offer
    Worker(workspace, offer, "Walt").work(most=1)
    return offer


def expected(door: Door, role: str) -> set[int]:
    """The statuses that tell whether the visitor got in; 422 says that what was sent is not right, to one who may."""
    inside = {200, 303, 422}
    if door.needs == "nothing":
        return inside | {403}  # of a login without a name
    if door.needs == "link":
        return {200} if door.method == "GET" else {400}  # of answers that name nobody
    if role == "nobody":
        return {401}
    if door.needs == "login":
        return inside
    if door.needs == "admin":
        return inside if role == "admin" else {403}
    if role == "stranger":
        return {404}
    if role == "admin" or ROLES.index(role) >= ROLES.index(door.needs):
        return inside
    return {403}


@pytest.mark.parametrize("role", ROLES)
def test_every_route_lets_in_whom_it_may_and_nobody_else(
    workspace: Workspace, people: dict[str, Account], role: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def once(*_: object) -> AsyncIterator[int]:
        yield 1

    monkeypatch.setattr(Watchers, "versions", once)
    project, topic = ids(workspace)
    elsewhere = workspace.add_project("Other")
    job = workspace.jobs.start(project, 1, lambda job: "")
    result = kept_feedback(workspace, project)
    make_run(workspace.runs / "r")
    study = a_study(workspace, project)
    visitor = Visitor(workspace)
    name = sessions.cookie_name(workspace.secret)
    wrong = []
    for door in DOORS:
        values = {"project": project, "topic": topic, "job": job.id, "kind": "zip", "name:path": "index.html"}
        values |= {"result": result if not door.path.endswith("/delete") else kept_feedback(workspace, project)}
        values |= {"token": workspace.accounts.invite(elsewhere, "viewer"), "study": study.id, "link": study.link}
        path = door.path
        for key, value in values.items():
            path = path.replace(f"{{{key}}}", value)
        account = workspace.accounts.get(people[role].id) if role in people else None
        session = Session.new(account)
        visitor.client.cookies.clear()
        visitor.client.cookies.set(name, session.cookie_value(workspace.secret))
        visitor.token = session.token(workspace.secret)
        answer = (
            visitor.json(f"{path}?peer=p&run=r&first=r&second=r")
            if door.method == "GET"
            else visitor.post(path, {"peer": "p"})
        )
        allowed = expected(door, role)
        if door.shows_others and role == "annotator":
            allowed = {404}
        if door.path == "/setup":
            allowed = {422}  # there are accounts
        if door.path == "/enter":
            allowed = {303}
        if answer.status_code not in allowed:
            wrong.append((door.method, door.path, answer.status_code, answer.text[:80]))
    assert wrong == []


def test_every_change_needs_the_token_of_its_own_session(workspace: Workspace, people: dict[str, Account]) -> None:
    project, topic = ids(workspace)
    visitor, other = Visitor(workspace).log_in(people["owner"]), Visitor(workspace).log_in(people["admin"])
    values = {"project": project, "topic": topic, "study": a_study(workspace, project).id}
    for door in DOORS:
        if door.method == "POST":
            path = re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], "x"), door.path)
            if door.needs in ("admin", "link"):
                continue
            for token in ("", "x", other.token):
                visitor.token, kept = token, visitor.token
                answer = visitor.post(path)
                visitor.token = kept
                assert (answer.status_code, "too old" in answer.text) == (403, True), door.path
    assert workspace.store.version(topic) == 0


def test_whoever_has_the_link_of_a_study_gets_its_tasks_and_nothing_else(
    workspace: Workspace, people: dict[str, Account]
) -> None:
    project, topic = ids(workspace)
    study, other = a_study(workspace, project), a_study(workspace, workspace.add_project("Other"))
    worker = Worker(workspace, study, "Wanda")
    record = worker.record(worker.page().text)
    values = {"project": project, "topic": topic, "study": study.id, "link": study.link}
    for door in DOORS:
        path = re.sub(r"\{([\w:]+)\}", lambda found: values.get(found[1], "x"), door.path)
        ask = worker.browser.json if door.method == "GET" else worker.browser.post
        status = ask(path).status_code
        if door.needs == "link":
            assert status == (200 if door.method == "GET" else 400), door.path
            # another link, made up or of another study, does not lead to this one
            for link in ("x", study.link[:-1], study.id):
                assert ask(path.replace(study.link, link)).status_code == 404, (door.path, link)
        elif door.needs != "nothing":
            assert status == 401, door.path
    assert worker.send(record | {"ticket": "x"}).status_code == 403
    stranger = Worker(workspace, other, "Wanda")
    assert stranger.send(record).status_code == 403  # the ticket is of the other study
    assert worker.send(record).status_code == 200


def test_without_accounts_the_token_and_the_host_are_checked_all_the_same(workspace: Workspace) -> None:
    topic = workspace.store.add(workspace.add_project("Mine"), TOPIC)
    visitor = Visitor(workspace)
    assert visitor.post(f"/topics/{topic}/undo").status_code == 403
    visitor.get(f"/topics/{topic}")
    assert visitor.post(f"/topics/{topic}/undo").status_code == 422  # nothing to undo
    assert visitor.post(f"/topics/{topic}/undo", Host="evil.example").status_code == 421
    assert visitor.get("/", Host="evil.example").status_code == 421
    assert visitor.post(f"/topics/{topic}/undo", Origin="http://evil.example").status_code == 403
    assert visitor.post(f"/topics/{topic}/undo", Origin="null").status_code == 403
    assert visitor.post(f"/topics/{topic}/undo", Origin="http://127.0.0.1:8000").status_code == 422


def test_a_server_for_others_lets_nobody_in_before_there_is_an_account(tmp_path: Path) -> None:
    workspace = opened(tmp_path, local=False)
    visitor = Visitor(workspace)
    assert visitor.get("/").headers["location"] == "/login"
    assert visitor.get("/setup").status_code == 422
    key = setup_key(workspace)
    assert visitor.get(f"/setup?key={key}").status_code == 200
    values = {"name": "Ann", "password": PASSWORD, "token": visitor.token}
    assert visitor.client.post("/setup", data=values).status_code == 422
    assert visitor.client.post("/setup", data=values | {"key": key}).status_code == 303
    assert visitor.get("/").status_code == 200
    assert visitor.get(f"/setup?key={key}").status_code == 422
    workspace.close()


def test_another_user_of_this_machine_gets_nowhere_without_the_key(workspace: Workspace) -> None:
    topic = workspace.store.add(workspace.add_project("Mine"), TOPIC)
    project, _ = ids(workspace)
    neighbour, mine = Visitor(workspace, key=False), Visitor(workspace)
    for door in DOORS:
        path = re.sub(r"\{(\w+).*?\}", lambda found: {"project": project, "topic": topic}.get(found[1], "x"), door.path)
        answer = neighbour.json(path) if door.method == "GET" else neighbour.post(path)
        if door.needs != "nothing":
            assert answer.status_code == (404 if door.needs == "link" else 401), door.path
    assert neighbour.get("/").headers["location"] == "/login"
    page = neighbour.get("/login").text
    assert "Copy that address from the terminal" in page
    assert "Mine" not in page
    assert 'name="password"' not in page
    for path in ("/setup", "/enter", "/enter?key=", "/enter?key=x", f"/enter?key={setup_key(workspace)}"):
        assert neighbour.get(path).status_code == 422, path
    values = {"name": "Eve", "password": PASSWORD, "token": neighbour.token}
    assert neighbour.client.post("/setup", data=values).status_code == 422
    assert not workspace.accounts.any()
    assert mine.get("/").status_code == 200
    assert neighbour.get("/").status_code == 303


def test_the_key_is_kept_as_a_cookie_and_opens_nothing_once_there_is_an_account(workspace: Workspace) -> None:
    visitor = Visitor(workspace, key=False)
    answer = visitor.get(f"/enter?key={local_key(workspace)}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert local_key(workspace) not in answer.headers["set-cookie"]
    assert visitor.get("/").status_code == 200
    workspace.accounts.add("Ann", PASSWORD, admin=True)
    assert visitor.get("/").headers["location"] == "/login"
    assert visitor.get(f"/enter?key={local_key(workspace)}").headers["location"] == "/"
    assert visitor.get("/").headers["location"] == "/login"


def test_a_key_of_this_machine_opens_no_server_for_others(tmp_path: Path) -> None:
    workspace = opened(tmp_path, local=False)
    assert Visitor(workspace).get(f"/enter?key={local_key(workspace)}").status_code == 422
    workspace.close()


def test_only_the_user_can_read_the_files_of_a_workspace(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)  # it was there before, and others may look into it
    workspace = opened(tmp_path)
    workspace.add_project("Mine")
    kept = {path.name: path.stat().st_mode & 0o077 for path in tmp_path.iterdir()}
    assert {"studio.sqlite", "studio.sqlite-wal", "serve.key"} <= kept.keys()
    assert set(kept.values()) == {0}
    workspace.close()


def test_the_first_account_ends_the_time_without_a_login(workspace: Workspace) -> None:
    ann, other = Visitor(workspace), Visitor(workspace)
    ann.get("/setup")
    other.get("/")
    values = {"name": "Ann", "password": PASSWORD, "token": ann.token}
    assert ann.client.post("/setup", data=values).status_code == 303
    assert (ann.get("/").status_code, other.get("/").status_code) == (200, 303)


def test_logins_are_throttled_by_name_and_by_address(workspace: Workspace, people: dict[str, Account]) -> None:
    visitor = Visitor(workspace)
    visitor.get("/login")

    def attempt(name: str, password: str) -> int:
        answer = visitor.client.post("/login", data={"name": name, "password": password, "token": visitor.token})
        return int(answer.status_code)

    assert [attempt("owner", "wrong") for _ in range(sessions.TRIES)] == [403] * sessions.TRIES
    assert attempt("owner", PASSWORD) == 429
    assert attempt("viewer", PASSWORD) == 429


def test_a_throttle_forgets(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(sessions.time, "monotonic", lambda: clock[0])
    throttle = Throttle()
    assert all(throttle.begin("name ann") for _ in range(sessions.TRIES))
    assert (throttle.begin("name ann"), throttle.begin("name bob")) == (False, True)
    clock[0] = sessions.WITHIN + 1
    assert throttle.begin("name ann")


def test_tries_at_once_all_count_and_logins_do_not() -> None:
    throttle = Throttle()
    with ThreadPoolExecutor(16) as pool:
        allowed = list(pool.map(lambda _: throttle.begin("name ann", "from here"), range(64)))
    assert sum(allowed) == sessions.TRIES
    throttle.succeeded("name ann", "from here")
    assert throttle.begin("name ann", "from here")
    assert not throttle.begin("name bob", "from here")


def test_cookies_are_kept_from_scripts_and_other_sites_and_a_changed_one_is_nobodys(
    workspace: Workspace, people: dict[str, Account]
) -> None:
    visitor = Visitor(workspace)
    flags = visitor.get("/login").headers["set-cookie"].lower()
    assert "httponly" in flags
    assert "samesite=lax" in flags
    viewer, owner = people["viewer"], people["owner"]
    signed = Session.new(viewer).cookie_value(workspace.secret)
    assert Session.read(signed, workspace.secret) is not None
    for forged in (
        signed.replace(viewer.id, owner.id),
        signed[:-1],
        signed + "x",
        "",
        "a.b.c.d.e",
        "....",
        signed.upper(),
    ):
        assert Session.read(forged, workspace.secret) is None
    assert Session.read(signed, b"another secret") is None


def test_sessions_end_with_time_and_with_logging_out(
    workspace: Workspace, people: dict[str, Account], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = Visitor(workspace).log_in(people["owner"]), Visitor(workspace).log_in(people["owner"])
    assert here.client.post("/logout", data={"token": here.token}).status_code == 303
    assert (here.get("/").status_code, there.get("/").status_code) == (303, 303)
    signed = Session.new(people["viewer"]).cookie_value(workspace.secret)
    late = sessions.time.time() + sessions.LASTS + 1
    monkeypatch.setattr(sessions.time, "time", lambda: late)
    assert Session.read(signed, workspace.secret) is None


def test_a_login_begins_a_session_of_its_own(workspace: Workspace, people: dict[str, Account]) -> None:
    visitor = Visitor(workspace)
    visitor.get("/login")
    name = sessions.cookie_name(workspace.secret)
    before, token = visitor.client.cookies[name], visitor.token
    visitor.log_in(people["owner"])
    assert visitor.client.cookies[name] != before
    assert visitor.token != token


def test_passwords_are_kept_as_argon2_hashes_and_names_are_checked(workspace: Workspace) -> None:
    made = workspace.accounts
    made.add("Ann", PASSWORD)
    database = (workspace.folder / "studio.sqlite").read_bytes() + (workspace.folder / "studio.sqlite-wal").read_bytes()
    assert PASSWORD.encode() not in database
    assert b"$argon2id$" in database
    for name, password in (
        ("Ann", PASSWORD),
        ("", PASSWORD),
        ("x" * 61, PASSWORD),
        (CONSENSUS, PASSWORD),
        ("Bob", "short"),
    ):
        with pytest.raises(RefusedError):
            made.add(name, password)
    assert made.by_password("Ann", PASSWORD) is not None
    assert made.by_password("Ann", "wrong") is made.by_password("Nobody", PASSWORD) is None


@pytest.mark.parametrize("name", ["ann", "ANN", " Ann ", "\uff21nn", "A\u200bnn", "An\u00adn"])
def test_nobody_takes_a_name_that_looks_like_anothers(workspace: Workspace, name: str) -> None:
    workspace.accounts.add("Ann", PASSWORD)
    with pytest.raises(RefusedError, match="this name already"):
        workspace.accounts.add(name, PASSWORD)


@pytest.mark.parametrize("name", ["Consensus", "\u200b", "CONSENSUS\u200d", "\0", " "])
def test_some_names_are_nobodys(workspace: Workspace, name: str) -> None:
    if name == "\0":
        assert workspace.accounts.add(name, PASSWORD).name == "\N{SYMBOL FOR NULL}"
    else:
        with pytest.raises(RefusedError, match="cannot be used"):
            workspace.accounts.add(name, PASSWORD)


def test_a_name_is_found_however_it_is_typed(workspace: Workspace) -> None:
    workspace.accounts.add("Ren\u00e9  Roy", PASSWORD)
    for typed in ("Ren\u00e9 Roy", " Rene\u0301 Roy "):
        assert workspace.accounts.by_password(typed, PASSWORD) is not None
    assert workspace.accounts.by_password("ren\u00e9 roy", PASSWORD) is None


def test_annotators_are_blind_to_each_other_and_annotate_under_their_own_name(
    workspace: Workspace, people: dict[str, Account]
) -> None:
    project, topic = ids(workspace)
    bob = workspace.accounts.add("Bob", PASSWORD)
    workspace.accounts.set_role(project, bob.id, "annotator")
    ann_visits, bob_visits, owner = (
        Visitor(workspace).log_in(one) for one in (people["annotator"], bob, people["owner"])
    )
    made = ann_visits.edit(topic, "AddSCU", {"words": {"summary": "A", "spans": [{"start": 0, "end": 7}]}}).json()
    (scu,) = made["pyramid"]["order"]
    secret = {"reader": {"peer": "p", "annotator": "annotator"}, "scu": scu, "spans": [{"start": 4, "end": 13}]}
    assert ann_visits.edit(topic, "AddMatch", secret).status_code == 200
    assert bob_visits.edit(topic, "AddMatch", secret).status_code == 422
    assert (
        bob_visits.edit(topic, "AddMatch", secret | {"reader": {"peer": "p", "annotator": CONSENSUS}}).status_code
        == 422
    )
    assert owner.edit(topic, "AddMatch", secret | {"reader": {"peer": "p", "annotator": CONSENSUS}}).status_code == 200
    for path in ("", "/log", "/export/json", "/peer?peer=p", "/document?peer=p"):
        assert '"spans":[[4,13]]' not in bob_visits.get(f"/topics/{topic}{path}").text.replace(" ", ""), path
        assert "AddMatch" not in bob_visits.get(f"/topics/{topic}{path}").text, path
    assert bob_visits.get(f"/topics/{topic}/peer?peer=p&annotator=annotator").status_code == 422
    for other in ("annotator", CONSENSUS):
        taken = {"reader": {"peer": "p", "annotator": "Bob"}, "other": other}
        assert bob_visits.edit(topic, "TakeAnnotation", taken).status_code == 422, other
    assert bob_visits.json(f"/topics/{topic}/document?peer=p").json()["reading"]["matches"] == []
    label = {"kind": "SetLabel", "operation": {"scu": scu, "label": "Bob's"}, "base": workspace.store.version(topic)}
    refused = bob_visits.post(f"/topics/{topic}/operations", label | {"peer": "p", "annotator": "annotator"})
    assert refused.status_code == 422
    assert workspace.store.version(topic) == label["base"]  # what is refused was not made
    settled = {"reader": {"peer": "p", "annotator": CONSENSUS}, "other": "annotator"}
    assert owner.edit(topic, "TakeAnnotation", settled).status_code == 200
    assert owner.json(f"/topics/{topic}/document?peer=p&annotator=annotator").json()["reading"]["matches"]
    assert "in progress" not in bob_visits.get(f"/topics/{topic}").text.partition('id="data"')[0]


def test_an_invitation_is_used_once_and_gives_its_role(workspace: Workspace, people: dict[str, Account]) -> None:
    project, _ = ids(workspace)
    owner = Visitor(workspace).log_in(people["owner"])
    link = owner.post(f"/projects/{project}/invitations", {"role": "annotator"}).json()["link"]
    path = link.removeprefix("http://127.0.0.1:8000")
    assert owner.post(f"/projects/{project}/invitations", {"role": "god"}).status_code == 422
    guest, late = Visitor(workspace), Visitor(workspace)
    guest.get(path)
    late.get(path)
    values = {"name": "Guest", "password": PASSWORD}
    answer = guest.client.post(path, data=values | {"token": guest.token})
    assert answer.headers["location"] == f"/projects/{project}"
    assert guest.get(answer.headers["location"]).status_code == 200
    assert late.client.post(path, data=values | {"name": "Late", "token": late.token}).status_code == 422
    assert workspace.accounts.by_password("Late", PASSWORD) is None
    assert {account.name: role for account, role in workspace.accounts.members(project)}["Guest"] == "annotator"
    token = path.rpartition("/")[2].encode()
    assert token not in (workspace.folder / "studio.sqlite-wal").read_bytes()


def test_an_invitation_ends_after_a_week_and_can_be_revoked(
    workspace: Workspace, people: dict[str, Account], monkeypatch: pytest.MonkeyPatch
) -> None:
    project, _ = ids(workspace)
    elsewhere = workspace.add_project("Other", [], people["stranger"])
    owner, stranger = Visitor(workspace).log_in(people["owner"]), Visitor(workspace).log_in(people["stranger"])
    made = [owner.post(f"/projects/{project}/invitations", {"role": "viewer"}).json() for _ in range(2)]
    first, second = (one["link"].removeprefix("http://127.0.0.1:8000") for one in made)
    page = owner.get(f"/projects/{project}/people").text
    assert page.count(f"works until {made[0]['ends']}") == 2
    assert first.rpartition("/")[2] not in page
    gone = {"invitation": made[0]["invitation"]}
    assert stranger.post(f"/projects/{elsewhere}/invitations/revoke", gone).status_code == 422  # of another project
    assert Visitor(workspace).get(first).status_code == 200
    assert owner.post(f"/projects/{project}/invitations/revoke", gone).status_code == 200
    assert owner.post(f"/projects/{project}/invitations/revoke", gone).status_code == 422
    guest = Visitor(workspace)
    assert guest.get(first).status_code == 422
    assert guest.get(second).status_code == 200
    later = datetime.now(UTC) + timedelta(days=accounts.INVITATION_DAYS)
    monkeypatch.setattr(accounts, "datetime", type("Later", (datetime,), {"now": lambda zone: later}))
    assert guest.get(second).status_code == 422
    values = {"name": "Guest", "password": PASSWORD, "token": guest.token}
    assert guest.client.post(second, data=values).status_code == 422
    assert workspace.accounts.by_password("Guest", PASSWORD) is None
    assert workspace.accounts.invitations(project) == []


def test_joining_is_one_transaction(workspace: Workspace, people: dict[str, Account]) -> None:
    project, _ = ids(workspace)
    token = workspace.accounts.invite(project, "viewer")
    with pytest.raises(RefusedError, match="this name"):
        workspace.accounts.join(token, "owner", PASSWORD)
    rename = "alter table {} rename to {}"
    with workspace.engine.begin() as connection:
        connection.exec_driver_sql(rename.format("members", "away"))
    with pytest.raises(UnwritableError):  # what is written last cannot be written
        workspace.accounts.join(token, "Guest", PASSWORD)
    with workspace.engine.begin() as connection:
        connection.exec_driver_sql(rename.format("away", "members"))
    assert workspace.accounts.by_password("Guest", PASSWORD) is None
    guest, joined = workspace.accounts.join(token, "Guest", PASSWORD)
    assert (joined, workspace.accounts.role(guest, project)) == (project, "viewer")


def test_owners_change_roles_and_assign(workspace: Workspace, people: dict[str, Account]) -> None:
    project, topic = ids(workspace)
    owner = Visitor(workspace).log_in(people["owner"])
    annotator = people["annotator"]
    assert owner.post(f"/topics/{topic}/assignments", {"peer": "p", "account": annotator.id}).status_code == 200
    assert (
        owner.post(f"/topics/{topic}/assignments", {"peer": "p", "account": people["stranger"].id}).status_code == 422
    )
    assert workspace.accounts.assignments(topic) == [("p", "annotator")]
    assert "for you" in Visitor(workspace).log_in(annotator).get(f"/topics/{topic}").text
    owner.post(f"/projects/{project}/members", {"account": annotator.id, "role": ""})
    assert workspace.accounts.role(annotator, project) is None


def test_too_much_is_refused(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    project = workspace.add_project("Mine", [TOPIC])
    _, topic = ids(workspace)
    visitor = Visitor(workspace)
    visitor.get("/")
    long = {"kind": "SetLabel", "operation": {"scu": "1", "label": "x" * guard.MOST_BYTES}, "base": 0}
    assert visitor.post(f"/topics/{topic}/operations", long).status_code == 413
    monkeypatch.setattr(guard, "MOST_UPLOAD", 1000)
    assert visitor.upload(f"/projects/{project}/files", {"a.txt": b"x" * 2000}).status_code == 413

    def pieces() -> Iterator[bytes]:
        for _ in range(guard.MOST_BYTES // 1000 + 2):
            yield b"x" * 1000

    headers = {"X-Token": visitor.token, "Content-Type": "application/json"}
    assert visitor.client.post(f"/topics/{topic}/operations", content=pieces(), headers=headers).status_code == 413


MARKUP = [
    "<script>document.title='x'</script>",
    "</script><script>document.title='x'</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "{{ 7 * 7 }}",
    "<svg/onload=alert(1)>",
    "javascript:alert(1)",
    "&lt;b&gt;",
    "\u202eevil\u0000",
]


class _Tags(HTMLParser):
    """The tags, attributes that are handlers, and links of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name.startswith("on") or (name in ("href", "src", "action") and (value or "").startswith("javascript")):
                self.found.add(f"{tag} {name}")
        drawn = ("/static/icon.svg", "data:image/png;base64,")
        if tag in ("svg", "img") and not (dict(attributes).get("src") or "").startswith(drawn):
            self.found.add(tag)
        if tag == "b":
            self.found.add(tag)
        if tag == "script" and not {"id", "src"} & dict(attributes).keys():
            self.found.add(tag)


def evil_topic(evil: str) -> Topic:
    """A topic whose every name and text is that."""
    text = f"{evil} and more words"
    span = (Span(0, len(text)),)
    references, peer = (Summary(evil, text),), Summary(evil, text, "peer")
    pyramid = Pyramid(evil, references, (SCU("1", evil, (Contributor(evil, span),), evil),))
    reading = Annotation(peer, (Match("1", span),), annotator="")
    other = Annotation(peer, annotator=evil, comments=(("1", evil),))
    return Topic(evil, references, (peer,), pyramid=pyramid, annotations=(reading, other))


@pytest.mark.parametrize("evil", MARKUP, ids=range(len(MARKUP)))
def test_markup_in_texts_labels_and_names_is_shown_as_text(workspace: Workspace, evil: str) -> None:
    topic = evil_topic(evil)
    text = topic.peers[0].text
    project = workspace.add_project(evil, [topic])
    _, id = ids(workspace)
    visitor = Visitor(workspace)
    visitor.get("/")
    visitor.edit(id, "SetLabel", {"scu": "1", "label": evil + " again"})
    params = str(visitor.client.build_request("GET", "/", params={"peer": evil}).url.query, "ascii")
    paths = ["/", f"/projects/{project}", f"/topics/{id}", f"/topics/{id}/log", f"/topics/{id}/peer?{params}",
             f"/topics/{id}/adjudicate?{params}", f"/projects/{project}/people", f"/projects/{project}/agreement", "/nothing"]  # fmt: skip
    make_run(workspace.runs / 'r"><b>')
    job = visitor.post(f"/projects/{project}/results", {"method": "manual"}).json()["job"]
    workspace.jobs._pool.submit(lambda: None).result(60)
    made = keeping.current_basis(workspace.store, project)
    about = {"author": evil, "method": evil, "signature": evil}
    feedback = keeping.keep(workspace.engine, project, "feedback", {}, basis=[replace(made[0], version=9)], **about)
    compared = f"/projects/{project}/compare?{params.replace('peer', 'system')}&first="
    paths += [visitor.json(f"/jobs/{job}").json()["link"], f"/projects/{project}/results/{feedback}",
              f"/projects/{project}/results", f"{compared}annotators", compared, "/runs", "/runs/shown?run=r%22%3E%3Cb%3E",
              "/runs/compared?first=r%22%3E%3Cb%3E&second=r%22%3E%3Cb%3E"]  # fmt: skip
    for path in paths:
        answer = visitor.get(path)
        assert answer.status_code in (200, 404), (path, answer.status_code)
        tags = _Tags()
        tags.feed(answer.text)
        assert tags.found == set(), path
        assert "script-src 'self'" in answer.headers["content-security-policy"]
        assert "unsafe" not in answer.headers["content-security-policy"]
    page = visitor.get(f"/topics/{id}").text
    embedded: Any = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    assert "".join(embedded["texts"][0]["pieces"]) == text


@pytest.mark.parametrize("evil", MARKUP, ids=range(len(MARKUP)))
def test_markup_in_a_crowd_study_is_shown_as_text(workspace: Workspace, evil: str) -> None:
    project = workspace.add_project(evil, [evil_topic(evil)])
    owner = Visitor(workspace)
    study = make_study(owner, project, name=evil, workers=1, per_task=16)
    worker = Worker(workspace, study, evil if name_of(evil) else "Anna")
    task = worker.page()
    assert worker.send(worker.record(task.text)).status_code == 200
    links = owner.post(f"/studies/{study.id}/links", {"names": worker.name}).json()["links"]
    assert links[0][1].startswith(f"http://127.0.0.1:8000/crowd/{study.link}/?worker=")
    paths = [f"/projects/{project}", f"/projects/{project}/crowd", f"/studies/{study.id}"]
    alone = [f"/studies/{study.id}/report", f"{worker.at}/", f"{worker.at}/task?worker=Ben", f"{worker.at}/done"]
    pages = [owner.get(path) for path in paths]
    for answer in [*pages, task, *(owner.get(path) for path in alone)]:
        tags = _Tags()
        tags.feed(answer.text)
        # a page that stands alone has its script and its pictures inside; its policy names the script by a hash
        assert tags.found <= (set() if answer in pages else {"script", "svg", "b"}), answer.url
        assert answer.text.count("<script>") <= (answer not in pages), answer.url
        assert "<b> and more words" not in answer.text, answer.url
        assert "unsafe" not in answer.headers["content-security-policy"]


def test_errors_tell_nothing_of_what_was_sent(workspace: Workspace, capfd: pytest.CaptureFixture[str]) -> None:
    visitor = Visitor(workspace)
    visitor.get("/login")
    visitor.client.post("/login", data={"name": "ann", "password": "hunter2hunter2", "token": visitor.token})
    visitor.get("/topics/secret-topic")
    said = "".join(capfd.readouterr())
    assert "hunter2" not in said
    assert "secret-topic" not in said
