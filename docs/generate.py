"""Write the generated parts of the documentation: the command-line reference, the API list, and the outputs shown.

    python docs/generate.py            (or: make docs)

``tests/test_docs.py`` fails when what is written differs from what this would write.
"""

from __future__ import annotations

import importlib
import inspect
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from pyramidion.formats import native

DOCS = Path(__file__).parent
ROOT = DOCS.parent
SHOWING_OUTPUT = (
    ROOT / "README.md",
    DOCS / "formats.md",
    DOCS / "feedback.md",
    DOCS / "language.md",
    DOCS / "graphs.md",
    DOCS / "methods.md",
    DOCS / "crowd.md",
    DOCS / "crowd-planning.md",
    DOCS / "crowd-pages.md",
    DOCS / "crowd-selecting.md",
    DOCS / "crowd-judging.md",
)
PUBLIC_MODULES = (
    "pyramidion",
    "pyramidion.score",
    "pyramidion.build",
    "pyramidion.build.graph",
    "pyramidion.build.cliques",
    "pyramidion.build.edua",
    "pyramidion.build.edua_c",
    "pyramidion.build.edua_g",
    "pyramidion.build.edua_p",
    "pyramidion.build.packing",
    "pyramidion.build.prepared",
    "pyramidion.build.assemble",
    "pyramidion.build.alignment",
    "pyramidion.build.extractive",
    "pyramidion.build.oracle",
    "pyramidion.build.program",
    "pyramidion.match",
    "pyramidion.match.entails",
    "pyramidion.match.soft",
    "pyramidion.match.wmin",
    "pyramidion.match.mwis",
    "pyramidion.match.independent_set",
    "pyramidion.match.thresholds",
    "pyramidion.match.expressions",
    "pyramidion.match.edu",
    "pyramidion.match.knapsack",
    "pyramidion.methods",
    "pyramidion.parts",
    "pyramidion.formats",
    "pyramidion.formats.score_tables",
    "pyramidion.stats.agreement",
    "pyramidion.stats.anova",
    "pyramidion.stats.bootstrap",
    "pyramidion.stats.correlation",
    "pyramidion.stats.distances",
    "pyramidion.stats.stability",
    "pyramidion.stats.cross_validation",
    "pyramidion.studies.evaluate.study",
    "pyramidion.studies.agree.study",
    "pyramidion.studies.scores.human",
    "pyramidion.studies.tune.cells",
    "pyramidion.studies.tune.grid",
    "pyramidion.studies.measure.study",
    "pyramidion.studies.tune.study",
    "pyramidion.studies.stability.study",
    "pyramidion.studies.checkup",
    "pyramidion.studies.bench.corpus",
    "pyramidion.studies.bench.language",
    "pyramidion.studies.bench.realsumm",
    "pyramidion.studies.bench.sts",
    "pyramidion.language",
    "pyramidion.language.parse.analysers",
    "pyramidion.language.parse.basic_elements",
    "pyramidion.language.parse.clauses",
    "pyramidion.language.parse.conllu",
    "pyramidion.language.parse.conllu_file",
    "pyramidion.language.parse.discourse",
    "pyramidion.language.parse.edus",
    "pyramidion.language.text.english",
    "pyramidion.language.text.identify",
    "pyramidion.language.models.installed",
    "pyramidion.language.text.lemmas",
    "pyramidion.language.parse.minilm",
    "pyramidion.language.parse.pieces",
    "pyramidion.language.text.porter",
    "pyramidion.language.parse.segmented",
    "pyramidion.language.text.sentences",
    "pyramidion.language.parse.spacy",
    "pyramidion.language.parse.tree",
    "pyramidion.language.vectors",
    "pyramidion.language.vectors.cache",
    "pyramidion.language.vectors.minilm",
    "pyramidion.language.vectors.sentence_transformers",
    "pyramidion.language.vectors.sif",
    "pyramidion.language.vectors.static",
    "pyramidion.language.vectors.word_files",
    "pyramidion.language.vectors.wtmf",
    "pyramidion.language.models.weights",
    "pyramidion.language.text.words",
    "pyramidion.metrics",
    "pyramidion.metrics.basic_elements",
    "pyramidion.metrics.lexical_pyramid",
    "pyramidion.metrics.rouge",
    "pyramidion.studies.tune.plot",
    "pyramidion.studies.evaluate.tables",
    "pyramidion.explain",
    "pyramidion.report.feedback",
    "pyramidion.report.gradebook",
    "pyramidion.report.html",
    "pyramidion.studies.stability.plot",
    "pyramidion.studies.measure.tables",
    "pyramidion.report.page",
    "pyramidion.io.pictures",
    "pyramidion.studies.bench.plot",
    "pyramidion.report.page.data",
    "pyramidion.io.tables",
    "pyramidion.reading",
    "pyramidion.registry",
    "pyramidion.io.standalone",
    "pyramidion.highs",
    "pyramidion.studies.bench.annotations",
    "pyramidion.studies.bench.columns",
    "pyramidion.studies.bench.folds",
    "pyramidion.studies.bench.judgements",
    "pyramidion.studies.bench.leaderboard",
    "pyramidion.studies.bench.matching",
    "pyramidion.studies.bench.minimal.damage",
    "pyramidion.studies.bench.minimal.sets",
    "pyramidion.studies.bench.minimal.study",
    "pyramidion.studies.bench.minimal.tables",
    "pyramidion.build.lite",
    "pyramidion.build.llm",
    "pyramidion.build.peak",
    "pyramidion.studies.lite",
    "pyramidion.language.graphs.amrlib",
    "pyramidion.language.text.number_words",
    "pyramidion.language.text.word_forms",
    "pyramidion.language.llm.answer_cache",
    "pyramidion.language.llm.chat",
    "pyramidion.language.graphs.depgraph",
    "pyramidion.language.llm.endpoint",
    "pyramidion.language.judges.entailment",
    "pyramidion.language.judges.entailment_network",
    "pyramidion.language.models.graph_session",
    "pyramidion.language.graphs.sources",
    "pyramidion.language.graphs.meaning",
    "pyramidion.language.llm.parallel",
    "pyramidion.language.graphs.penman_alignments",
    "pyramidion.language.graphs.penman_file",
    "pyramidion.language.graphs.penman_text",
    "pyramidion.language.graphs.penman_tree",
    "pyramidion.language.graphs.penman_writing",
    "pyramidion.language.parse.propositions",
    "pyramidion.language.llm.purse",
    "pyramidion.language.text.quotes",
    "pyramidion.language.judges.reader",
    "pyramidion.match.ape",
    "pyramidion.match.features",
    "pyramidion.match.harnly",
    "pyramidion.match.judged",
    "pyramidion.match.learned",
    "pyramidion.match.llm",
    "pyramidion.match.nli",
    "pyramidion.match.passonneau",
    "pyramidion.match.peak",
    "pyramidion.match.reader",
    "pyramidion.match.sequences",
    "pyramidion.match.triples",
    "pyramidion.match.unigram",
    "pyramidion.match.vocabulary",
    "pyramidion.studies.ablate.tables",
    "pyramidion.studies.agree.tables",
    "pyramidion.studies.combine.plot",
    "pyramidion.studies.combine.tables",
    "pyramidion.studies.compare.tables",
    "pyramidion.studies.compare.plot",
    "pyramidion.studies.correlate.tables",
    "pyramidion.studies.stability.result",
    "pyramidion.studies.ablate.study",
    "pyramidion.studies.ask",
    "pyramidion.studies.combine.study",
    "pyramidion.studies.compare.study",
    "pyramidion.studies.correlate.study",
    "pyramidion.studies.scores.columns",
    "pyramidion.studies.scores.systems",
    "pyramidion.stats.combination",
    "pyramidion.stats.corrections",
    "pyramidion.stats.correlation_tests",
    "pyramidion.stats.effects",
    "pyramidion.stats.letters",
    "pyramidion.stats.levels",
    "pyramidion.stats.metric_accuracy",
    "pyramidion.stats.paired",
    "pyramidion.stats.power",
    "pyramidion.stats.scu_tests",
    "pyramidion.stats.tukey",
    "pyramidion.crowd.answers.cells",
    "pyramidion.crowd.answers.collect",
    "pyramidion.crowd.answers.fitting",
    "pyramidion.crowd.answers.litepyramids",
    "pyramidion.crowd.answers.mturk",
    "pyramidion.crowd.answers.page_answers",
    "pyramidion.crowd.answers.progress",
    "pyramidion.crowd.answers.prolific",
    "pyramidion.crowd.answers.qapyramid",
    "pyramidion.crowd.answers.sheets",
    "pyramidion.crowd.answers.store",
    "pyramidion.crowd.answers.submission",
    "pyramidion.crowd.answers.times",
    "pyramidion.crowd.assignment",
    "pyramidion.crowd.checks",
    "pyramidion.crowd.cost",
    "pyramidion.crowd.design",
    "pyramidion.crowd.desk",
    "pyramidion.crowd.hosts",
    "pyramidion.crowd.judging.aggregate",
    "pyramidion.crowd.judging.agreement",
    "pyramidion.crowd.judging.dawid_skene",
    "pyramidion.crowd.judging.filtering",
    "pyramidion.crowd.judging.mace",
    "pyramidion.crowd.judging.topic_agreement",
    "pyramidion.crowd.judging.voters",
    "pyramidion.crowd.judging.votes",
    "pyramidion.crowd.judging.workers",
    "pyramidion.crowd.page",
    "pyramidion.crowd.page.mturk",
    "pyramidion.crowd.page.task",
    "pyramidion.crowd.pages",
    "pyramidion.crowd.panel",
    "pyramidion.crowd.plan",
    "pyramidion.crowd.rehearsal",
    "pyramidion.crowd.scores.cheapest",
    "pyramidion.crowd.scores.curves",
    "pyramidion.crowd.scores.layout",
    "pyramidion.crowd.scores.pyramids",
    "pyramidion.crowd.scores.resampling",
    "pyramidion.crowd.scores.scoring",
    "pyramidion.crowd.server",
    "pyramidion.crowd.statements.drafts",
    "pyramidion.crowd.statements.duplicates",
    "pyramidion.crowd.statements.merging",
    "pyramidion.crowd.statements.review",
    "pyramidion.crowd.statements.select",
    "pyramidion.crowd.study",
    "pyramidion.crowd.tickets",
    "pyramidion.studies.crowd.tables",
    "pyramidion.report.crowd_page",
    "pyramidion.studies.crowd.plot",
    "pyramidion.studies.crowd.workers_table",
)


