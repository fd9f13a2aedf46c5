"""PENMAN notation: graphs read with their places, found by their sentences, written and read again."""

from __future__ import annotations

from pathlib import Path

import penman
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from penman.models.amr import model as amr

from pyramidion.errors import FormatError, InputWarning, ModelError
from pyramidion.language.graphs.meaning import INSTANCE, MeaningGraph, Triple
from pyramidion.language.graphs.penman.alignments import token_places
from pyramidion.language.graphs.penman.file import load
from pyramidion.language.graphs.penman.text import MAX_DEPTH, loads
from pyramidion.language.graphs.penman.writing import dumps
from pyramidion.language.parse.analysis import LanguageError
from pyramidion.model import Span
from tests.fuzz import mutated, only_our_errors

BOY = """# ::id boy.1 ::date 2013-01-01
# ::snt The boy wants to go.
# ::tok The boy wants to go .
(w / want-01~e.2
   :ARG0 (b / boy~e.1)
   :ARG1 (g / go-01~e.4
            :ARG0 b))
"""
NAMES = """# ::id names.2
# ::snt In 1922, Tel Aviv's residents (15,000) didn't vote.
# ::tok In 1922 , Tel Aviv 's residents -LRB- 15,000 -RRB- did n't vote .
(v / vote-01~12 :polarity -~11
   :ARG0 (p / person :quant "15,000"~8
            :ARG0-of (r / reside-01~6
                        :ARG1 (c / city
                                 :name (n / name :op1 "Tel"~3 :op2 "Aviv"~4))))
   :time (d / date-entity :year 1922~1)
   :mod (s / so))
"""
FILE = f"# a release of graphs\n\n{BOY}\n{NAMES}"


def read(notation: str, text: str = "a b c d e f") -> dict[str, str]:
    """The triples of a graph and the words where each stands."""
    (written,) = loads(notation)
    graph = written.placed(text, Span(0, len(text)), "test")
    return {str(triple): " ".join(span.of(text) for span in triple.spans) for triple in graph.triples}


def test_a_graph_with_its_words() -> None:
    assert read(BOY, "The boy wants to go.") == {
        "instance(w, want-01)": "wants",
        "instance(b, boy)": "boy",
        "instance(g, go-01)": "go",
        "ARG0(w, b)": "boy wants",
        "ARG1(w, g)": "wants go",
        "ARG0(g, b)": "boy go",
    }


def test_nodes_without_words_stand_where_the_nodes_below_them_do() -> None:
    found = read(NAMES, "In 1922, Tel Aviv's residents (15,000) didn't vote.")
    assert found["instance(n, name)"] == found["instance(c, city)"] == "Tel Aviv"
    assert found["instance(p, person)"] == "residents 15,000"
    assert found["instance(d, date-entity)"] == found["year(d, 1922)"] == "1922"
    assert found["polarity(v, -)"] == "n't vote"
    assert found["ARG0(r, p)"] == "residents 15,000"
    assert found["instance(s, so)"] == found["mod(v, s)"] == ""


def test_a_mention_with_words_of_its_own_stands_there() -> None:
    found = read("(s / say-01~1 :ARG0 (b / bob~0) :ARG1 (l / leave-11~3 :ARG0 b~2))", "Bob says he leaves")
    assert found["ARG0(l, b)"] == "he leaves"
    assert found["ARG0(s, b)"] == "Bob says"


def test_circles_end() -> None:
    found = read("(a / x :r (b / y :s a :t (c / z~2 :u b)) :v (d / w :q d))")
    assert found["instance(a, x)"] == found["instance(b, y)"] == "c"
    assert found["s(b, a)"] == "c"
    assert found["instance(d, w)"] == found["q(d, d)"] == ""


