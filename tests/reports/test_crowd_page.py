"""The page of a crowd evaluation: what it shows, that texts are never run, and what it says of simulations."""

from __future__ import annotations

import re

from pyramidion.crowd.judging.judgements import Judgements
from pyramidion.crowd.judging.votes import Votes
from pyramidion.crowd.results.scores import crowd_scores
from pyramidion.reports.crowd_page import crowd_html
from tests.crowd.ballots import votes

HOSTILE = '<script>alert(1)</script>"&'


def html(given: Votes, *, simulated: bool = False) -> str:
    return crowd_html(crowd_scores(Judgements(given, simulated=simulated), samples=20))


def test_every_statement_has_its_votes_on_every_summary() -> None:
    shown = html(votes({("lake", "good"): ["ppn", "ppn", "pnn"], ("lake", "poor"): ["nnn", "nnp", "nnn"]}))
    cells = re.findall(r'<td class="s(\d)">(\d/\d)(<span class="dot")?', shown)
    assert cells == [
        ("5", "3/3", '<span class="dot"'),
        ("0", "0/3", ""),
        ("3", "2/3", '<span class="dot"'),
        ("0", "0/3", ""),
        ("0", "0/3", ""),
        ("2", "1/3", ""),
    ]
    assert re.findall(r'<td class="number">(0\.\d{3})</td>', shown.partition("<tfoot>")[2])[:2] == ["0.667", "0.000"]


def test_what_nobody_was_asked_is_empty_and_who_was_dropped_is_told() -> None:
    given = votes({("t", "a"): ["pppp", "pppp", "pppp", "nnnn"], ("t", "b"): ["pp", "pp", "pp", "nn"]})
    shown = html(given)
    assert shown.count("not asked") == 2
    assert "Left out for their agreement: w3 (0.00)" in shown
    assert "disagrees" in shown


def test_workers_are_counted_who_count_and_have_a_name() -> None:
    answers = {("t", "a"): ["pppp", "pppp", "nnnn"], ("t", "b"): ["pp", "pp", "nn"]}
    assert re.findall(r"<b class=\"number\">(\d+)</b> (\w+)", html(votes(answers)))[-2:] == [
        ("4", "submissions"),
        ("2", "workers"),
    ]
    nameless = html(votes(answers, named=False))
    assert re.findall(r"<b class=\"number\">(\d+)</b> (\w+)", nameless)[-1] == ("6", "submissions")


def test_texts_and_names_are_shown_and_never_run() -> None:
    shown = html(votes({(HOSTILE, HOSTILE): ["pn", "pn"]}))
    assert "<script>" not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown


def test_simulated_answers_are_called_so_and_the_same_votes_give_the_same_bytes() -> None:
    given = votes({("t", "a"): ["pn", "pp"]})
    assert "no data" not in html(given)
    assert "no data" in html(given, simulated=True)
    assert html(given) == html(given)
