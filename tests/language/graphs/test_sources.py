"""Who makes meaning graphs: our own parse, files, amrlib, callables."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import penman
import pytest
from penman.surface import Alignment

from pyramidion.errors import FormatError, InputWarning, MissingPartError, PyramidionError
from pyramidion.language import analyse
from pyramidion.language.graphs.amrlib import load as load_amrlib
from pyramidion.language.graphs.sources import GRAPHS, graphs
from pyramidion.language.parse import conllu
from pyramidion.language.parse.analysis import LanguageError

TEXT = "The boy wants to go.  Dogs\nbark."
GERMAN = "Der Stadtrat hat beschlossen, dass die Brücke gesperrt wird, weil sie nicht mehr sicher ist."
BOY = "(w / want-01~2 :ARG0 (b / boy~1) :ARG1 (g / go-01~4 :ARG0 b))"
BARK = "# ::id 7\n# ::tok Dogs bark .\n(b / bark-01~e.1 :ARG0 (d / dog~e.0))"


def parser(sentences: Sequence[str]) -> list[str]:
    assert list(sentences) == ["The boy wants to go.", "Dogs bark."]
    return [BOY, BARK]


def words(text: str, spans: Sequence[Any]) -> list[str]:
    return [span.of(text) for span in spans]


def test_our_own_parse_is_the_default_and_no_amr() -> None:
    boy, bark = graphs(TEXT)
    assert (boy.parser, bark.parser) == ("depgraph", "depgraph")
    assert words(TEXT, [boy.sentence, bark.sentence]) == ["The boy wants to go.", "Dogs\nbark."]
    assert {"want", "boy", "go"} <= set(boy.concepts.values())
    assert graphs(TEXT) is graphs(TEXT, "depgraph", analyser="en-minilm")
    assert graphs(" \n") == ()


def test_our_own_graphs_need_a_parse() -> None:
    with pytest.raises(LanguageError, match="meaning graphs: this needs an English parse"):
        graphs(GERMAN)
    with pytest.raises(LanguageError, match="meaning graphs: this needs an English parse"):
        graphs(TEXT, analyser="unicode")


def test_parses_of_others(tmp_path: Path) -> None:
    path = tmp_path / "boy.conllu"
    path.write_text(conllu.dumps(analyse(TEXT)))
    assert graphs(TEXT, f"conllu:{path}") == graphs(TEXT)


def test_graphs_of_others(tmp_path: Path) -> None:
    path = tmp_path / "boy.amr"
    path.write_text(f"# ::snt The boy wants to go.\n{BOY}\n\n{BARK}\n")
    boy, bark = graphs(TEXT, f"penman:{path}")
    assert (boy.parser, bark.id) == ("penman", "7")
    assert words(TEXT, bark.triples[-1].spans) == ["Dogs", "bark"]
    path.unlink()
    assert graphs("Dogs bark.", f"penman:{path}")[0].id == "7"  # read once


def test_any_callable() -> None:
    boy, bark = graphs(TEXT, parser)
    assert (boy.parser, bark.parser) == ("parser", "parser")
    assert words(TEXT, [boy.sentence, bark.sentence]) == ["The boy wants to go.", "Dogs\nbark."]
    assert words(TEXT, boy.triples[-1].spans) == ["boy", "go"]
    assert words(TEXT, bark.triples[-1].spans) == ["Dogs", "bark"]
    assert graphs("", parser) == ()
    (german,) = graphs(GERMAN, lambda sentences: ["(b / beschließen~3 :ARG0 (s / Stadtrat~1))"])
    assert words(GERMAN, german.triples[-1].spans) == ["Stadtrat", "beschlossen"]


def test_callables_whose_graphs_have_no_words_are_warned_of() -> None:
    def answers(sentences: Sequence[str]) -> list[str]:
        return ["(b / bark-01)"]

    with pytest.warns(InputWarning, match="answers: 1 of 1 graphs have no alignments"):
        graphs("Dogs bark.", answers)


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        ([], LanguageError, "answers was given 1 sentences and did not return as many graphs"),
        ([None], LanguageError, "answers was given 1 sentences and did not return as many graphs"),
        (["(a / b) (c / d)"], LanguageError, "answers returned 2 graphs of the sentence 'Dogs bark.'; return one"),
        ([""], LanguageError, "answers returned 0 graphs of the sentence 'Dogs bark.'; return one"),
        (["(a / b"], FormatError, "answers's graph of 'Dogs bark.':1:1: This graph is not closed"),
    ],
)
def test_callables_that_answer_something_else(answer: list[Any], error: type[PyramidionError], message: str) -> None:
    def answers(sentences: Sequence[str]) -> list[Any]:
        return answer

    with pytest.raises(error, match=message):
        graphs("Dogs bark.", answers)


@pytest.mark.parametrize("name", ["magic", "penman:", "conllu:", "amrlib:", "", "depgraph:x"])
def test_unknown_names(name: str) -> None:
    with pytest.raises(PyramidionError, match=f"The source of graphs '{name}' is unknown; choose one of: depgraph, "):
        graphs("Dogs bark.", name)
    assert name not in GRAPHS


def test_without_amrlib_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "amrlib", None)
    with pytest.raises(MissingPartError) as caught:
        graphs("Dogs bark.", "amrlib:somewhere")
    assert str(caught.value) == "amrlib is not installed; pip install 'pyramidion[amr]'"


WITHOUT_PENMAN = """
import sys
sys.modules["penman"] = None
from pyramidion.cli import main
from pyramidion.language.graphs.sources import graphs
from pyramidion.errors import MissingPartError
print(len(graphs("Dogs bark.")))
for by in ("penman:graphs.txt", lambda sentences: ["(b / bark-01)"]):
    try:
        graphs("Dogs bark.", by)
    except MissingPartError as error:
        print(error)
