"""``graphs``."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run

PENMAN = """# ::id 1
# ::snt Dogs bark.
(b / bark-01~1
   :ARG0 (d / dog~0)
   :mod (l / loud))
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "dogs.amr"
    path.write_text(PENMAN)
    return path


def test_triples_with_their_words(run: Run, file: Path) -> None:
    assert run("graphs", "Dogs bark.", "Dogs  bark.", "--by", f"penman:{file}").out == "\n".join(
        [
            """Dogs bark.
  by penman, 1
  instance(b, bark-01)  bark
  instance(d, dog)      Dogs
  instance(l, loud)
  ARG0(b, d)            Dogs bark
  mod(b, l)
"""
        ]
        * 2
    )


def test_our_own_graphs_say_that_they_are_no_amr(run: Run) -> None:
    out = run("graphs", "The boy wants to go.").out
    assert out.startswith("The boy wants to go.\n  by depgraph (from a dependency parse; not AMR)\n  instance(")
    assert {graph["parser"] for graph in run("graphs", "The boy wants to go.", "--json").json} == {"depgraph"}


def test_json(run: Run, file: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("\nDogs bark.\n")
    (graph,) = run("graphs", text, "--by", f"penman:{file}", "--json").json
    assert graph["file"] == str(text)
    assert graph["sentence"] == {"start": 1, "end": 11, "text": "Dogs bark."}
    assert graph["triples"][3] == {
        "relation": "ARG0",
        "source": "b",
        "target": "d",
        "spans": [[1, 5], [6, 10]],
        "words": ["Dogs", "bark"],
    }


def test_notation_that_can_be_given_back(run: Run, tmp_path: Path) -> None:
    text = "The boy wants to go. Ann bought a house in Rome in 1999."
    out = run("graphs", text, "--penman").out
    assert out.startswith("# ::snt The boy wants to go.\n# ::tok The boy wants to go .\n# ::parser depgraph\n(")
    path = tmp_path / "own.amr"
    path.write_text(out)
    ours = run("graphs", text, "--json").json
    again = run("graphs", text, "--by", f"penman:{path}", "--json").json
    assert [
        {(triple["relation"], triple["source"], triple["target"]) for triple in graph["triples"]} for graph in again
    ] == [{(triple["relation"], triple["source"], triple["target"]) for triple in graph["triples"]} for graph in ours]


def test_standard_input(run: Run, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Dogs bark.")))
    assert run("graphs", "-", "--by", f"penman:{file}").out.startswith("Dogs bark.\n")


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["nothing.txt"], 1, "error: 'nothing.txt' is neither a file nor a text of several words; check the path.\n"),
        (["Cats sleep. Dogs bark.", "--by", "penman:FILE"], 1, "has no graph of the sentence 'Cats sleep.'; parse it"),
        (["Dogs bark.", "--by", "magic"], 1, "error: The source of graphs 'magic' is unknown; choose one of: depgraph"),
        (["Dogs bark.", "--by", "penman:nothing.amr"], 1, "nothing.amr: There is no such file or folder"),
        (["Dogs bark.", "--json", "--penman"], 2, "--penman and --json exclude each other; choose one"),
        (["Dogs bark. " * 500, "--analyser", "unicode"], 1, "this needs an English parse"),
    ],
)
def test_errors_say_what_to_do(run: Run, file: Path, arguments: list[str], status: int, message: str) -> None:
    outcome = run("graphs", *(argument.replace("FILE", str(file)) for argument in arguments))
    assert outcome.status == status
    assert message in outcome.err
    assert status == 2 or outcome.err.count("\n") == 1


def test_amrlib_that_is_not_installed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "amrlib", None)
    outcome = run("graphs", "Dogs bark.", "--by", "amrlib:elsewhere")
    assert (outcome.status, outcome.err) == (3, "error: amrlib is not installed; pip install 'pyramidion[amr]'\n")
