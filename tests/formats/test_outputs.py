"""Tables of outputs: whatever their columns are called, long or wide, and errors that name row and column."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pyramidion as pm
from pyramidion.errors import FormatError, InputWarning, PyramidionError
from pyramidion.formats import load, outputs, sniff

DOCUMENTS = Path(__file__).parents[1] / "data" / "documents"
LONG: list[dict[str, Any]] = [
    {"id": 1, "highlights": "The dam broke.", "prediction": "A dam broke.", "model": "bart"},
    {"id": 1, "highlights": "The dam broke.", "prediction": "It rained.", "model": "t5"},
    {"id": 2, "highlights": "Prices rose.", "prediction": "Prices rose in May.", "model": "bart"},
    {"id": 2, "highlights": "Prices rose.", "prediction": "", "model": "t5"},
]


def shape(topics: list[pm.Topic]) -> list[tuple[str, list[str], dict[str, str]]]:
    return [
        (topic.id, [one.text for one in topic.references], {peer.id: peer.text for peer in topic.peers})
        for topic in topics
    ]


LONG_SHAPE = [
    ("1", ["The dam broke."], {"bart": "A dam broke.", "t5": "It rained."}),
    ("2", ["Prices rose."], {"bart": "Prices rose in May.", "t5": ""}),
]


def test_json_lines(tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").write_text("\n".join(map(json.dumps, LONG)))
    assert sniff(tmp_path / "out.jsonl") == "outputs"
    assert shape(pm.read(tmp_path / "out.jsonl")) == LONG_SHAPE


def test_csv_tsv_and_parquet(tmp_path: Path) -> None:
    frame = pandas.DataFrame(LONG)
    frame.to_csv(tmp_path / "out.csv", index=False)
    frame.to_csv(tmp_path / "out.tsv", index=False, sep="\t")
    frame.to_parquet(tmp_path / "out.parquet")
    assert shape(pm.read(tmp_path / "out.parquet")) == LONG_SHAPE
    for name in ("out.csv", "out.tsv"):  # which write an empty text as they write none
        with pytest.warns(InputWarning, match="'t5' of topic '2' cannot be scored: Row 5 has no output"):
            topics = pm.read(tmp_path / name)
        assert shape(topics) == [LONG_SHAPE[0], ("2", ["Prices rose."], {"bart": "Prices rose in May."})], name
        assert [one.name for one in topics[1].unread] == ["t5"]


def rows_of(missing: Any) -> list[dict[str, Any]]:
    return [
        {"id": 1, "reference": "The dam broke.", "output": "The dam broke.", "system": "whole"},
        {"id": 2, "reference": "Prices rose.", "output": "Prices rose.", "system": "whole"},
        {"id": 1, "reference": "The dam broke.", "output": "The dam broke.", "system": "partly"},
        {"id": 2, "reference": "Prices rose.", "output": missing, "system": "partly"},
        {"id": 1, "reference": "The dam broke.", "output": "", "system": "silent"},
        {"id": 2, "reference": "Prices rose.", "output": " ", "system": "silent"},
    ]


@pytest.mark.parametrize("missing", [None, float("nan"), pandas.NA, pandas.NaT], ids=repr)
def test_a_missing_output_has_no_score_and_an_empty_one_has_0(missing: Any) -> None:
    tables: list[Any] = [rows_of(missing), pandas.DataFrame(rows_of(missing))]
    if missing is None:
        tables += [pyarrow.Table.from_pylist(rows_of(missing)), rows_of("")]
        tables[-1][3] = {
            name: cell for name, cell in tables[-1][3].items() if name != "output"
        }  # a row without the key
    for table in tables:
        with pytest.warns(InputWarning, match="'partly' of topic '2' cannot be scored: Row 3 has no output"):
            evaluation = pm.evaluate(table, "lite+soft")
        means = {one.system: (one.means["coverage"], one.n, one.left_out) for one in evaluation.systems}
        assert means == {"whole": (1, 2, 0), "partly": (1, 1, 1), "silent": (0, 2, 0)}
        row = next(row for row in evaluation.rows("scores") if (row["topic"], row["summary"]) == ("2", "partly"))
        assert (row["coverage"], row["raw"]) == (None, None)
        assert evaluation.to_json()["unread"] == [{"topic": "2", "summary": "partly", "why": "Row 3 has no output."}]
        assert "Not scored: partly (topic 2). Row 3 has no output." in str(evaluation)


def test_many_missing_outputs_are_named_in_few_warnings() -> None:
    rows = [{"id": n, "reference": f"Dam {n} broke.", "output": None, "system": "a"} for n in range(30)]
    rows.append({"id": 0, "reference": "Dam 0 broke.", "output": "Dam 0 broke.", "system": "b"})
    with pytest.warns(InputWarning) as told:
        evaluation = pm.evaluate(rows, "lite+soft")
    assert len(told) == 6
    assert "25 more summaries of the table cannot be scored" in str(told[-1].message)
    assert len(evaluation.unread) == 30
    assert "Not scored: 10 more; JSON and CSV have all." in str(evaluation)


def test_in_a_wide_table_an_empty_cell_is_a_missing_output(tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text(
        "id,reference,prediction_bart,prediction_t5\n1,The dam broke.,The dam broke.,\n2,Prices rose.,Prices rose., \n"
    )
    with pytest.warns(InputWarning, match="'t5' of topic '1' cannot be scored"):
        topics = pm.read(tmp_path / "wide.csv")
    assert [[peer.id for peer in topic.peers] for topic in topics] == [["bart"], ["bart", "t5"]]


def test_strict_reading_refuses_a_missing_output() -> None:
    with pytest.raises(FormatError, match="'partly' of topic '2' cannot be scored: Row 3 has no output"):
        pm.Reading(strict=True).rows(rows_of(None))


def test_tables_in_memory() -> None:
    for table in (LONG, pandas.DataFrame(LONG), pyarrow.Table.from_pylist(LONG), iter(LONG)):
        assert shape(pm.read(table)) == LONG_SHAPE


def test_wide_tables_have_a_column_for_each_system() -> None:
    rows = [{"ref": "It rained.", "prediction_bart": "Rain.", "t5.output": "Sun."}]
    assert shape(pm.read(rows)) == [("1", ["It rained."], {"bart": "Rain.", "t5": "Sun."})]


def test_columns_that_nobody_could_guess() -> None:
    rows = [{"a": "It rained.", "b": "Rain.", "c": "Sun.", "d": "x"}]
    read = pm.read(rows, columns="reference=a,output=b,output=c,topic=d")
    assert shape(read) == [("x", ["It rained."], {"b": "Rain.", "c": "Sun."})]


def test_several_references_as_a_list_and_as_numbered_columns() -> None:
    as_list = [{"references": ["It rained.", "Rain fell."], "output": "Rain."}]
    numbered = [{"reference_1": "It rained.", "reference_2": "Rain fell.", "reference_3": None, "output": "Rain."}]
    for rows in (as_list, numbered):
        assert shape(pm.read(rows)) == [("1", ["It rained.", "Rain fell."], {"output": "Rain."})]


def test_without_a_topic_rows_of_equal_references_belong_together() -> None:
    rows = [{"reference": "A.", "output": "x", "system": "s"}, {"reference": "A.", "output": "y", "system": "t"}]
    assert shape(pm.read(rows)) == [("1", ["A."], {"s": "x", "t": "y"})]


def test_sources_are_read() -> None:
    [topic] = pm.read([{"article": "Long.", "summary": "Short.", "reference": "Shorter."}])
    assert [source.text for source in topic.sources] == ["Long."]


def test_a_form_that_a_class_filled_in() -> None:
    [topic] = load(DOCUMENTS / "class.xlsx", references=str(DOCUMENTS / "essay.odt"))
    assert [(peer.id, peer.number) for peer in topic.peers] == [("Ann Lee", "s101"), ("Bo Diaz", "s102")]
    assert [reference.id for reference in topic.references] == ["essay"]


@pytest.mark.parametrize(
    ("rows", "columns", "what"),
    [
        ([{"a": "x"}], "", "It is not clear which column holds the outputs; the columns are 'a'"),
        ([{"output": "x"}], "", "It is not clear which column holds the references"),
        ([{"output": "x", "ref": "y", "Output": "z"}], "", "Several columns may be the output: 'output', 'Output'"),
        ([{"output": "x", "ref": "y"}], "output=z", "The table has no column 'z'"),
        ([{"output": "x", "ref": "y"}], "colour=x", "The setting columns has 'colour=x'"),
        ([{"output": 3, "ref": "y"}], "", "<table>:0: column 'output': The cell holds a number, not a text"),
        ([{"output": "x", "ref": ""}], "", "<table>:0: column 'ref': The cell is empty"),
        ([LONG[0], {**LONG[1], "highlights": "Other."}], "", "has other references than in row 0"),
        ([LONG[0], LONG[0]], "", "is already in row 0"),
        ([], "", "The table has no row"),
    ],
)
def test_errors_name_row_and_column(rows: list[dict[str, Any]], columns: str, what: str) -> None:
    with pytest.raises(FormatError) as raised:
        pm.read(rows, columns=columns)
    assert what in str(raised.value)


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(PyramidionError, match="The table has the type int"):
        pm.read(3)
    with pytest.raises(PyramidionError, match="A row has the type str"):
        pm.read(["text"])


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").write_text(json.dumps(LONG[0]) + "\n{broken\n")
    with pytest.raises(FormatError, match=r"out\.jsonl:2"):
        pm.read(tmp_path / "out.jsonl")


def test_our_own_json_lines_are_still_ours(tmp_path: Path) -> None:
    pm.write(pm.example(), tmp_path / "corpus.jsonl")
    assert sniff(tmp_path / "corpus.jsonl") == "json"


CELLS = st.one_of(st.none(), st.text(max_size=5), st.integers(), st.floats(), st.lists(st.text(max_size=3), max_size=2))
NAMES = st.sampled_from(["id", "output", "reference", "reference_1", "system", "source", "prediction_a", "x", ""])


@given(st.lists(st.dictionaries(NAMES, CELLS, max_size=6), max_size=4), st.text("idoutpref=,", max_size=12))
def test_no_table_gives_anything_but_topics_or_one_of_our_errors(rows: list[dict[str, Any]], columns: str) -> None:
    try:
        topics = outputs.from_rows(enumerate(rows), columns)
    except PyramidionError:
        return
    assert all(topic.references for topic in topics)


def test_lines_of_files_belong_together(tmp_path: Path) -> None:
    (tmp_path / "ref.txt").write_text("The dam broke.\nPrices rose.\n")
    (tmp_path / "a.txt").write_text("A dam broke.\nPrices fell.\n")
    (tmp_path / "b.txt").write_text("One line.\n")
    topics = pm.read(tmp_path / "ref.txt", outputs=str(tmp_path / "a.txt"))
    assert shape(topics) == [
        ("1", ["The dam broke."], {"a": "A dam broke."}),
        ("2", ["Prices rose."], {"a": "Prices fell."}),
    ]
    with pytest.raises(FormatError, match="has 1 lines, but"):
        pm.read(tmp_path / "ref.txt", outputs=str(tmp_path / "b.txt"))
    with pytest.raises(FormatError, match="no outputs are named"):
        pm.read(tmp_path / "ref.txt", format="line-aligned")