def run(command: str, folder: Path) -> str:
    """What a shell prints for a command, with this environment's ``pyramidion``."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "COLUMNS": "100", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.stdout


def with_outputs(text: str) -> str:
    """A page with every command of its ``console`` blocks followed by what it prints, all run in one folder."""
    with tempfile.TemporaryDirectory() as folder:

        def block(found: re.Match[str]) -> str:
            commands = re.findall(r"^\$ (.*)$", found[1], re.MULTILINE)
            return (
                "```console\n" + "".join(f"$ {command}\n{run(command, Path(folder))}" for command in commands) + "```"
            )

        return re.sub(r"```console\n(.*?)```", block, text, flags=re.DOTALL)


def commands() -> dict[str, Any]:
    """Every command by its words, those of groups included."""
    from typer.main import get_command

    from pyramidion.cli import app

    found: dict[str, Any] = {}
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        inner = getattr(command, "commands", {})
        found |= {f"{name} {one}": below for one, below in inner.items()} or {name: command}
    return found


def command_line() -> str:
    """The reference of every command, as its ``--help`` prints it."""
    names = sorted(commands())
    pages = ["# The command line\n\nGenerated by `make docs` from `--help`.\n"]
    for name in ("", *names):
        shown = f"pyramidion {name}".strip()
        pages.append(f"## `{shown}`\n\n```text\n{run(f'{shown} --help', DOCS)}```\n")
    return "\n".join(pages)


def first_line(thing: object) -> str:
    """The first sentence of a docstring, on one line."""
    return " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())


def public_names(module: str) -> dict[str, object]:
    """What a module exports, by name."""
    loaded = importlib.import_module(module)
    return {name: getattr(loaded, name) for name in loaded.__all__}


def documented(thing: object) -> bool:
    """Whether a thing has a docstring of its own: constants cannot, and a dataclass's generated one does not count."""
    if not (inspect.isclass(thing) or inspect.isroutine(thing)):
        return True
    own = inspect.getdoc(thing) or ""
    return bool(own) and not own.startswith(f"{thing.__name__}(")


