"""The pages of a topic: the pyramid, a peer beside it, their edits, and files in and out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import chain
from typing import Any
from urllib.parse import quote

import msgspec
from starlette.responses import JSONResponse, Response, StreamingResponse

from pyramidion.errors import PyramidionError
from pyramidion.studio import suggesting, tours, transfer, views
from pyramidion.studio.accounts import CONSENSUS, RefusedError
from pyramidion.studio.doors import Visit
from pyramidion.studio.log import correction_edits as correcting
from pyramidion.studio.log import operations
from pyramidion.studio.log.annotation_edits import TakeAnnotation
from pyramidion.studio.log.documents import Document, Reader
from pyramidion.studio.log.edits import AnnotationOperation, OperationError
from pyramidion.studio.log.history import History
from pyramidion.studio.log.pyramid_edits import AddTexts
from pyramidion.studio.log.store import GoneError, State
from pyramidion.studio.rendering import page


def _visible_document(visit: Visit, document: Document) -> Document:
    """Return the document as the visitor may see it."""
    return views.for_reader(document, visit.name) if visit.blind else document


def _reader(visit: Visit) -> Reader | None:
    """Return whose reading of which peer is meant: the visitor's own, or another's that an owner or viewer looks at."""
    peer = visit.value("peer", 1000)
    annotator = visit.value("annotator") or visit.name
    if annotator != visit.name and visit.blind:
        raise RefusedError("You see only your own annotations.")
    return Reader(peer, annotator) if peer else None


def _view(visit: Visit, state: State, before: Document | None = None, reader: Reader | None = None) -> dict[str, Any]:
    """Return the data that a page shows; beside a former document, of the pyramid only what is new."""
    document = state.document
    topic = document.topic
    view = {
        "version": state.version,
        "undo": state.can_undo,
        "redo": state.can_redo,
        "texts": len(topic.references) + len(topic.peers),
        "pyramid": views.pyramid_view(document.pyramid, before.pyramid if before else None),
    }
    if reader and any(peer.id == reader.peer for peer in topic.peers):
        proposed = suggesting.proposed_annotation(visit.workspace.engine, visit.topic, reader.peer)
        view["reading"] = views.reading_view(document, reader)
        view["suggestions"] = views.suggestions_view(proposed, document.pyramid)
        view["matcher"] = proposed.matcher if proposed else ""
    return view


def editor(visit: Visit) -> Response:
    """Show the pyramid, beside its references."""
    state = visit.workspace.store.state(visit.topic, visit.name)
    topic = state.document.topic
    seen = _visible_document(visit, state.document)
    mine = {peer for peer, name in visit.workspace.accounts.assignments(visit.topic) if name == visit.name}
    return page(
        visit,
        "editor.html",
        topic=topic,
        id=visit.topic,
        peers=views.progress_view(seen, None),
        mine=mine,
        builders=suggesting.BUILDERS_OFFERED,
        tour=tours.is_offered(visit.workspace.engine, visit.account),
        data={
            "project": visit.project.id,
            "topic": visit.topic,
            "edit": visit.may_edit,
            "texts": [views.text_view(reference) for reference in topic.references],
            "view": _view(visit, state),
        },
    )


def peer(visit: Visit) -> Response:
    """Show a peer, beside the pyramid."""
    reader = _reader(visit)
    state = visit.workspace.store.state(visit.topic, visit.name)
    topic = state.document.topic
    ids = [peer.id for peer in topic.peers]
    if reader is None or reader.peer not in ids:
        raise GoneError("There is no such peer.")
    place = ids.index(reader.peer)
    return page(
        visit,
        "peer.html",
        topic=topic,
        id=visit.topic,
        peer=reader.peer,
        annotator=reader.annotator,
        place=place + 1,
        before=ids[place - 1] if place else "",
        after=ids[place + 1] if place + 1 < len(ids) else "",
        matchers=suggesting.MATCHERS_OFFERED,
        data={
            "topic": visit.topic,
            "edit": _may_write(visit, reader),
            "reader": {"peer": reader.peer, "annotator": reader.annotator},
            "texts": [views.text_view(reference) for reference in topic.references],
            "peer": views.text_view(topic.peer(reader.peer)),
            "view": _view(visit, state, reader=reader),
        },
    )


def _may_write(visit: Visit, reader: Reader) -> bool:
    """Return whether the visitor may annotate under this name: their own, or, as an owner, the consensus."""
    return visit.may_edit and (
        reader.annotator == visit.name or (reader.annotator == CONSENSUS and visit.role == "owner")
    )


def document(visit: Visit) -> Response:
    """Return the topic as it is now, for a page that was told of a change."""
    state = visit.workspace.store.state(visit.topic, visit.name)
    return JSONResponse(_view(visit, state, reader=_reader(visit)))


def edit(visit: Visit) -> Response:
    """Make an edit: ``kind``, ``operation`` and the version ``base`` that the page shows."""
    kind, base = visit.value("kind"), visit.sent.get("base")
    # True and False are integers to Python, but no versions
    if kind not in operations.FROM_PAGES or not isinstance(base, int) or isinstance(base, bool):
        raise OperationError("This is no edit.")
    operation = operations.decode(kind, msgspec.json.encode(visit.sent.get("operation")))
    if isinstance(operation, AnnotationOperation) and not _may_write(visit, operation.reader):
        raise RefusedError("You annotate under your own name only.")
    if isinstance(operation, TakeAnnotation) and visit.blind and operation.other != visit.name:
        raise RefusedError("You see only your own annotations.")
    reader = _reader(visit)  # what is refused is refused before the edit is made
    known = visit.workspace.store.remembered_document(visit.topic, base)
    state = visit.workspace.store.edit(visit.topic, operation, visit.name, base)
    return JSONResponse(_view(visit, state, known, reader))


def undo(visit: Visit) -> Response:
    """Take back the visitor's last edit."""
    reader = _reader(visit)
    return JSONResponse(_view(visit, visit.workspace.store.undo(visit.topic, visit.name), reader=reader))


