"""Make the lemma table: ``python train/lemmas.py ../shared/data/treebanks`` writes ``language/models/lemmas/``.

Base forms are the lemmas that the training treebanks have for verbs, nouns and adjectives; exceptions are the forms
whose most frequent lemma the rules do not give, in lower case where that settles it and as written where it does not.
Prints the accuracy on the development and test sets with gold tags. The same treebanks give the same bytes.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from pyramidion.language import conllu, lemmas
from pyramidion.language.analysis import Word

TRAIN = ("ewt-train", "gum-open-train")
KINDS = {"VERB": "verb", "AUX": "verb", "NOUN": "noun", "PROPN": "noun", "ADJ": "adjective", "ADV": "adjective"}
IRREGULAR = """
    arise arose arisen | awake awoke awoken | bear bore borne | beat beat beaten | bind bound bound | bite bit
    bitten | bleed bled bled | breed bred bred | burst burst burst | cling clung clung | creep crept crept | deal
    dealt dealt | dig dug dug | dwell dwelt dwelt | flee fled fled | fling flung flung | forbid forbade forbidden |
    foresee foresaw foreseen | forgive forgave forgiven | freeze froze frozen | grind ground ground | kneel knelt
    knelt | lean leant leant | leap leapt leapt | mow mowed mown | overcome overcame overcome | overthrow overthrew
    overthrown | ring rang rung | sew sewed sewn | shake shook shaken | shed shed shed | shine shone shone | shrink
    shrank shrunk | sing sang sung | sink sank sunk | slay slew slain | slide slid slid | sling slung slung | sow
    sowed sown | spin spun spun | spring sprang sprung | steal stole stolen | stick stuck stuck | sting stung stung
    | stink stank stunk | stride strode stridden | strive strove striven | swear swore sworn | sweep swept swept |
    swell swelled swollen | swim swam swum | swing swung swung | tear tore torn | thrust thrust thrust | tread trod
    trodden | undergo underwent undergone | undertake undertook undertaken | uphold upheld upheld | weave wove
    woven | weep wept wept | withdraw withdrew withdrawn | withstand withstood withstood | wring wrung wrung
"""
"""Irregular verbs of any grammar of English, for those that the treebanks happen not to have."""

TARGET = Path(__file__).parents[1] / "src" / "pyramidion" / "language" / "models" / "lemmas" / "lemmas.json.gz"


def main(folder: Path) -> None:
    """Make the table, write it, measure it."""
    words = [word for name in TRAIN for word in read(folder, name)]
    known = base_forms(words)
    exceptions = find_exceptions(words, known)
    raw = {"exceptions": exceptions, "known": {kind: sorted(forms) for kind, forms in sorted(known.items())}}
    text = json.dumps(raw, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    count = sum(map(len, exceptions.values()))
    print(
        f"{TARGET.name}: {TARGET.stat().st_size} bytes, {count} exceptions, {sum(map(len, known.values()))} base forms"
    )
    lemmas.load.cache_clear()
    seen = {(word.form.lower(), word.upos, word.xpos) for word in words}
    for name in ("ewt-dev", "gum-dev", "ewt-test", "gum-test"):
        measure(name, list(read(folder, name)), seen)


def read(folder: Path, name: str) -> Iterator[Word]:
    """The words of a treebank that have a lemma (parts of words that ``goeswith`` joins have none)."""
    with gzip.open(folder / f"{name}.conllu.gz", "rt", encoding="utf-8") as file:
        for analysis in conllu.loads(file.read(), name):
            yield from (word for word in analysis.words if word.lemma)


def base_forms(words: Iterable[Word]) -> dict[str, frozenset[str]]:
    """The lemmas of verbs, nouns and adjectives, in lower case."""
    found: dict[str, set[str]] = defaultdict(set)
    for word in words:
        if word.upos in KINDS and word.lemma.isalpha():
            found[KINDS[word.upos]].add(word.lemma.lower())
    return {kind: frozenset(forms) for kind, forms in found.items()}


def find_exceptions(words: Iterable[Word], known: dict[str, frozenset[str]]) -> dict[str, dict[str, str]]:
    """Tags -> form -> lemma, where the rules give another."""
    counts: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for word in words:
        if word.xpos not in ("GW", "ADD") and "@" not in word.lemma:  # parts of words, and addresses of people
            counts[f"{word.upos} {word.xpos}"][word.form][word.lemma] += 1
    for verb in IRREGULAR.split("|"):
        base, past, participle = verb.split()
        counts["VERB VBD"][past].setdefault(base, 1)
        counts["VERB VBN"][participle].setdefault(base, 1)
    exceptions: dict[str, dict[str, str]] = {}
    for tags, forms in sorted(counts.items()):
        upos, xpos = tags.split(" ")
        lower: dict[str, Counter[str]] = defaultdict(Counter)
        for form, found in forms.items():
            lower[form.lower()].update(found)
        table = {
            form: best
            for form, found in lower.items()
            if (best := top(found)) != lemmas.by_rule(form, upos, xpos, known)
        }
        if upos == "PROPN":  # a name's lemma has the case of the name: what one spelling has says nothing of another
            table = {}
        written = {
            form: top(found)
            for form, found in forms.items()
            if top(found) != (table.get(form.lower()) or lemmas.by_rule(form, upos, xpos, known))
        }
        if table or written:
            exceptions[tags] = dict(sorted((table | written).items()))
    return exceptions


def top(found: Counter[str]) -> str:
    """The most frequent, the first of the alphabet among equals."""
    return min(found, key=lambda lemma: (-found[lemma], lemma))


def measure(name: str, words: list[Word], seen: set[tuple[str, str, str]]) -> None:
    """Print the accuracy with gold tags: of all words, and of those seen in training or not."""
    right: Counter[bool] = Counter()
    total: Counter[bool] = Counter()
    for word in words:
        known = (word.form.lower(), word.upos, word.xpos) in seen
        total[known] += 1
        right[known] += lemmas.lemma(word.form, word.upos, word.xpos) == word.lemma
    print(
        f"{name}: {sum(right.values()) / sum(total.values()):.2%} of {sum(total.values())}; "
        f"seen {right[True] / total[True]:.2%} of {total[True]}; "
        f"unseen {right[False] / total[False]:.2%} of {total[False]}"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