def api() -> str:
    """The public names of every module, each with its first line."""
    pages = [
        "# The Python API\n\nGenerated by `make docs` from the docstrings; `help(NAME)` shows the whole of each.\n"
    ]
    for module in PUBLIC_MODULES:
        pages.append(f"## `{module}`\n\n{first_line(importlib.import_module(module))}\n")
        rows = []
        for name, thing in public_names(module).items():
            if inspect.isclass(thing) or inspect.isroutine(thing):
                rows.append(f"| `{name}` | {first_line(thing)} |".replace("\\|", "|"))
            else:
                rows.append(f"| `{name}` | a value: {type(thing).__name__} |")
        pages.append("| name | what it is |\n|---|---|\n" + "\n".join(rows) + "\n")
    return "\n".join(pages)


def schema() -> str:
    """The JSON Schema of our own format."""
    import json

    return json.dumps(native.schema(), indent=2) + "\n"


def pages() -> dict[Path, str]:
    """Every generated file and what should stand in it."""
    made = {DOCS / "cli.md": command_line(), DOCS / "api.md": api(), DOCS / "topic-1.schema.json": schema()}
    with ThreadPoolExecutor(os.cpu_count()) as threads:  # each waits for the commands that it runs
        shown = threads.map(lambda path: with_outputs(path.read_text(encoding="utf-8")), SHOWING_OUTPUT)
        return made | dict(zip(SHOWING_OUTPUT, shown, strict=True))


def main() -> None:
    """Write what changed."""
    for path, text in pages().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