main(["graphs", "Dogs bark.", "--penman"])
"""


def test_only_penman_notation_needs_the_package_and_the_error_says_how_to_get_it() -> None:
    message = "Graphs in PENMAN notation need the package penman; run: pip install 'pyramidion[graphs]'"
    done = subprocess.run([sys.executable, "-c", WITHOUT_PENMAN], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["1", message, message]
    assert (done.returncode, done.stderr) == (3, f"error: {message}\n")


class RBWAligner:
    """As much of amrlib's aligner as is used: the graph of a NoOpModel, tokens and lemmas in, a string out."""

    def __init__(self, graph: penman.Graph, tokens: list[str], lemmas: list[str]) -> None:
        self.graph = graph
        for triple in graph.instances():
            concept = triple.target.rpartition("-")[0] or triple.target
            if concept in lemmas:
                graph.epidata[triple].append(Alignment((lemmas.index(concept),), prefix="e."))

    def get_graph_string(self) -> str:
        return str(penman.encode(self.graph))


@pytest.fixture
def amrlib(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> SimpleNamespace:
    """As much of amrlib as is used, its default model missing."""
    fake: Any = ModuleType("amrlib")
    aligners: Any = ModuleType("amrlib.alignments.rbw_aligner")
    aligners.RBWAligner = RBWAligner
    fake.defaults = SimpleNamespace(data_dir=str(tmp_path / "data"))
    said = SimpleNamespace(answer=["(b / bark-01 :ARG0 (d / dog))"], error=None, loaded=[])

    def load_stog_model(model_dir: str, **settings: str) -> Any:
        if said.error:
            raise said.error
        said.loaded.append((model_dir, settings))
        return SimpleNamespace(parse_sents=lambda sentences, add_metadata: said.answer)

    fake.load_stog_model = load_stog_model
    monkeypatch.setitem(sys.modules, "amrlib", fake)
    monkeypatch.setitem(sys.modules, "amrlib.alignments", ModuleType("amrlib.alignments"))
    monkeypatch.setitem(sys.modules, "amrlib.alignments.rbw_aligner", aligners)
    return said


def model(folder: Path, kind: str = ".parse_xfm.inference", tokenizer: bool = True) -> Path:
    folder.mkdir(parents=True)
    (folder / "amrlib_meta.json").write_text(json.dumps({"inference_module": kind}))
    if tokenizer:
        (folder / "tokenizer.json").write_text("{}")
    return folder


def test_amrlib_with_words_by_its_aligner(amrlib: SimpleNamespace, tmp_path: Path) -> None:
    folder = model(tmp_path / "model")
    (graph,) = graphs("Dogs don't bark.", f"amrlib:{folder}")
    assert graph.parser == "amrlib"
    assert words("Dogs don't bark.", graph.triples[-1].spans) == ["Dogs", "bark"]
    assert amrlib.loaded == [(str(folder), {"tok_name_or_path": str(folder)})]  # nothing to fetch
    default = model(tmp_path / "data" / "model_stog")
    load_amrlib()
    assert amrlib.loaded[-1][0] == str(default)


def test_a_sentence_that_amrlib_cannot_parse(amrlib: SimpleNamespace, tmp_path: Path) -> None:
    parse = load_amrlib(str(model(tmp_path / "model")))
    amrlib.answer = [None]
    with pytest.raises(LanguageError, match="amrlib found no graph for the sentence 'Dogs bark.'"):
        parse(["Dogs bark."])
    amrlib.answer = ["(b / bark"]
    with pytest.raises(LanguageError, match="amrlib's graph of 'Dogs bark.' is malformed"):
        parse(["Dogs bark."])


def test_models_of_amrlib_that_cannot_be_used(amrlib: SimpleNamespace, tmp_path: Path) -> None:
    with pytest.raises(MissingPartError, match="There is no amrlib model in .*model_stog; unpack one of https"):
        load_amrlib()
    with pytest.raises(MissingPartError, match="is of the kind '.parse_spring.inference', which amrlib loads from the"):
        load_amrlib(str(model(tmp_path / "spring", ".parse_spring.inference")))
    with pytest.raises(MissingPartError, match="has no tokenizer beside it; save it there once"):
        load_amrlib(str(model(tmp_path / "bare", tokenizer=False)))
    folder = str(model(tmp_path / "broken"))
    for amrlib.error, message in (
        (RuntimeError("size mismatch"), r"amrlib cannot load the model .*broken \(size mismatch\)"),
        (
            ImportError("No module named 'torch'"),
            r"amrlib is only partly installed .*pip install 'pyramidion\[amr\]'",
        ),
    ):
        with pytest.raises(MissingPartError, match=message):
            load_amrlib(folder)