def test_roles_as_in_the_model_of_amr() -> None:
    found = read(
        "(a / x :ARG0-of (b / y) :consist-of (c / z) :domain-of (d / w) :mod-of (e / v) :ARG1-of a :polarity-of 5)"
    )
    assert set(found) == {
        "instance(a, x)", "instance(b, y)", "instance(c, z)", "instance(d, w)", "instance(e, v)",
        "ARG0(b, a)", "consist-of(a, c)", "domain(d, a)", "mod(e, a)", "ARG1(a, a)", "polarity-of(a, 5)",
    }  # fmt: skip


def test_constants_lose_their_quotes_and_stay_constants() -> None:
    found = read(r'(b / "big dog" :op1 "b" :op2 b :wiki "http://x.org/a~b_(c)"~1 :op3 "say \"hi\"" :op4 "")')
    assert set(found) == {
        "instance(b', big dog)", "op1(b', b)", "op2(b', b')", "wiki(b', http://x.org/a~b_(c))", 'op3(b\', say "hi")',
        "op4(b', )",
    }  # fmt: skip
    assert found["wiki(b', http://x.org/a~b_(c))"] == "b"


ALIGNED = '(d / deny-01 :ARG0 (c / country :name (n / name :op1 "North" :op2 "Korea")) :ARG1 (a / access-01 :ARG0 o :ARG1 (f / facility :poss c) :mod (f2 / full)) :ARG2 (o / organization))'
TOKENS = "# ::tok North Korea denied IAEA access to its full facilities\n"


@pytest.mark.parametrize(
    "alignments",
    [
        # JAMR skips variables that are mentioned again: facility is 0.1.0 (the example of its documentation)
        "0-2|0.0+0.0.0 0-1|0.0.0.0 1-2|0.0.0.1 2-3|0 *3-4|0.2 4-5|0.1 8-9|0.1.0 7-8|0.1.1 ::annotator Aligner v.02 "
        "::date 2014",
        # ISI counts every edge from 1
        "0-1.1 1-1.1 0-1.1.1 1-1.1.1 0-1.1.1.1 1-1.1.1.2 2-1 2-1.1.r 3-1.3 4-1.2 8-1.2.2 7-1.2.3 6-1.2.2.1",
    ],
    ids=["JAMR", "ISI"],
)
def test_lines_of_alignments(alignments: str) -> None:
    text = "North Korea denied IAEA access to its full facilities"
    found = read(f"{TOKENS}# ::alignments {alignments}\n{ALIGNED}", text)
    assert found["instance(f, facility)"] == "facilities"
    assert found["instance(f2, full)"] == "full"
    assert found["instance(c, country)"] == found["instance(n, name)"] == "North Korea"
    assert found["op2(n, Korea)"] == "North Korea"
    assert found["ARG0(a, o)"] == "IAEA access"
    assert found["instance(d, deny-01)"] == "denied"
    assert found["poss(f, c)"] == ("its facilities" if "1.2.2.1" in alignments else "North Korea facilities")


def test_marks_in_the_graph_come_before_a_line_of_alignments() -> None:
    assert read("# ::alignments 0-1\n(a / x~2)")["instance(a, x)"] == "c"


@pytest.mark.parametrize(
    ("notation", "message"),
    [
        ("# ::alignments 0-1.7\n(a / x)", "<string>:1:16: 1.7 is aligned, but the graph has no such node"),
        ("(a / x~7)", "<string>:1: Token 7 is aligned, but there are only 6 tokens"),
    ],
)
def test_alignments_to_nothing_are_passed_over_with_a_warning(notation: str, message: str) -> None:
    with pytest.warns(InputWarning, match=message):
        assert read(notation)["instance(a, x)"] == ""


