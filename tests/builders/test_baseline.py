"""The searches on the synthetic graphs whose optimum is known (``bench/edua.py`` measures all of them)."""

import csv
import gzip
import json
from itertools import count
from pathlib import Path

import pytest

from pyramidion.builders.cliques import candidates
from pyramidion.builders.edua_c import solve_c
from pyramidion.builders.edua_g import solve_g
from pyramidion.builders.edua_p import gain, solve_p
from pyramidion.builders.graph import SegmentGraph
from tests.builders.graphs import violations

pytestmark = pytest.mark.data


@pytest.mark.parametrize("name", ["synth-n4-s8", "synth-n4-s30", "synth-n5-s12", "synth-n6-s10", "synth-n6-s15"])
def test_sizes_and_optimum_are_the_tables(data: Path, name: str) -> None:
    references = json.loads(gzip.decompress((data / "edua" / f"{name}.json.gz").read_bytes()))["references"]
    number = count()
    layout = [[[[next(number) for _ in s] for s in kinds] for kinds in sentences] for sentences in references]
    vectors = [one["vector"] for sentences in references for kinds in sentences for s in kinds for one in s]
    with (data / "edua" / "baseline.csv").open(encoding="utf-8", newline="") as file:
        row = next(row for row in csv.DictReader(file) if row["input"] == name)
    graph = SegmentGraph.of(layout, vectors)
    found = candidates(graph)
    assert (graph.size, graph.edges.sum() // 2, len(found)) == tuple(
        int(row[column]) for column in ("segments", "edges", "cliques")
    )
    best, greedy, packed = solve_c(graph, found), solve_g(graph, found), solve_p(graph, found)
    assert f"{best.objective:.4f}" == f"{float(row['optimum_AP_ge2']):.4f}"
    assert best.proved
    assert packed.proved
    assert greedy.objective <= best.objective
    assert packed.objective >= gain(graph, greedy.scus)
    for solution in (best, greedy, packed):
        assert violations(graph, solution) == []