def redo(visit: Visit) -> Response:
    """Make the edit again that the visitor took back last."""
    reader = _reader(visit)
    return JSONResponse(_view(visit, visit.workspace.store.redo(visit.topic, visit.name), reader=reader))


def add_files(visit: Visit) -> Response:
    """Add references or peers from files that were dropped."""
    role = visit.value("role")
    if role not in ("references", "peers"):
        raise OperationError("These files are neither references nor peers.", do="drop them where they belong")
    texts, told = transfer.texts_of(visit.files, role)
    addition = AddTexts(references=texts) if role == "references" else AddTexts(peers=texts)
    store = visit.workspace.store
    store.edit(visit.topic, addition, visit.name, store.version(visit.topic))
    return JSONResponse({"link": f"/topics/{visit.topic}", "warnings": told})


def correct(visit: Visit) -> Response:
    """Apply the corrections of this topic in a file that a report saved."""
    corrections, told = transfer.corrections_of(visit.files)
    store = visit.workspace.store
    state = store.state(visit.topic)
    topic = state.document.topic
    operation = correcting.edit_of(corrections, topic, visit.name, (CONSENSUS,) if visit.role == "owner" else ())
    store.edit(visit.topic, operation, visit.name, state.version)
    elsewhere = [
        f"The file also corrects the topic {correction.topic!r}; drop it there, too."
        for correction in corrections.topics
        if correction.topic != topic.id
    ]
    return JSONResponse({"link": f"/topics/{visit.topic}", "warnings": [*told, *elsewhere]})


def build(visit: Visit) -> Response:
    """Begin with an automatic pyramid."""
    job = suggesting.start_building(visit.workspace, visit.project.id, visit.topic, visit.value("method"), visit.name)
    return JSONResponse({"job": job.id})


def suggest(visit: Visit) -> Response:
    """Ask a matcher what a peer says."""
    peer, matcher = visit.value("peer", 1000), visit.value("matcher")
    job = suggesting.start_suggesting(visit.workspace, visit.project.id, visit.topic, peer, matcher)
    return JSONResponse({"job": job.id})


