"""The server of tasks: who gets what, what is stored, and what it answers to those who send nonsense."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from pyramidion.crowd.answers.store import Status, Store
from pyramidion.crowd.desk import Desk, name_of
from pyramidion.crowd.page.task import slots
from pyramidion.crowd.server import MOST_BYTES, TaskServer
from pyramidion.crowd.study import Phase, Study, Task
from pyramidion.errors import FormatError, PyramidionError
from tests.crowd.hostile import small

CODE = "https://app.prolific.com/submissions/complete?cc=C0DE"


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    body: str


@dataclass
class Client:
    """Asks one server."""

    address: tuple[str, int]
    said: list[str]
    """What the server told its operator."""

    def __call__(self, path: str, body: bytes | None = None, method: str = "", **headers: str) -> Reply:
        connection = HTTPConnection(*self.address, timeout=10)
        kind = {"Content-Type": "application/json"} if body is not None else {}
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method or ("GET" if body is None else "POST"), path, body, kind | given)
        reply = connection.getresponse()
        text = reply.read().decode()
        connection.close()
        assert "frame-ancestors 'none'" in reply.headers["Content-Security-Policy"]
        assert reply.headers["Cache-Control"] == "no-store"
        assert "Traceback" not in text
        return Reply(reply.status, dict(reply.headers), text)

    def send(self, record: dict[str, Any]) -> Reply:
        return self("/answer", json.dumps(record).encode())


@contextmanager
def served(desk: Desk, **options: Any) -> Iterator[Client]:
    lines: list[str] = []
    server = TaskServer(("127.0.0.1", 0), desk, said=lines.append, **options)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield Client(("127.0.0.1", server.server_port), lines)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert [line for line in lines if line.startswith("error")] == []


def desk_of(tmp_path: Path, study: Study | None = None, phase: Phase = "judging", **options: Any) -> Desk:
    return Desk(study or small(), Store(tmp_path), phase, **options)


def answers(desk: Desk, task: Task, worker: str, letter: str = "p") -> dict[str, Any]:
    """What the page that the desk handed out sends."""
    study = desk.study
    asked = slots(study, task)
    return {
        "pyramidion": "submission-1",
        "study": study.name,
        "task": task.id,
        "phase": task.phase,
        "worker": worker,
        "session": f"{worker}-{task.id}",
        "answers": {one.statement: letter for one in asked if one.statement},
        "checks": {one.check: "n" for one in asked if one.check},
        "written": [f"Statement number {n} of it." for n in range(8)] if task.phase == "writing" else [],
        "started": "2024-05-01T10:00:00.000Z",
        "submitted": "2024-05-01T10:04:00.000Z",
        "seconds": 240,
        "ticket": desk.ticket(task, worker),
    }


def test_a_worker_does_task_after_task_until_none_is_left(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, small(workers=1))
    with served(desk) as ask:
        assert 'name="worker"' in ask("/").body
        reply = ask("/?worker=anna+b")
        done = []
        for _ in desk.tasks:
            assert (reply.status, reply.headers["Location"]) == (303, "/task?worker=anna+b")
            page = ask(reply.headers["Location"])
            assert (page.status, 'data-worker="anna b"' in page.body) == (200, True)
            task = next(task for task in desk.tasks.values() if f'data-task="{task.id}"' in page.body)
            assert ask("/task?worker=anna+b").body == page.body  # a reload brings the same task
            sent = ask.send(answers(desk, task, "anna b"))
            assert (sent.status, json.loads(sent.body)) == (200, {"ok": True, "next": "/task?worker=anna+b"})
            done.append(task.id)
            assert [one.task for one in Store(tmp_path).submissions()].count(task.id) == 1
            reply = replace(reply, headers={"Location": json.loads(sent.body)["next"]})
        assert sorted(done) == sorted(desk.tasks)
        assert ask("/task?worker=anna+b").headers["Location"] == "/done?worker=anna+b"
        assert "Your answers have arrived" in ask("/done?worker=anna+b").body
        assert ask("/task?worker=late").headers["Location"] == "/done?worker=late"
        assert "There is no task for you" in ask("/done?worker=late").body
    assert desk.progress() == (8, 8)


def test_many_at_once_never_overfill_a_task(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, small(workers=3))

    with served(desk) as ask:

        def work(worker: str) -> int:
            count = 0
            while (page := ask(f"/task?worker={worker}")).status == 200:
                task = next(task for task in desk.tasks.values() if f'data-task="{task.id}"' in page.body)
                assert ask.send(answers(desk, task, worker)).status == 200
                count += 1
            return count

        with ThreadPoolExecutor(8) as pool:
            counts = list(pool.map(work, [f"w{n}" for n in range(8)]))
    stored = Store(tmp_path).submissions("judging")
    assert Counter(one.task for one in stored) == dict.fromkeys(desk.tasks, 3)
    assert len({(one.task, one.worker) for one in stored}) == len(stored) == sum(counts) == 24


def test_a_task_is_held_for_a_while_and_then_given_to_another(tmp_path: Path) -> None:
    now = [0.0]
    study = small(workers=1)
    only = replace(study, tasks=(study.of_phase("judging")[0],))
    desk = desk_of(tmp_path, only, hold=60, clock=lambda: now[0])
    task = desk.next_task("anna")
    assert task is not None
    assert desk.next_task("ben") is None
    now[0] = 59
    assert desk.next_task("anna") == task
    now[0] = 118
    assert desk.next_task("ben") is None
    now[0] = 120
    assert desk.next_task("ben") == task
    desk.receive(answers(desk, task, "anna"))  # late, but done: it counts
    desk.receive(answers(desk, task, "ben"))
    assert len(Store(tmp_path).submissions()) == 2
    assert desk.progress() == (1, 1)


def test_prolific_gives_a_worker_one_task_and_a_code(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, each=1, completion=CODE)
    with served(desk) as ask:
        way = ask("/?PROLIFIC_PID=5f1&STUDY_ID=s&SESSION_ID=77").headers["Location"]
        assert way == "/task?worker=5f1&session=77"
        page = ask(way).body
        assert 'data-session="77"' in page
        assert "C0DE" not in page
        assert "C0DE" not in ask("/done?worker=5f1").body
        task = desk.next_task("5f1")
        assert task is not None
        assert ask.send(answers(desk, task, "5f1") | {"session": "77"}).status == 200
        assert ask(way).headers["Location"] == "/done?worker=5f1&session=77"
        done = ask("/done?worker=5f1").body
        assert "Completion code: C0DE" in done
        assert f'href="{CODE}"' in done
    assert [(one.id, one.worker) for one in Store(tmp_path).submissions()] == [("77", "5f1")]


def test_the_first_submission_stands(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    task = next(iter(desk.tasks.values()))
    first = answers(desk, task, "anna")
    with served(desk) as ask:
        assert ask.send(first).status == 200
        later = first | {"session": "another", "submitted": "2024-05-01T10:09:00.000Z", "seconds": 9}
        assert ask.send(later).status == 200  # the same answers again: perhaps the reply was lost
        for session in (first["session"], "another"):
            reply = ask.send(answers(desk, task, "anna", "n") | {"session": session})
            assert (reply.status, json.loads(reply.body)) == (
                409,
                {
                    "error": "'anna' has answered this task before, and the first answers stand; "
                    "go on with the next task.",
                    "next": "/task?worker=anna",
                },
            )
        assert sum(line.startswith("refused: 'anna' has answered") for line in ask.said) == 2
        assert ask.send(answers(desk, task, "ben", "n")).status == 200
    assert sorted((one.worker, one.answers) for one in Store(tmp_path).submissions()) == [
        ("anna", "ppp"),
        ("ben", "nnn"),
    ]
    assert desk.refused == 2


def test_a_task_is_taken_only_from_whom_it_was_handed_to(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    mine = desk.next_task("anna")
    assert mine is not None
    other = next(task for task in desk.tasks.values() if task != mine)
    good = answers(desk, mine, "anna")
    with served(desk) as ask:
        for forged in (
            {"worker": "ben"},
            {"task": other.id},
            {"ticket": desk.ticket(mine, "ben")},
            {"ticket": desk.ticket(other, "anna")},
            {"ticket": good["ticket"][:-1]},
            {"ticket": ""},
            {"ticket": None},
        ):
            reply = ask.send(good | forged)
            assert (reply.status, "was not handed out to" in reply.body) == (403, True), forged
        del good["ticket"]
        assert ask.send(good).status == 403
        assert f'data-ticket="{desk.ticket(mine, "anna")}"' in ask("/task?worker=anna").body
    assert Store(tmp_path).submissions() == []
    assert desk.refused == 8


def test_a_task_handed_out_before_a_restart_is_taken_after_it(tmp_path: Path) -> None:
    before = desk_of(tmp_path)
    task = before.next_task("anna")
    assert task is not None
    filled_in = answers(before, task, "anna")
    assert desk_of(tmp_path).receive(filled_in).task == task.id
    stored = Store(tmp_path).submissions()[0]
    assert "ticket" not in dict(stored.extra)


@pytest.mark.parametrize(
    ("phase", "left_out", "words"),
    [
        ("writing", {"written": []}, "8 of 8 statements are missing"),
        ("writing", {"written": ["One statement.", " ", "\n"]}, "7 of 8 statements are missing"),
        ("judging", {"answers": {}, "checks": {}}, "4 of 4 answers are missing"),
        ("judging", {"checks": {}}, "1 of 4 answers are missing"),
    ],
)
def test_what_is_incomplete_is_refused_with_what_is_missing(
    tmp_path: Path, phase: Phase, left_out: dict[str, Any], words: str
) -> None:
    desk = desk_of(tmp_path, phase=phase)
    task = next(iter(desk.tasks.values()))
    with served(desk) as ask:
        reply = ask.send(answers(desk, task, "anna") | left_out)
        assert reply.status == 400
        assert f"Not everything is answered: {words}; answer all of it" in json.loads(reply.body)["error"]
        assert Store(tmp_path).submissions() == []
        assert ask.send(answers(desk, task, "anna")).status == 200
    assert desk.progress()[0] == 1


def test_a_foreign_host_or_origin_gets_nothing(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    task = next(iter(desk.tasks.values()))
    body = json.dumps(answers(desk, task, "anna")).encode()
    with served(desk, names=["study.example.org"]) as ask:
        here = f"{ask.address[0]}:{ask.address[1]}"
        for path, sent in (("/task?worker=anna", None), ("/answer", body), ("/", None), ("/done?worker=anna", None)):
            reply = ask(path, sent, Host="evil.example")
            assert (reply.status, "data-ticket" in reply.body) == (421, False)
        for origin in ("http://evil.example", "null", "http://127.0.0.1:1"):
            assert ask("/answer", body, Origin=origin).status == 403
        assert ask("/", None, Host="study.example.org").status == 200
        assert Store(tmp_path).submissions() == []
        assert ask("/answer", body, Origin="https://study.example.org").status == 200
        assert ask("/answer", body, Origin=f"http://{here}").status == 200
        told = "refused: a request for 'evil.example'; if that is this server, allow this host"
        assert ask.said.count(told) == 1  # and not once a request


def test_a_request_without_a_host_or_with_two_gets_nothing(tmp_path: Path) -> None:
    with served(desk_of(tmp_path)) as ask:
        for hosts in (b"", b"Host: localhost\r\nHost: evil.example\r\n"):
            with socket.create_connection(ask.address, timeout=10) as line:
                line.sendall(b"GET / HTTP/1.0\r\n" + hosts + b"\r\n")
                assert line.recv(100).startswith(b"HTTP/1.0 421 ")


@pytest.mark.parametrize(
    "start", [b"", b"GET / HTTP/1.0\r\nX: ", b"POST /answer HTTP/1.0\r\nContent-Length: 9999\r\n\r\n"]
)
def test_a_client_that_sends_a_byte_now_and_then_is_cut_off(tmp_path: Path, start: bytes) -> None:
    with (
        served(desk_of(tmp_path), deadline=0.3) as ask,
        socket.create_connection(ask.address, timeout=0.05) as line,
    ):
        line.sendall(start)
        for _ in range(200):
            try:
                if line.recv(1000) == b"":
                    break
            except TimeoutError:
                line.sendall(b"x")
            except ConnectionError:
                break
        else:
            pytest.fail("still connected")


def test_a_header_without_end_is_too_large(tmp_path: Path) -> None:
    with served(desk_of(tmp_path)) as ask:
        many = {f"X-{n}": "x" * 60_000 for n in range(3)}
        assert ask("/", None, **many).status == 431
        assert ask("/", None, **{f"X-{n}": "x" for n in range(200)}).status == 431


def test_those_who_come_at_once_wait_in_a_queue_and_are_not_lost(tmp_path: Path) -> None:
    most = Path("/proc/sys/net/core/somaxconn")
    if most.exists() and int(most.read_text()) < 400:
        pytest.skip("this system has a shorter queue")
    server = TaskServer(("127.0.0.1", 0), desk_of(tmp_path))  # which accepts nobody yet
    with ExitStack() as lines:
        lines.callback(server.server_close)
        for _ in range(300):
            lines.enter_context(socket.create_connection(("127.0.0.1", server.server_port), timeout=5))


@pytest.mark.parametrize("deadline", [0.3, 3600])
def test_idle_connections_do_not_keep_others_out(tmp_path: Path, deadline: float) -> None:
    desk = desk_of(tmp_path)
    task = next(iter(desk.tasks.values()))
    with served(desk, connections=2, deadline=deadline) as ask, ExitStack() as idle:
        for _ in range(5):
            idle.enter_context(socket.create_connection(ask.address, timeout=10))
        for worker in ("anna", "ben", "cem"):
            assert ask.send(answers(desk, task, worker)).status == 200


def test_closing_waits_for_a_request_in_flight_but_not_for_an_idle_connection(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    task = next(iter(desk.tasks.values()))
    body = json.dumps(answers(desk, task, "anna")).encode()
    header = (
        f"POST /answer HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    )
    server = TaskServer(("127.0.0.1", 0), desk)
    serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    serving.start()
    address = ("127.0.0.1", server.server_port)
    with socket.create_connection(address, timeout=20) as idle, socket.create_connection(address, timeout=20) as busy:
        busy.sendall(f"{header}\r\n\r\n".encode() + body[:10])
        while server.connected() != (1, 1):
            serving.join(0.01)
        server.shutdown()
        closing = threading.Thread(target=server.server_close)
        closing.start()
        assert idle.recv(1) == b""
        assert closing.is_alive()
        busy.sendall(body[10:])
        assert busy.recv(1000).startswith(b"HTTP/1.0 200 ")
        closing.join()
    serving.join()
    assert [one.worker for one in Store(tmp_path).submissions()] == ["anna"]


@pytest.mark.parametrize("by_hand", [True, False])
def test_a_request_that_never_arrives_does_not_keep_it_from_ending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_hand: bool
) -> None:
    monkeypatch.setattr("pyramidion.crowd.server.GRACE", 3600 if by_hand else 0.1)
    server = TaskServer(("127.0.0.1", 0), desk_of(tmp_path), deadline=3600)
    serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    serving.start()
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=20) as half:
        half.sendall(b"POST /answer HTTP/1.0\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{")
        while server.connected() != (0, 1):
            serving.join(0.01)
        server.shutdown()
        closing = threading.Thread(target=server.server_close)
        closing.start()
        if by_hand:
            server.cut_off()
        closing.join(20)
        assert not closing.is_alive()
    serving.join()
    assert server.connected() == (0, 0)


def test_two_workers_who_share_a_session_are_both_kept_and_get_on(tmp_path: Path) -> None:
    study = small(workers=2)
    only = replace(study, tasks=(study.of_phase("judging")[0],))
    desk = desk_of(tmp_path, only)
    for worker in ("anna", "ben", "ben"):
        desk.receive(answers(desk, only.tasks[0], worker) | {"session": "77"})
        assert desk.next_task(worker) is None
    assert sorted(one.worker for one in Store(tmp_path).submissions()) == ["anna", "ben"]


def test_an_answer_within_the_same_tick_of_the_clock_is_seen(tmp_path: Path) -> None:
    study = small(workers=3)
    only = replace(study, tasks=(study.of_phase("judging")[0],))
    desk, other = desk_of(tmp_path, only), desk_of(tmp_path, only)
    path = Store(tmp_path).path
    for number, worker in enumerate(("anna", "ben", "cem")):
        other.receive(answers(other, only.tasks[0], worker))
        os.utime(path, ns=(0, 0))
        assert desk.progress()[0] == number + 1


def test_what_others_add_to_the_store_is_seen(tmp_path: Path) -> None:
    study = small(workers=1)
    only = replace(study, tasks=(study.of_phase("judging")[0],))
    desk = desk_of(tmp_path, only)
    other = desk_of(tmp_path, only)
    task = only.tasks[0]
    assert desk.done_by("anna") == 0
    submission = other.receive(answers(other, task, "anna"))
    assert desk.done_by("anna") == 1
    assert desk.next_task("ben") is None
    Store(tmp_path).add([], "mturk", statuses=[Status(submission.id, "rejected")])
    assert desk.next_task("anna") is None  # a rejected worker does not get the task again
    assert desk.next_task("ben") == task


def test_statements_that_are_written_are_stored(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, phase="writing")
    task = desk.next_task("anna")
    assert task is not None
    with served(desk) as ask:
        assert ask.send(answers(desk, task, "anna")).status == 200
    assert len(Store(tmp_path).submissions("writing")[0].written) == 8


def test_nonsense_gets_a_clear_answer(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    task = next(iter(desk.tasks.values()))
    good = answers(desk, task, "anna")
    with served(desk) as ask:
        for body, status, words in (
            (b"{", 400, "no JSON object"),
            (b"[]", 400, "no JSON object"),
            (b"[" * 100_000, 400, "no JSON object"),
            (b'"\xff"', 400, "no JSON object"),
            (json.dumps(good | {"worker": ""}).encode(), 400, "no worker"),
            (json.dumps(good | {"worker": "x" * 101}).encode(), 400, "no worker"),
            (json.dumps(good | {"worker": ["a"]}).encode(), 400, "no worker"),
            (json.dumps(good | {"task": "j-0"}).encode(), 400, "not served here"),
            (json.dumps(good | {"task": {}}).encode(), 400, "not served here"),
            (json.dumps(good | {"study": "other"}).encode(), 400, "not served here"),
            (json.dumps(good | {"answers": {"zzz": "p"}}).encode(), 400, "zzz"),
            (json.dumps(good | {"answers": "p"}).encode(), 400, "answers"),
            (json.dumps(good | {"seconds": -1}).encode(), 400, "seconds"),
            (b" " * (MOST_BYTES + 1), 413, "too long"),
        ):
            reply = ask("/answer", body)
            assert (reply.status, words in json.loads(reply.body)["error"]) == (status, True), (body[:80], reply)
        assert ask("/elsewhere", b"{}").status == 404
        assert ask("/answer", b"{}", Content_Type="text/plain").status == 415
        assert ask("/answer", None, "POST").status == 415
        assert ask("/answer", b"{}", Content_Length="x").status == 411
        assert ask("/nothing").status == 404
        assert ask("/answer").status == 404
        assert ask("/" + "x" * 70_000).status == 414
        assert ask("/?" + "&".join(f"a{n}=1" for n in range(60))).status == 400
        assert ask("/", None, "PUT").status == 501
        head = ask("/", None, "HEAD")
        assert (head.status, head.body) == (200, "")
        assert 'name="worker"' in ask("/task").body
        for name in ("x" * 101, "a%00b"):
            for path in ("/", "/task"):
                assert "This name cannot be used" in ask(f"{path}?worker={name}").body
        assert "cannot be used" not in ask("/").body
        for method in ("GET", "POST"):
            assert ask("x://[", b"{}" if method == "POST" else None, method).status in (400, 404)
        assert ask("/answer", b"", "POST", Content_Length="9" * 5000).status == 413
        assert "<script>1" not in ask("/task?worker=%3Cscript%3E1").body
        assert ask("/task?worker=a%0d%0aSet-Cookie:x").headers.get("Set-Cookie") is None
    assert Store(tmp_path).submissions() == []


def test_a_client_that_goes_away_disturbs_nobody(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    with served(desk) as ask:
        for rude in (b"", b"GET", b"\x00\xff\r\n\r\n", b"POST /answer HTTP/1.0\r\nContent-Length: 50\r\n\r\n{"):
            with socket.create_connection(ask.address, timeout=5) as line:
                line.sendall(rude)
        assert ask("/").status == 200


def test_names_are_one_printable_line() -> None:
    assert [name_of(one) for one in (" Zoë  O'Neil ", "a\nb", "", None, 3, "a\x00b", "x" * 101)] == [
        "Zoë O'Neil",
        "a b",
        "",
        "",
        "",
        "",
        "",
    ]


def test_what_cannot_be_served_is_said_before_it_is_served(tmp_path: Path) -> None:
    study = small()
    with pytest.raises(PyramidionError, match="no judging tasks; select statements first"):
        desk_of(tmp_path, replace(study, tasks=study.of_phase("writing")))
    with pytest.raises(PyramidionError, match="no address"):
        desk_of(tmp_path, completion="nowhere")
    desk = desk_of(tmp_path)
    with pytest.raises(FormatError, match="not served here"):
        desk.receive(answers(desk, study.of_phase("writing")[0], "anna"))
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(PyramidionError, match="choose another port"):
        TaskServer(("127.0.0.1", urlsplit(f"//x:{taken.getsockname()[1]}").port or 0), desk)
    with pytest.raises(PyramidionError, match="cannot be served at no.such.host.invalid"):
        TaskServer(("no.such.host.invalid", 0), desk)
    task = next(iter(desk.tasks.values()))
    submission = desk.receive(answers(desk, task, "anna"))
    (tmp_path / "rehearsal").mkdir()
    rehearsed = Store(tmp_path / "rehearsal")
    rehearsed.add([submission], "rehearsal", simulated=True)
    with pytest.raises(PyramidionError, match="holds simulated answers"):
        Desk(study, rehearsed, "judging")