def test_tokens_are_found_in_the_sentence_whatever_was_done_to_them() -> None:
    text = 'x  He said: "Fine\u2014I can\'t, (really)\u2026" '
    tokens = ["He", "said", ":", "``", "Fine", "--", "I", "ca", "n't", ",", "-LRB-", "really", "-RRB-", "...", "''"]
    places = token_places(tuple(tokens), text, Span(3, len(text)))
    assert [place and place.of(text) for place in places] == [
        "He", "said", ":", '"', "Fine", "\u2014", "I", "ca", "n't", ",", "(", "really", ")", "\u2026", '"',
    ]  # fmt: skip
    lost = token_places(("He", "NUMBER", "MORE", "people"), "He 15,000 people", Span(0, 16))
    assert [place and place.of("He 15,000 people") for place in lost] == ["He", "15,000", "15,000", "people"]
    assert token_places(("x", "", "y"), "xy", Span(0, 2)) == (Span(0, 1), None, Span(1, 2))
    assert token_places(("x", "y"), "x", Span(0, 1)) == (Span(0, 1), None)


def test_words_that_white_space_divides_stand_without_their_marks() -> None:
    assert read("# ::snt (Dogs) bark.\n(b / bark-01~1 :ARG0 (d / dog~0))", "(Dogs) bark.")["ARG0(b, d)"] == "Dogs bark"
    assert (
        read('# ::tokens ["New York", "sleeps"]\n(s / sleep-01~1 :ARG0 (c / city~0))', "New York sleeps")["ARG0(s, c)"]
        == "New York sleeps"
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "graphs.amr"
    path.write_text(FILE)
    return path


def test_sentences_are_found_whatever_the_white_space_and_their_order(file: Path) -> None:
    text = "In 1922, Tel Aviv's\nresidents (15,000) didn't  vote. The boy wants to go.\nThe boy wants to go."
    found = load(str(file))(text)
    assert [graph.id for graph in found] == ["names.2", "boy.1", "boy.1"]
    assert [graph.sentence.start for graph in found] == [0, text.index("The"), text.rindex("The")]
    assert all(graph.parser == "penman" for graph in found)
    assert [span.of(text) for span in found[2].triples[0].spans] == ["wants"]
    assert found[2].triples[0].spans[0].start > text.rindex("The")
    assert load(str(file))(" \n") == ()


def test_the_file_says_what_a_sentence_is(tmp_path: Path) -> None:
    path = tmp_path / "graphs.amr"
    path.write_text(
        "# ::snt I\n(i / i~0)\n# ::snt It rains. Dogs\n(r / rain-01~1)\n# ::snt It rains.\n(s / rain-01~1)\n# ::tok "
        "bark !\n(b / bark-01~0)\n"
    )
    found = load(str(path))("It rains. Dogs bark! It rains.")
    assert [graph.variables for graph in found] == [("r",), ("b",), ("s",)]


def test_a_sentence_without_a_graph_is_named(file: Path) -> None:
    with pytest.raises(LanguageError) as caught:
        load(str(file))("The boy wants to go. He  left early. So did I.")
    assert str(caught.value) == (
        f"{file} has no graph of the sentence 'He left early.'; parse it and add its graph, "
        "with the sentence in a comment before it: # ::snt SENTENCE"
    )


def test_a_graph_without_a_sentence_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "graphs.amr"
    path.write_text("\n(a / x~0)\n")
    with pytest.raises(FormatError, match=r"graphs.amr:2: This graph does not name its sentence; add a comment"):
        load(str(path))


def test_graphs_whose_words_nobody_knows_are_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "graphs.amr"
    path.write_text(f"{BOY}\n# ::snt Dogs bark.\n(b / bark-01 :ARG0 (d / dog))\n")
    with pytest.warns(InputWarning, match="graphs.amr: 1 of 2 graphs have no alignments, so"):
        look_up = load(str(path))
    assert look_up("Dogs bark.")[0].inside([Span(0, 10)]) == ()


@pytest.mark.parametrize(
    ("text", "explained"),
    [
        ("(a / x", "f.amr:1:1: This graph is not closed; add the missing ')', or write the file again if it is cut off.\n    (a / x\n    ^"),
        ("# ::snt A\n(a / x\n   :ARG0 (b / y)\n\n# ::snt B\n(c / z)", "f.amr:2:1: This graph is not closed; add the missing ')', or write the file again if it is cut off.\n    (a / x\n    ^"),
        ("(a / x))", "f.amr:1:8: ')' is outside any graph; start a graph with '(', and a comment with '#'\n    (a / x))\n           ^"),
        ("(a / x)\nARG0(a, b)", "f.amr:2:1: 'ARG0' is outside any graph; start a graph with '(', and a comment with '#'\n    ARG0(a, b)\n    ^"),
        ("\n (a / x\n   ARG0 (b / y))", "f.amr:3:4: Here, a role is expected; correct the graph.\n       ARG0 (b / y))\n       ^"),
        ('(a / "x)', "f.amr:1:6: This string is not closed; add the missing quote.\n    (a / \"x)\n         ^"),
        ("(a / x :ARG0 (b))", "f.amr:1:14: The node 'b' has no concept; write a node as (VARIABLE / CONCEPT :ROLE VALUE ...)\n    (a / x :ARG0 (b))\n                 ^"),
        ("(a / x :ARG0 (b /))", "f.amr:1:14: The node 'b' has no concept; write a node as (VARIABLE / CONCEPT :ROLE VALUE ...)\n    (a / x :ARG0 (b /))\n                 ^"),
        ("(a / x :ARG0 (b / y :ARG1))", "f.amr:1:14: The role ':ARG1' of 'b' has no value; write a node as (VARIABLE / CONCEPT :ROLE VALUE ...)\n    (a / x :ARG0 (b / y :ARG1))\n                 ^"),
        ("(a / x\n :r (a / y))", "f.amr:2:5: The variable 'a' has two concepts; write a node as (VARIABLE / CONCEPT :ROLE VALUE ...)\n     :r (a / y))\n        ^"),
        ("(a / x :instance y)", "f.amr:1:1: The node 'a' has two concepts; write a node as (VARIABLE / CONCEPT :ROLE VALUE ...)\n    (a / x :instance y)\n    ^"),
        ("# ::alignments 0-1 1:1\n(a / x)", "f.amr:1:20: '1:1' is not an alignment; write TOKEN-ADDRESS as ISI does, FIRST-LAST|ADDRESS as JAMR does, or leave the line out.\n    # ::alignments 0-1 1:1\n                       ^"),
        ('# ::tokens ["a", 1]\n(a / x)', 'f.amr:1:12: The tokens are not a JSON list of strings; write ["The", "boy"], or a ::tok line.\n    # ::tokens ["a", 1]\n               ^'),
    ],
)  # fmt: skip
def test_what_is_malformed_is_shown(text: str, explained: str) -> None:
    with pytest.raises(FormatError) as caught:
        loads(text, "f.amr")
    assert caught.value.explain() == explained


@pytest.mark.parametrize("text", ["()", "(a / x : b)", "(a / x :instance-of (b / y))", f"(a / x~{'9' * 5000})"])
def test_what_means_nothing_is_refused(text: str) -> None:
    with pytest.raises(FormatError, match=r"f.amr:1"):
        loads(text, "f.amr")


def test_depth_and_size_do_no_harm() -> None:
    def nested(depth: int) -> str:
        return "".join(f"(v{number} / x :r " for number in range(depth - 1)) + "(z / z~0)" + ")" * (depth - 1)

    assert read(nested(MAX_DEPTH))["instance(v0, x)"] == "a"
    for depth in (MAX_DEPTH + 1, 10_000):
        with pytest.raises(FormatError, match=rf"Nodes are nested more than {MAX_DEPTH} deep"):
            loads(nested(depth))
    ring = " ".join(f":op{number} (v{number} / c :next v{(number + 1) % 1000})" for number in range(1000))
    assert len(read(f"(a / and {ring} :op 1~0)")) == 1001 + 2000 + 1


TREES = st.recursive(
    st.sampled_from(["x", "go-01", '"New York"', "5"]).map(lambda concept: (concept, [])),
    lambda below: st.tuples(
        st.sampled_from(["x", "y", "want-01"]),
        st.lists(
            st.tuples(
                st.sampled_from(["ARG0", "ARG1-of", "mod", "domain-of", "consist-of", "op1", "time-of"]),
                below | st.sampled_from(["-", '"b c"', "1922", "v0", "v1", "v2"]),
            ),
            max_size=4,
        ),
    ),
    max_leaves=12,
)


def written(tree: object) -> str:
    """A random tree in PENMAN notation, its nodes numbered."""
    number = iter(range(1000))

    def write(node: object) -> str:
        if isinstance(node, str):
            return node
        concept, edges = node  # type: ignore[misc]
        return f"(v{next(number)} / {concept}" + "".join(f" :{role} {write(value)}" for role, value in edges) + ")"

    return write(tree)


@given(TREES)
@settings(max_examples=60)
def test_the_triples_are_those_of_the_penman_library(tree: object) -> None:
    notation = written(tree)
    (graph,) = loads(notation)
    theirs = penman.decode(notation, model=amr).triples
    assert sorted(tuple(triple[:3]) for triple in graph.triples) == sorted(
        (role.removeprefix(":"), source, target.strip('"')) for source, role, target in theirs
    )


@given(TREES)
@settings(max_examples=60)
def test_graphs_written_and_read_again_are_the_same(tree: object) -> None:
    (first,) = loads(written(tree))
    graph = first.placed("some words", Span(0, 10), "test")
    (again,) = loads(dumps(graph, "some words"))
    assert set(again.placed("some words", Span(0, 10), "test").triples) == set(graph.triples)


def test_words_are_written_and_read_again(file: Path) -> None:
    text = "In 1922, Tel Aviv's residents (15,000) didn't vote.  The boy wants to go."
    graphs = load(str(file))(text)
    file.write_text("\n".join(dumps(graph, text) for graph in graphs))
    for graph, again in zip(graphs, load(str(file))(text), strict=True):
        places = {triple: triple.spans for triple in again.triples}
        assert {triple: triple.spans for triple in graph.triples} == places
        assert (graph.id, graph.sentence) == (again.id, again.sentence)


@pytest.mark.parametrize(
    ("triples", "message"),
    [
        ((Triple(INSTANCE, "a", "x"), Triple(INSTANCE, "b", "y")), "The graph of 'a b' cannot be written in PENMAN"),
        ((), "The graph of 'a b' cannot be written in PENMAN"),
        ((Triple(INSTANCE, "a b", "x"),), r"instance\(a b, x\) cannot be written in PENMAN"),
    ],
)
def test_what_penman_cannot_hold_is_not_written(triples: tuple[Triple, ...], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        dumps(MeaningGraph(triples, Span(0, 3)), "a b")


@given(mutated(FILE.encode()) | st.binary(max_size=200) | st.text('()/:~"#ab01 \n', max_size=60).map(str.encode))
@settings(max_examples=200)
def test_damaged_files(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    only_our_errors(lambda: [graph.placed("The boy wants to go.", Span(0, 20), "test") for graph in loads(text)])


@given(st.integers(0, len(FILE)))
def test_files_that_are_cut_off(end: int) -> None:
    only_our_errors(lambda: loads(FILE[:end]))


@pytest.mark.data
def test_the_graphs_of_wiki25_as_the_penman_library_reads_them(data: Path) -> None:
    path = data / "amr" / "wiki25.txt"
    text = path.read_text()
    theirs = penman.loads(text, model=amr)
    ours = loads(text)
    assert len(ours) == len(theirs) == 25
    assert [len(graph.triples) for graph in ours] == [len(graph.triples) for graph in theirs]
    for written, graph in zip(ours, theirs, strict=True):
        assert {tuple(triple[:3]) for triple in written.triples} == {
            (role.removeprefix(":"), source, target.strip('"')) for source, role, target in graph.triples
        }
    sentences = [written.sentence for written in ours]
    found = load(str(path))("\n".join(sentences))
    assert [len(graph.triples) for graph in found] == [len(set(graph.triples)) for graph in theirs]
    assert sum(bool(triple.spans) for graph in found for triple in graph.triples) > 400
