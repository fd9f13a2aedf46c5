"""Options and printing that several commands share."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, get_args, get_type_hints

import msgspec
import typer

from pyramidion.base.files import check_not_among as check_not_among
from pyramidion.base.files import decode, is_open_already, read_bytes, writable
from pyramidion.base.names import clean
from pyramidion.base.tables import TableFormat
from pyramidion.base.tables import plural as plural
from pyramidion.errors import PyramidionError, Where
from pyramidion.formats import Options, score_tables
from pyramidion.formats.read import READING, Markup, Reading
from pyramidion.language.parse.analysis import LanguageError
from pyramidion.methods import Method, say_if_ignored
from pyramidion.model import Topic
from pyramidion.notes import note
from pyramidion.scoring import DEFAULT, LIKE, Average, Mean, Presence, Settings, Weights

if TYPE_CHECKING:
    from pyramidion.analyses.scores.table import ScoreTable

is_score_table = score_tables.is_table

HostOption = Annotated[str, typer.Option("--host", help="The address to listen on. 0.0.0.0 serves the whole network.")]
PortOption = Annotated[
    int, typer.Option("--port", min=0, max=65535, help="The port to listen on. 0 takes any free port.")
]
AllowHostOption = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-host",
        metavar="NAME",
        help="A host name of this server, such as that of a web server in front of it. Repeatable.",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
AsTable = Annotated[TableFormat, typer.Option("--format", help="How to print tables.")]
AverageOption = Annotated[
    Average,
    typer.Option(
        "--average",
        help="The mean number of content units (SCUs) per reference: exact, rounded down (floor, as DUCView), rounded "
        "up (ceil, as SacreROUGE) or to the nearest integer (round).",
    ),
]
CapOption = Annotated[
    bool, typer.Option("--cap/--no-cap", help="Count coverage above 1 as 1, as DUCView 1.5 and PyrEval do.")
]
MeanOption = Annotated[
    Mean, typer.Option("--mean", help="The mean of quality and coverage that gives the comprehensive score.")
]
WeightsOption = Annotated[
    Weights,
    typer.Option(
        "--weights",
        help="Weight of a content unit (SCU): the number of references that express it, or of all its contributors "
        "(DUCView).",
    ),
]
PresenceOption = Annotated[
    Presence,
    typer.Option(
        "--presence",
        help="If a judge gives probabilities: sum them (expected), or count the matched content units (counted).",
    ),
]
MethodOption = Annotated[
    str,
    typer.Option(
        "--method",
        help="How to find content units in the references (build a pyramid) and in the summaries to score (match the "
        "peers). 'pyramidion methods' lists the methods.",
    ),
]
MatcherOption = Annotated[
    str,
    typer.Option(
        "--matcher", help="The matcher, with its parameters in brackets. 'pyramidion methods' lists the matchers."
    ),
]
LikeOption = Annotated[
    Literal["ducview"] | None,
    typer.Option(
        "--like",
        help="Use the settings of another tool: ducview (1.5) is --average floor --cap --mean harmonic --weights "
        "contributors --presence counted.",
        show_default=False,
    ),
]
CalibrateOption = Annotated[
    Path | None,
    typer.Option(
        "--calibrate",
        metavar="LABELS",
        readable=False,
        help="Calibrate the judge's probabilities on human annotations of some peers: a corpus, a .pan file or a JSON "
        "file that includes the pyramid. The signature shows the fitted slope and shift.",
        show_default=False,
    ),
]
LanguageOption = Annotated[
    Literal["any"] | None,
    typer.Option(
        "--language",
        help="any: score texts in every language, even if the method was made for English. Without this option, a "
        "method for English refuses texts in other languages.",
        show_default=False,
    ),
]
SamplesOption = Annotated[
    int,
    typer.Option(
        "--samples", metavar="N", min=100, max=1_000_000, help="Number of random draws for tests and intervals."
    ),
]
SeedOption = Annotated[int, typer.Option("--seed", metavar="S", min=0, help="The seed of the random draws.")]
CorpusArgument = Annotated[
    Path,
    typer.Argument(
        readable=False,
        help="A corpus, as a folder or a file: references and the summaries to score (peers), by topic. See "
        "docs/formats.md.",
    ),
]
HumanOption = Annotated[
    Path | None,
    typer.Option(
        "--human",
        metavar="SCORES.csv",
        help="A table of human scores with one row per peer. Without it, the human score is the coverage of the "
        "corpus's own annotations.",
    ),
]
ColumnOption = Annotated[str, typer.Option("--column", help="The column of human scores in the table.")]
DocumentsOption = Annotated[
    int | None,
    typer.Option("--documents", min=1, metavar="N", help="Use only the first N topics.", show_default=False),
]
LevelOption = Annotated[
    Literal["global", "summary", "system"],
    typer.Option(
        "--level",
        help="Correlate over all summaries (global), within each topic (summary), or over the systems' means (system).",
    ),
]
ByOption = Annotated[
    Literal["pearson", "spearman", "kendall"],
    typer.Option("--by", help="The correlation coefficient to choose or sort by."),
]
JackknifeOption = Annotated[
    bool,
    typer.Option("--jackknife", help="Score with each reference left out in turn, and score the references too (TAC)."),
]
CorrectionsOption = Annotated[
    Path | None,
    typer.Option(
        "--corrections",
        metavar="FILE",
        readable=False,
        help="Apply corrections before scoring: a file that was saved in the report of the same evaluation.",
        show_default=False,
    ),
]
ExplainOption = Annotated[
    bool,
    typer.Option(
        "--explain",
        help="Show which content units (SCUs) each summary expresses, in which words, and which ones it misses.",
    ),
]
FromOption = Annotated[
    str,
    typer.Option(
        "--from", metavar="FORMAT", help="The format of the input. By default it is recognised from the content."
    ),
]
OptionOption = Annotated[
    list[str] | None,
    typer.Option(
        "--option", metavar="NAME=VALUE", help="An option of the input format, such as header=REGEX. Repeatable."
    ),
]
ToOption = Annotated[
    str, typer.Option("--to", metavar="FORMAT", help="The format of the output, if the file name does not show it.")
]


JobsOption = Annotated[
    int,
    typer.Option(
        "--jobs",
        metavar="N",
        min=1,
        help="The number of processes that match summaries, each with its own copy of the models. The result does not "
        "depend on it.",
    ),
]


MarkupOption = Annotated[
    Markup,
    typer.Option(
        "--markup", help="Sentence tags <t> ... </t> in texts: remove them (off) or score them as text (keep)."
    ),
]
StrictOption = Annotated[
    bool, typer.Option("--strict", help="Stop if a folder holds files that are not used, instead of only listing them.")
]


ColumnsOption = Annotated[
    str,
    typer.Option(
        "--columns",
        metavar="KIND=COLUMN,...",
        help="What the columns of a table hold, if their names do not show it. The kinds are reference, output, "
        "system, topic, source and number.",
    ),
]
ReferencesOption = Annotated[
    str,
    typer.Option(
        "--references", metavar="PATTERN", help="Which files are reference summaries, if their names do not show it."
    ),
]
PeersOption = Annotated[
    str,
    typer.Option(
        "--peers", metavar="PATTERN", help="Which files are summaries to score (peers), if their names do not show it."
    ),
]
OutputsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--outputs",
        "-i",
        metavar="FILE",
        help="A file with the outputs of one system; line n belongs to line n of the references. Repeatable.",
    ),
]


class Bundle(NamedTuple):
    """Options that together make one value; a parameter with the name of that value stands for all of them."""

    options: dict[str, tuple[Any, Any]]
    """The annotation and the default of each option, by parameter name."""
    value: Callable[..., Any]
    """A function that takes the context and the options, in the order above, and returns the value."""


BUNDLES = {
    "reading": Bundle(
        {
            "reading_format": (FromOption, ""),
            "reading_options": (OptionOption, None),
            "reading_markup": (MarkupOption, READING.markup),
            "reading_strict": (StrictOption, READING.strict),
            "reading_columns": (ColumnsOption, ""),
            "reading_references": (ReferencesOption, ""),
            "reading_peers": (PeersOption, ""),
            "reading_outputs": (OutputsOption, None),
        },
        lambda context, *chosen: chosen_reading(*chosen),
    ),
    "settings": Bundle(
        {
            "like": (LikeOption, None),
            "average": (AverageOption, DEFAULT.average),
            "cap": (CapOption, DEFAULT.cap),
            "mean": (MeanOption, DEFAULT.mean),
            "weights": (WeightsOption, DEFAULT.weights),
            "presence": (PresenceOption, DEFAULT.presence),
        },
        lambda context, *chosen: chosen_settings(context, *chosen),
    ),
}
"""Options that every command declares in the same way: how inputs are read and how summaries are scored."""


def with_bundles(command: Callable[..., Any]) -> Callable[..., Any]:
    """Replace a command's parameters ``reading`` and ``settings`` by the options of these :data:`BUNDLES`.

    If ``settings`` has a default of its own, the defaults of its options are taken from it. If the command itself has
    an option of the same name (``metrics --references``), the command's own option is used.
    """
    command.__annotations__.pop("return", None)  # named for type checkers alone: importing it takes time
    hints = get_type_hints(command, include_extras=True)
    parameters = [Parameter("context", Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)]
    wanted = {name: BUNDLES[name] for name in BUNDLES if name in hints}
    own_flags = {flag for hint in hints.values() for flag in _flags(hint)}
    for name, parameter in signature(command).parameters.items():
        if name in wanted:
            parameters += (
                Parameter(
                    option,
                    Parameter.POSITIONAL_OR_KEYWORD,
                    default=getattr(parameter.default, option, default),
                    annotation=annotation,
                )
                for option, (annotation, default) in wanted[name].options.items()
                if not own_flags & _flags(annotation)
            )
        elif name != "context":
            parameters.append(parameter.replace(annotation=hints[name]))

    @wraps(command)
    def run(context: typer.Context, **given: Any) -> Any:
        values = {
            name: bundle.value(
                context, *(given.pop(option, default) for option, (_, default) in bundle.options.items())
            )
            for name, bundle in wanted.items()
        }
        return command(**values, **given, **({"context": context} if "context" in hints else {}))

    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    del run.__wrapped__
    return run


def _flags(annotation: Any) -> set[str]:
    """Return the flags of an annotated option; typer stores the first as a default until it sees how it is used."""
    return {
        flag
        for option in get_args(annotation)[1:]
        for flag in (getattr(option, "default", ""), *(getattr(option, "param_decls", None) or ()))
        if isinstance(flag, str) and flag.startswith("-")
    }


def format_options(given: Sequence[str] | None) -> Options:
    """Turn ``NAME=VALUE`` pairs into keyword arguments."""
    options: Options = {}
    for pair in given or ():
        name, equals, value = pair.partition("=")
        if not equals:
            raise PyramidionError(f"The option {pair!r} has no value", do="write NAME=VALUE")
        options[name] = value
    return options


def chosen_reading(
    format: str,
    options: Sequence[str] | None,
    markup: Markup,
    strict: bool,
    columns: str,
    references: str,
    peers: str,
    outputs: Sequence[str] | None,
) -> Reading:
    """Return how to read inputs; options that several formats share have their own names on the command line."""
    named = {"columns": columns, "references": references, "peers": peers, "outputs": ",".join(outputs or ())}
    return Reading(
        format, {**format_options(options), **{name: value for name, value in named.items() if value}}, markup, strict
    )


def chosen_settings(
    context: typer.Context,
    like: str | None,
    average: Average,
    cap: bool,
    mean: Mean,
    weights: Weights,
    presence: Presence,
) -> Settings:
    """Return the chosen settings, or those of the tool named by ``--like``; a chosen setting must not contradict it."""
    chosen = Settings(average, cap, mean, weights, presence)
    if like is None:
        return chosen
    for (name, value), (_, tool_value) in zip(chosen.parameters(), LIKE[like].parameters(), strict=True):
        source = context.get_parameter_source(name)
        if value != tool_value and source is not None and source.name == "COMMANDLINE":
            raise typer.BadParameter(
                f"--{name} {value} contradicts --like {like}, which sets {tool_value}; remove one of the two options"
            )
    return LIKE[like]


def method_of(name: str, language: str | None, labels: Path | None = None, reading: Reading = READING) -> Method:
    """Return the method of this name, for any language if asked, calibrated if there are labels."""
    method = Method.parse(name)
    method = method.in_any_language() if language else method
    return method.calibrated(reading.topics(labels)) if labels else method


def renamed_option(old: str, new: str, value: Any, new_value: Any) -> Any:
    """Return the value of an option, and warn if it was given by its old name."""
    if value is None:
        return new_value
    note(f"{old} is now called {new}; the old name will be removed")
    return value


def with_human_scores(
    corpus: Path, human: Path | None, column: str, documents: int | None, reading: Reading
) -> tuple[list[Topic], ScoreTable | None]:
    """Return the topics of a corpus, or the first few of them, and the table of human scores if there is one."""
    topics = reading.topics(corpus)[:documents]
    if human is None:
        return topics, None
    from pyramidion.analyses.scores.human import read_human

    return topics, read_human(human, topics, column)


def print_json(value: Any) -> None:
    """Print a value as indented JSON, in plain ASCII if standard output cannot hold all its characters."""
    try:
        text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(json.loads(clean(json.dumps(msgspec.to_builtins(value), ensure_ascii=False))), indent=2)
    typer.echo(text)


def check_outputs(*paths: Path | None, inputs: Sequence[Path] = ()) -> None:
    """Refuse, before any long work, an output that cannot be written or that would overwrite an input."""
    for path in paths:
        if path and not (is_open_already(path) and not path.is_dir()):
            with writable(path):
                if path.is_dir():
                    raise IsADirectoryError(None, "this is a folder")
            check_parent(path)
            check_not_among(path, inputs)


def check_new_folder(path: Path, inputs: Sequence[Path] = ()) -> None:
    """Refuse, before any long work, an output folder that cannot be created."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise PyramidionError(
            "The folder cannot be written: it already exists and is not an empty folder",
            str(path),
            "name a new folder, or remove this one first",
        )
    check_parent(path)
    check_not_among(path, inputs)


