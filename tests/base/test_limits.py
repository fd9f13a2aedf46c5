"""Readers take linear time and bounded memory, whatever they are given.

No test here looks at a clock. Inputs are so large that a quadratic reader would not end before anybody's patience does
(``bench/readers.py`` measures), and memory is counted in allocated bytes.
"""

from __future__ import annotations

import json
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.base import files as _files
from pyramidion.base.limits import MOST
from pyramidion.base.sheets import Sheet
from pyramidion.crowd.answers import collect
from pyramidion.errors import FormatError, Where
from pyramidion.formats import ducview, lite3pyramid, litepyramids, loads, mturk_ratings, native, sacrerouge
from pyramidion.formats._squashed import Squashed
from pyramidion.formats.score_tables import loads_scores
from pyramidion.language.graphs.penman import text as penman_text
from pyramidion.model import Span
from tests.crowd.results import study

MTURK = "Input.eventId,Input.summaryId,Input.qIdList,Input.summary_text,Input.statement_1,Answer.S1Answer\n"
STATEMENTS = ",".join(litepyramids.COLUMNS) + "\n"


def peak(read: Callable[[], object]) -> int:
    """The most bytes that are allocated at once while reading, whatever becomes of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tracemalloc.start()
        try:
            read()
        except FormatError:
            pass
        finally:
            most = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
    return most


def test_doctypes_without_end_are_looked_at_once() -> None:
    with pytest.raises(FormatError, match="not well-formed"):
        ducview.loads("<!DOCTYPE" * 500_000)


@pytest.mark.parametrize("external", ['<!DOCTYPE a SYSTEM "x">', '<!DOCTYPE  a\n PUBLIC "x" "y">', "<!DOCTYPE SYSTEM"])
def test_external_doctypes_are_still_refused(external: str) -> None:
    with pytest.raises(FormatError, match="external DTD"):
        ducview.loads(f"{external}<pyramid/>".replace("DOCTYPE SYSTEM", "DOCTYPE a SYSTEM"))


@pytest.mark.parametrize(
    ("read", "document", "message"),
    [
        (ducview.loads, "<a/>" * (MOST + 1), "more than 1,000,000 elements and attributes"),
        (ducview.loads, "<a " + "a=''" * (MOST + 1), "more than 1,000,000 elements and attributes"),
        (native.loads, '{"topic": "t", "peers": [' + "{}," * (MOST + 1), "more than 1,000,000 objects and lists"),
        (sacrerouge.loads, '{"scus": []}\n' * (MOST // 2 + 1), "more than 1,000,000 objects and lists"),
        (loads_scores, "summary" + ",a" * 4 * MOST, "more than 4,000,000 cells"),
        (litepyramids.loads, STATEMENTS + "1,1,x,N,,r,1\n" * (MOST // 5 + 1), "more than 200,000 rows"),
    ],
)
def test_what_would_fill_the_memory_is_refused_before_it_is_made(
    read: Callable[[str], object], document: str, message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        read(document)


def test_elements_are_counted_before_they_are_made() -> None:
    document = "<a/>" * (MOST + 1)
    assert peak(lambda: ducview.loads(document)) < len(document)


def test_units_are_counted_before_they_are_made(tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_text("1\n")
    (tmp_path / "references.txt").write_text("x\n")
    (tmp_path / "SCUs.txt").write_text("a\t" * (MOST + 1) + "a\n")
    with pytest.raises(FormatError, match="more than 1,000,000 units"):
        lite3pyramid.load(tmp_path)


def test_missing_votes_are_counted_before_they_are_noted() -> None:
    rows = "".join(f"e,s{number},['{number}'],t,x,p\n" for number in range(12_000))
    with pytest.raises(FormatError, match="more than 1,000,000 votes, given or missing"):
        mturk_ratings.loads(MTURK + rows)


@pytest.mark.parametrize("format", ["pyreval", "pyreval-read", "pyreval-size"])
def test_bare_pyramids_have_one_limit(format: str) -> None:
    one = {"pyreval": '<contributor label="x"/>', "pyreval-read": "SCU\t0\t1\tx\n", "pyreval-size": "1\n"}[format]
    document = one * 100_001
    if format == "pyreval":
        document = f'<Pyramid><scu uid="0">{document}</scu></Pyramid>'
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(FormatError, match="more than 100000 contributors"):
            loads(document, format)


def test_a_small_file_needs_little_memory(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Cats.")
    assert peak(lambda: _files.read_bytes(tmp_path / "a.txt")) < 2**18


def whole_text_parts(n: int) -> str:
    parts = [{"start": 0, "end": 1_000 * n, "text": "x"}] * 200 * n
    scu = {"scu_id": 1, "contributors": [{"summary_index": 0, "label": "x", "parts": parts}]}
    return json.dumps({"instance_id": 1, "summaries": ["a" * 1_000 * n], "summarizer_ids": ["A"], "scus": [scu]})


def pyr(text: str, body: str) -> str:
    """A pyramid of one reference, whose text begins at character 40."""
    rule = "-" * 17
    header = "<startDocumentRegEx>-----+ &lt;.*> -----+</startDocumentRegEx>"
    return f"<pyramid>{header}<text><line>{rule} &lt;A> {rule}</line><line>{text}</line></text>{body}</pyramid>"


def scu(uid: int, label: str, start: int, end: int, words: str) -> str:
    part = f'<part start="{start}" end="{end}" label="{words}"/>'
    return f'<scu uid="{uid}" label="{label}"><contributor label="">{part}</contributor></scu>'


def pan(pyramid: str, body: str) -> str:
    return f"<peerAnnotation>{pyramid}<annotation><text><line>a</line></text>{body}</annotation></peerAnnotation>"


HOSTILE: dict[str, tuple[str, Callable[[int], str]]] = {
    "elements": ("ducview", lambda n: f"<pyramid>{'<a/>' * 2_000 * n}</pyramid>"),
    "whole-text parts": ("sacrerouge", whole_text_parts),
    "spans": (
        "json",
        lambda n: (
            '{"topic": "t", "references": {"A": "ab"}, "pyramid": {"scus": [{"id": "1", "label": "", '
            f'"contributors": [{{"reference": "A", "spans": [{"[0,1]," * 2_000 * n}[0,1]]}}]}}]}}}}'
        ),
    ),
    "rows": ("litepyramids", lambda n: STATEMENTS + "".join(f"{i},1,x,Y,,r,1\n" for i in range(500 * n))),
    "topics": ("mturk-ratings", lambda n: MTURK + "".join(f"{i},s,['1'],t,x,p\n" for i in range(300 * n))),
    "queries": ("nuggetizer", lambda n: "".join(f'{{"qid": {i}, "nuggets": []}}\n' for i in range(500 * n))),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_twice_the_input_takes_twice_the_memory_at_most(case: str) -> None:
    format, make = HOSTILE[case]
    peak(lambda: loads(make(1), format))  # what is made once for ever
    small, large = (make(n) for n in (2, 4))
    assert peak(lambda: loads(large, format)) < 2.6 * peak(lambda: loads(small, format))


def test_stretches_of_the_whole_text_cost_no_more_than_short_ones() -> None:
    with pytest.warns(Warning, match="is not at"):
        sacrerouge.loads(whole_text_parts(80))
    body = "".join(scu(uid, "", 40, 1_000_000, "") for uid in range(1, 20_000))
    with pytest.warns(Warning, match="its offsets were kept"):
        ducview.loads(pyr("a" * 1_000_000, body))


def test_misplaced_words_are_looked_for_so_often_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ducview, "MOST_SEARCHED", 10_000)
    document = pyr("a" * 1_000, "".join(scu(uid, "", 40, 44, "no such") for uid in range(1, 12)))
    with pytest.raises(FormatError, match="Too many parts have labels"), pytest.warns(Warning, match="not the text"):
        ducview.loads(document)
    monkeypatch.setattr(ducview, "MOST_SEARCHED", 12_000)
    with pytest.warns(Warning, match="its offsets were kept"):
        ducview.loads(document)


def test_blanks_in_labels_and_labels_of_nothing_are_looked_at_once() -> None:
    blank = " " * 500_000
    with pytest.warns(Warning, match="the uid was trusted"):
        ducview.loads(
            pan(pyr("word", scu(1, f"a{blank}b", 40, 44, "word")), f'<peerscu uid="1" label="{blank}x" comment="c"/>')
        )
    scus = "".join(scu(uid, f"l{uid}", 40, 44, "word") for uid in range(1, 15_000))
    peer = "".join(f'<peerscu uid="{uid}" label="none" comment="c"/>' for uid in range(1, 15_000))
    with pytest.warns(Warning, match="the uid was trusted"):
        ducview.loads(pan(pyr("word", scus), peer))


@pytest.mark.parametrize("charset", ["punycode", "idna", "unicode_escape", "undefined", "zip"])
def test_only_charsets_are_encodings(charset: str) -> None:
    with pytest.raises(FormatError, match="not in its declared encoding"):
        ducview.loads(f'<?xml version="1.0" encoding="{charset}"?>'.encode() + b"<pyramid>" + b"a" * 1_000_000)


def test_a_number_that_is_no_character_stays_text() -> None:
    number = f"&amp;#{'9' * 5_000};"
    with pytest.warns(Warning, match="its offsets were kept"):
        ducview.loads(pyr("word", scu(1, "", 40, 44, number)))
    text = f"&#{'9' * 5_000};"
    (topic,) = mturk_ratings.loads("Input.taskId," + MTURK + f"1,e,s,['1'],{text},x,p\n")
    assert topic.peers[0].text == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('(a / "' + '\\"' * 500_000, "This string is not closed"),
        ("# " + " " * 1_000_000 + "x\n(a / b", "This graph is not closed"),
    ],
)
def test_lines_of_graphs_are_looked_at_once(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        penman_text.loads(text)


def test_graphs_on_one_line_take_no_more_memory_than_on_many() -> None:
    graphs = "(a / b)" * 1_000
    assert peak(lambda: penman_text.loads(graphs)) < 1.5 * peak(lambda: penman_text.loads(graphs.replace(")", ")\n")))


@pytest.mark.parametrize(("line", "column"), [("(a / b)  (c / :x)", 10), ("(a / b)  (c / d e)", 17)])
def test_a_fault_in_the_second_graph_of_a_line_has_its_place(line: str, column: int) -> None:
    with pytest.raises(FormatError) as caught:
        penman_text.loads(line, "f.amr")
    assert caught.value.where == Where("f.amr", 1, column, text=line)


def test_the_place_of_what_is_passed_over_is_looked_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    where = Sheet.where

    def counted(sheet: Sheet, number: int) -> Where:
        asked.append(number)
        return where(sheet, number)

    monkeypatch.setattr(Sheet, "where", counted)
    (tmp_path / "a.csv").write_text(MTURK + "".join(f"no such,s{i},['1'],t,x,p\n" for i in range(50)))
    collected = collect.read(tmp_path / "a.csv", study(), skip_unknown=True)
    assert (collected.unknown, asked) == (50, [0])


LETTERS = st.text("ab \n", max_size=12)


@given(LETTERS, st.text("ab ", max_size=4), st.integers(0, 14))
def test_the_nearest_place_is_that_of_all_places(text: str, words: str, start: int) -> None:
    letters = [(index, char) for index, char in enumerate(text) if not char.isspace()]
    wanted = words.replace(" ", "")
    hits = [
        (letters[hit][0], letters[hit + len(wanted) - 1][0] + 1)
        for hit in range(len(letters) - len(wanted) + 1)
        if wanted and "".join(char for _, char in letters[hit : hit + len(wanted)]) == wanted
    ]
    expected = min(hits, key=lambda place: (abs(place[0] - start), place), default=None)
    assert Squashed(text).nearest(words, start) == expected


@given(st.data(), LETTERS.filter(bool), st.text("ab. ", max_size=8))
def test_what_reads_the_same_is_decided_without_white_space(data: st.DataObject, text: str, words: str) -> None:
    offsets = st.integers(0, len(text) - 1)
    spans = [
        Span(start, data.draw(st.integers(start + 1, len(text)))) for start in data.draw(st.lists(offsets, max_size=2))
    ]
    quoted = "...".join("".join(span.of(text).split()) for span in sorted(spans))
    assert Squashed(text).reads(spans, words) == (quoted == "".join(words.split()))
    assert Squashed(text).reads(spans, quoted)
    assert all(Squashed(text).is_blank(span.start, span.end) == (not span.of(text).strip()) for span in spans)
