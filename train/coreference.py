"""How well pronouns are resolved, and what speaks for a candidate: measures and fits the rules of coreference.

    python train/coreference.py TREEBANK.conllu.gz [--fit 3]

The treebank is UD English GUM, whose MISC column carries the entities (``Entity=``); of it the written, edited genres
(:data:`GENRES`), gold trees. A pronoun counts as resolved rightly if a mention of the entity that annotators gave it
is in what is written for it. Printed: how many pronouns refer to something before them, how many are resolved, and how
many of these rightly. ``--fit`` maximises the likelihood of the right mentions and prints the weights, for
``PREFERENCE``; several rounds, since a pronoun that is resolved is a mention for the next.
"""

from __future__ import annotations

import argparse
import gzip
import re
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from pyramidion.language.parse import conllu, coreference
from pyramidion.language.parse.analysis import ROOT, Analysis

PERSONAL = {"it", "its", "he", "him", "his", "she", "her", "they", "them", "their"}
GENRES = ("news", "bio", "voyage", "academic", "textbook", "essay", "whow", "letter")


def documents(path: Path) -> list[tuple[Analysis, dict[int, str], set[int]]]:
    """Each document's gold analysis, the entity of each mention's head, and the pronouns that corefer."""
    text = gzip.decompress(path.read_bytes()).decode()
    found = []
    for part in re.split(r"(?m)^(?=# newdoc id)", text):
        genre = re.search(r"# newdoc id = GUM_([a-z]+)_", part)
        if "Entity=" not in part or not genre or genre[1] not in GENRES:
            continue
        analysis = conllu.loads(part)[0]
        rows = [line.split("\t") for line in part.splitlines() if re.match(r"\d+\t", line)]
        open_now: list[tuple[str, int]] = []
        heads: dict[int, tuple[int, str]] = {}
        for place, row in enumerate(rows):
            entity = dict(pair.partition("=")[::2] for pair in row[9].split("|")).get("Entity", "")
            for mark in re.findall(r"\([^()]+\)?|[^()]+\)", entity):
                if mark.startswith("("):
                    open_now.append((mark[1:].rstrip(")").split("-")[0], place))
                if mark.endswith(")"):
                    group = mark.strip("()").split("-")[0]
                    at = max(n for n, (name, _) in enumerate(open_now) if name == group)
                    name, start = open_now.pop(at)
                    inside = range(start, place + 1)
                    tops = [w for w in inside if analysis.words[w].head not in inside or analysis.words[w].head == ROOT]
                    if tops and (tops[0] not in heads or heads[tops[0]][0] < len(inside)):
                        heads[tops[0]] = (len(inside), name)
        groups = {head: name for head, (_, name) in heads.items()}
        pronouns = {w for w in groups if analysis.words[w].form.lower() in PERSONAL}
        pronouns = {w for w in pronouns if any(groups[v] == groups[w] for v in groups if v < w)}
        found.append((analysis, groups, pronouns))
    return found


def measured(found: list[tuple[Analysis, dict[int, str], set[int]]]) -> tuple[int, int, int]:
    """How many pronouns there are, are resolved, and rightly."""
    total = done = right = 0
    for analysis, groups, pronouns in found:
        instead = coreference.resolved(analysis)
        total += len(pronouns)
        for pronoun in pronouns:
            words = instead[pronoun].words if pronoun in instead else None
            if words:
                done += 1
                right += any(groups.get(word) == groups[pronoun] for word in words if isinstance(word, int))
    return total, done, right


class _Listening(coreference._Resolver):
    """Resolves with the gold entities at hand, and notes what speaks for each mention and which are right."""

    def __init__(self, analysis: Analysis, groups: dict[int, str], pronouns: set[int]) -> None:
        super().__init__(analysis)
        self.groups, self.pronouns = groups, pronouns
        self.examples: list[tuple[list[list[str]], list[bool]]] = []

    def pronoun(self, word: int, sentence: int) -> None:
        kind = coreference._PRONOUNS.get(self.lower(word))
        if kind and word in self.pronouns:
            heard = self.candidates(word, sentence, kind)
            right = [self.groups.get(m.head) == self.groups[word] for m in heard]
            if any(right):
                self.examples.append(([list(self.speaking_for(word, m, sentence, heard)) for m in heard], right))
        super().pronoun(word, sentence)


def fitted(found: list[tuple[Analysis, dict[int, str], set[int]]]) -> dict[str, float]:
    """The weights of highest likelihood, with a penalty on their squares."""
    names = list(coreference.PREFERENCE)
    rows, owner, right = [], [], []
    number = 0
    for analysis, groups, pronouns in found:
        listening = _Listening(analysis, groups, pronouns)
        listening.resolved()
        for speaking, gold in listening.examples:
            rows += [[name in one for name in names] for one in speaking]
            owner += [number] * len(gold)
            right += gold
            number += 1
    f, of, gold = np.array(rows, float), np.array(owner), np.array(right)

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        e = np.exp(f @ w)
        everything, good = np.bincount(of, e, number), np.bincount(of, e * gold, number)
        slope = f.T @ (e / everything[of] - e * gold / good[of])
        return float(np.log(everything / good).sum() + 0.5 * w @ w), slope + w

    w = minimize(loss, np.array(list(coreference.PREFERENCE.values())), jac=True, method="L-BFGS-B").x
    return {name: round(float(value), 2) for name, value in zip(names, w, strict=True)}


def main() -> None:
    """Measure, and fit if asked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("treebank", type=Path)
    parser.add_argument("--fit", type=int, default=0, metavar="ROUNDS")
    asked = parser.parse_args()
    found = documents(asked.treebank)
    for number in range(asked.fit + 1):
        if number:
            coreference.PREFERENCE.update(fitted(found))
        total, done, right = measured(found)
        print(f"{total} pronouns, {done} resolved, {right} rightly: {right / max(1, done):.3f}", flush=True)
    if asked.fit:
        print(coreference.PREFERENCE)


if __name__ == "__main__":
    main()
