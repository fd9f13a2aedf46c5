"""Extractive references of topics of TAC's size: seconds to a proved optimum, and how they grow with the sources.

    python bench/extractive.py [FOLDER] [--edus 100 200 400 800 1600] [--topics 3] [--json]

The folder (default: ``../shared/data/realsumm`` beside the repository) has ``documents.txt`` and ``references.txt``,
one a line. A topic has ten documents, cut to about 40 EDUs each (fewer where 100 or 200 are asked for; more documents,
where more), and four references of about 100 words: sentences of the references of its first documents, each in two of
the four. Seconds are for all four programs of a topic, from analysed texts on: the best of
three, since the machine does other things too. The analysis, which all variants share, is timed apart, on one topic.
"""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import mean

from measuring import DATA, Row, command_line, show, timed

from pyramidion.builders.extractive import Extract, by_alignment, by_basic_elements, by_rouge, extracts
from pyramidion.language.parse.analysers import analyse, unicode_analysis
from pyramidion.language.parse.discourse import units, words_of
from pyramidion.model import Source, Summary, Topic

FOLDER = DATA / "realsumm"
VARIANTS: dict[str, Callable[[], Extract]] = {
    "edu-align": by_alignment,
    "edu-oracle-rouge": by_rouge,
    "edu-oracle-rouge(n=1)": lambda: by_rouge(1),
    "edu-oracle-be": by_basic_elements,
}
WORDS_PER_EDU = 6.6
EDUS_PER_DOCUMENT = 40
DOCUMENTS, REFERENCES, WORDS = 10, 4, 100


def opening(document: str, edus: int) -> str:
    """The first sentences of a document, with about so many EDUs."""
    analysis, length = unicode_analysis(document), 0
    for first, last in analysis.sentences:
        length += sum(word.form.isalnum() for word in analysis.words[first:last])
        if length >= edus * WORDS_PER_EDU:
            return document[: analysis.words[last - 1].end]
    return document


def topic(documents: list[str], references: list[list[str]], edus: int, first: int) -> Topic:
    per_document = min(EDUS_PER_DOCUMENT, edus // DOCUMENTS)
    chosen = [(first + number) % len(documents) for number in range(edus // per_document)]
    pool: list[str] = []
    for sentence in (sentence for one in chosen[:DOCUMENTS] for sentence in references[one]):
        if sum(len(words_of(one)) for one in pool) < 2 * WORDS:
            pool.append(sentence)
    texts = []
    for number in range(REFERENCES):
        text = ""
        for sentence in pool[number::REFERENCES] + pool[(number + 1) % REFERENCES :: REFERENCES]:
            if len(words_of(text)) + len(words_of(sentence)) <= WORDS:
                text += sentence + "\n"
        texts.append(text)
    return Topic(
        f"{edus}-{first}",
        tuple(Summary("ABCD"[number], text) for number, text in enumerate(texts)),
        sources=tuple(Source(str(one), opening(documents[one], per_document)) for one in chosen),
    )


def measured(folder: Path, sizes: list[int], topics: int) -> Iterator[Row]:
    documents = (folder / "documents.txt").read_text(encoding="utf-8").splitlines()
    lines = (folder / "references.txt").read_text(encoding="utf-8").splitlines()
    references = [[one.strip() for one in re.findall(r"<t>(.*?)</t>", line)] for line in lines]
    for size in sizes:
        made = [topic(documents, references, size, 20 * number) for number in range(topics)]
        sources = made[0].sources
        analysis, _ = timed(lambda sources=sources: [analyse(one.text) for one in sources], clock=time.perf_counter)
        edus = [sum(len(units(source.text)) for source in one.sources) for one in made]
        for variant, extract in VARIANTS.items():
            seconds, proved, weights = [], [], []
            for one in made:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    took, found = timed(lambda one=one, extract=extract: extracts(one, extract()), 3, time.perf_counter)
                seconds.append(took)
                proved.append(all(each.choice.proved for each in found))
                weights.append(sum(len(each.edus) for each in found))
            yield {
                "variant": variant,
                "edus": round(mean(edus)),
                "topics": topics,
                "words": round(mean(sum(len(words_of(source.text)) for source in one.sources) for one in made)),
                "reference_words": round(mean(len(words_of(r.text)) for one in made for r in one.references)),
                "seconds": round(mean(seconds), 3),
                "slowest": round(max(seconds), 3),
                "proved": all(proved),
                "edus_in_extracts": round(mean(weights), 1),
                "analysis_seconds": round(analysis, 1),
            }


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--edus", nargs="+", type=int, default=[100, 200, 400, 800, 1600], metavar="N")
    parser.add_argument("--topics", type=int, default=3)
    arguments = parser.parse_args()
    rows = list(measured(arguments.folder, arguments.edus, arguments.topics))
    show({"Extractive references, seconds of a topic": rows}, arguments.json)


if __name__ == "__main__":
    main()