def log(visit: Visit) -> Response:
    """Show who changed what, the latest first."""
    entries = visit.workspace.store.log(visit.topic)
    gone = History(entries).gone
    rows = [
        {
            "number": entry.number,
            "time": entry.time[:19].replace("T", " "),
            "author": entry.author,
            "kind": type(operation).__name__,
            "what": operations.encode(operation)[1][:300],
            "gone": entry.number in gone,
        }
        for entry in reversed(entries)
        if (operation := entry.operation if entry.author == visit.name or not visit.blind else entry.operation.public)
    ]
    topic = visit.workspace.store.state(visit.topic).document.topic
    return page(visit, "log.html", rows=rows[:2000], total=len(rows), topic=topic, id=visit.topic)


def export(visit: Visit) -> Response:
    """Send the topic as a file."""
    kind = visit.request.path_params["kind"]
    seen = _visible_document(visit, visit.workspace.store.state(visit.topic).document)
    if kind == "zip":
        return download(f"{seen.topic.id}.zip", transfer.corpus_archive([seen.topic]))
    reader = _reader(visit)
    annotation = seen.annotation(reader) if reader and kind == "pan" else None
    return download(*transfer.topic_file(seen.topic, kind, annotation))


def download(name: str, data: bytes) -> Response:
    """Return a file that the browser saves and does not show."""
    disposition = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    return Response(data, media_type="application/octet-stream", headers={"Content-Disposition": disposition})


async def events(visit: Visit) -> Response:
    """Send the topic's version whenever it changes, as server-sent events."""
    store, topic = visit.workspace.store, visit.topic

    async def stream() -> AsyncIterator[str]:
        last = -1
        async for version in visit.workspace.watchers.versions(topic, lambda: store.version(topic)):
            # a line that begins with a colon is a comment: it keeps the connection alive, and the page ignores it
            yield f"data: {version}\n\n" if version != last else ": still here\n\n"
            last = version

    return StreamingResponse(stream(), media_type="text/event-stream")


def adjudicate(visit: Visit) -> Response:
    """Show two readings of a peer side by side, and what they differ in."""
    state = visit.workspace.store.state(visit.topic, visit.name)
    topic, peer_id = state.document.topic, visit.value("peer", 1000)
    of_peer = (annotation for annotation in topic.annotations if annotation.summary.id == peer_id)
    readings = [annotation for annotation in of_peer if annotation.annotator != CONSENSUS]
    if len(readings) < 2:
        raise PyramidionError("There are no two annotations of this peer to compare.")
    consensus = state.document.annotation(Reader(peer_id, CONSENSUS))
    rows = []
    for scu in sorted(state.document.pyramid.scus, key=lambda scu: -scu.weight):
        matches = [[match.spans for match in reading.matches if match.scu == scu.id] for reading in readings]
        denials = [[denial.spans for denial in reading.contradicted if denial.scu == scu.id] for reading in readings]
        said = [list(map(reading.summary.quote, found)) for reading, found in zip(readings, matches, strict=True)]
        denied = [list(map(reading.summary.quote, found)) for reading, found in zip(readings, denials, strict=True)]
        verdicts = {(bool(a), bool(b)) for a, b in zip(said, denied, strict=True)}
        rows.append(
            {
                "scu": scu,
                "said": said,
                "denied": denied,
                "differs": len(verdicts) > 1,
                "consensus": scu.id in consensus.expressed,
                "spans": [views.spans_view(spans) for spans in chain.from_iterable(matches)][:1],
            }
        )
    return page(
        visit,
        "adjudicate.html",
        topic=topic,
        id=visit.topic,
        peer=peer_id,
        readings=readings,
        rows=rows,
        settled=bool(consensus.matches),
        consensus=CONSENSUS,
        data={"topic": visit.topic, "reader": {"peer": peer_id, "annotator": CONSENSUS}, "version": state.version},
    )


def assign(visit: Visit) -> Response:
    """Ask a member to annotate a peer, or no longer."""
    peer_id, account = visit.value("peer", 1000), visit.value("account")
    members = {member.id for member, _ in visit.workspace.accounts.members(visit.project.id)}
    if account not in members:
        raise RefusedError("This person is not in the project.")
    # an error if there is no such peer
    visit.workspace.store.state(visit.topic).document.topic.peer(peer_id)
    visit.workspace.accounts.assign(visit.topic, peer_id, account, visit.value("assigned") != "no")
    return JSONResponse({"ok": True})