def check_parent(path: Path) -> None:
    """Refuse, before any long work, an output whose folder does not exist or cannot be written."""
    folder = Path(os.path.realpath(path)).parent
    with writable(path):
        if not folder.is_dir():
            raise FileNotFoundError
        if not os.access(folder, os.W_OK):
            raise PermissionError(None, "permission denied")


def text(file: Path) -> str:
    """Return a file's text unchanged, because offsets point into it. ``-`` is standard input."""
    if str(file) == "-":
        return decode(sys.stdin.buffer.read(), "<stdin>", may_be_empty=True)
    return decode(read_bytes(file), str(file), may_be_empty=True)


@contextmanager
def naming(file: str) -> Iterator[None]:
    """Add the file's name to an error about its text."""
    try:
        yield
    except LanguageError as error:
        raise error.at(Where(file)) from None


def summaries(topics: Sequence[Topic]) -> int:
    """Return the number of summaries to score, which is the length of the progress bar."""
    return sum(max(len(topic.peers), len(topic.annotations)) for topic in topics)


def say_if_annotated(topics: Iterable[Topic], method: str) -> None:
    """Warn users of the default method that the corpus holds annotations, which this method ignores."""
    if any(topic.annotations for topic in topics):
        say_if_ignored(method)


@contextmanager
def progress(total: int, what: str, at_least: int = 20, done: int = 0) -> Iterator[Any]:
    """Yield a function to call after each step of long work; it moves a progress bar if there is a terminal.

    The bar shows how many steps there are, how many a second, and the time that remains; ``done`` were done before.
    """
    if total < at_least or not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    begin = monotonic()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total + done, completed=done, rate="")

        def advance(*_: object) -> None:
            bar.advance(task)
            spent = monotonic() - begin
            rate = (bar.tasks[0].completed - done) / spent if spent > 1 else 0.0
            bar.update(task, rate=f"{rate:.3g}/s" if rate else "")

        yield advance
