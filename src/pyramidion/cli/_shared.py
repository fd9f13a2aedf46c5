"""Options and printing that several commands share."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, get_args, get_type_hints

import msgspec
import typer

from pyramidion.errors import InputWarning, PyramidionError, Where
from pyramidion.formats import Options, score_tables
from pyramidion.io.files import decode, is_open_already, read_bytes, writable
from pyramidion.io.names import clean
from pyramidion.io.tables import TableFormat
from pyramidion.io.tables import plural as plural
from pyramidion.language.parse.analysis import LanguageError
from pyramidion.methods import DEFAULT_METHOD, Method
from pyramidion.model import Topic
from pyramidion.reading import READING, Markup, Reading
from pyramidion.score import DEFAULT, LIKE, Average, Mean, Presence, Settings, Weights

if TYPE_CHECKING:
    from pyramidion.studies.scores.human import Human

is_score_table = score_tables.is_table

AsJson = Annotated[bool, typer.Option("--json", help="Print the machine-readable result.")]
AsTable = Annotated[TableFormat, typer.Option("--format", help="How to print tables.")]
WhichTable = Annotated[
    Literal["scores", "systems"] | None,
    typer.Option(
        "--table",
        help="Print only the scores of every summary, or only the means of every system. "
        "Both by default; CSV, which holds one table, has the scores.",
        show_default=False,
    ),
]
AverageOption = Annotated[
    Average,
    typer.Option("--average", help="Mean SCUs per reference: as it is, or rounded (DUCView: floor; SacreROUGE: ceil)."),
]
CapOption = Annotated[bool, typer.Option("--cap/--no-cap", help="Coverage above 1 counts as 1 (DUCView 1.5, PyrEval).")]
MeanOption = Annotated[Mean, typer.Option("--mean", help="Comprehensive score: which mean of quality and coverage.")]
WeightsOption = Annotated[
    Weights, typer.Option("--weights", help="An SCU weighs its distinct references, or all its contributors (DUCView).")
]
PresenceOption = Annotated[
    Presence,
    typer.Option("--presence", help="Where a judge gives probabilities: sum them, or count what is matched."),
]
MethodOption = Annotated[
    str,
    typer.Option("--method", help="What builds the pyramids and matches the peers; 'pyramidion methods' lists them."),
]
MatcherOption = Annotated[
    str, typer.Option("--matcher", help="Who matches, with parameters in brackets; 'pyramidion methods' lists them.")
]
LikeOption = Annotated[
    Literal["ducview"] | None,
    typer.Option(
        "--like",
        help="Score as this tool does: ducview (1.5) is --average floor --cap --mean harmonic --weights contributors "
        "--presence counted.",
        show_default=False,
    ),
]
CalibrateOption = Annotated[
    Path | None,
    typer.Option(
        "--calibrate",
        metavar="LABELS",
        readable=False,
        help="Calibrate the judge's probabilities by people's annotations of some peers: a corpus, or a .pan or JSON "
        "file, with its pyramid. The signature has the slope and the shift that result.",
        show_default=False,
    ),
]
LanguageOption = Annotated[
    Literal["any"] | None,
    typer.Option(
        "--language",
        help="any: score texts in every language, also those that the method cannot read. "
        "Without it, a method that reads English refuses others.",
        show_default=False,
    ),
]
SamplesOption = Annotated[
    int, typer.Option("--samples", metavar="N", min=100, max=1_000_000, help="Draws for tests and intervals.")
]
SeedOption = Annotated[int, typer.Option("--seed", metavar="S", min=0, help="Where the random draws start.")]
CorpusArgument = Annotated[
    Path, typer.Argument(readable=False, help="A corpus: a folder or a file (see docs/formats.md).")
]
HumanOption = Annotated[
    Path | None,
    typer.Option(
        "--human",
        metavar="SCORES.csv",
        help="A table of human scores, one row a peer; without it, the coverage of the corpus's own annotations.",
    ),
]
ColumnOption = Annotated[str, typer.Option("--column", help="The table's column to compare with.")]
DocumentsOption = Annotated[
    int | None,
    typer.Option("--documents", min=1, metavar="N", help="Only the first N topics.", show_default=False),
]
LevelOption = Annotated[
    Literal["global", "summary", "system"],
    typer.Option("--level", help="Correlate all summaries together, those of each topic, or the systems' means."),
]
ByOption = Annotated[
    Literal["pearson", "spearman", "kendall"], typer.Option("--by", help="The statistic to choose or to sort by.")
]
JackknifeOption = Annotated[
    bool, typer.Option("--jackknife", help="Leave out one reference at a time and score the references too (TAC).")
]
ExplainOption = Annotated[
    bool,
    typer.Option(
        "--explain", help="Say for every summary which SCUs it expresses, in which words, and which it missed."
    ),
]
FromOption = Annotated[
    str, typer.Option("--from", metavar="FORMAT", help="The input's format; recognised by content if not given.")
]
OptionOption = Annotated[
    list[str] | None,
    typer.Option(
        "--option", metavar="NAME=VALUE", help="An option of the input's format, e.g. header=REGEX. Repeatable."
    ),
]
ToOption = Annotated[
    str, typer.Option("--to", metavar="FORMAT", help="The output's format, where its ending does not say.")
]


MarkupOption = Annotated[
    Markup,
    typer.Option("--markup", help="Sentence tags <t> ... </t> in texts: take them off, or keep them as text."),
]
StrictOption = Annotated[
    bool, typer.Option("--strict", help="Refuse a folder that holds files which are not used, instead of naming them.")
]


ColumnsOption = Annotated[
    str,
    typer.Option(
        "--columns",
        metavar="KIND=COLUMN,...",
        help="What the columns of a table hold, where their names do not tell: reference, output, system, topic, "
        "source or number.",
    ),
]
ReferencesOption = Annotated[
    str,
    typer.Option(
        "--references", metavar="PATTERN", help="Which files are model summaries, where their names do not tell."
    ),
]
PeersOption = Annotated[
    str,
    typer.Option("--peers", metavar="PATTERN", help="Which files are summaries to score, where names do not tell."),
]
OutputsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--outputs", "-i", metavar="FILE", help="A system's outputs, line by line as the references. Repeatable."
    ),
]


class Bundle(NamedTuple):
    """Options that together give one value: a parameter of that value's name stands for all of them."""

    options: dict[str, tuple[Any, Any]]
    """By the parameter's name, its annotation and its default."""
    value: Callable[..., Any]
    """Of what was given, in that order; of the context first."""


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
"""What every command declares in the same words: how inputs are read, and how summaries are scored."""


def bundled(command: Callable[..., Any]) -> Callable[..., Any]:
    """A command whose parameters ``reading`` and ``settings`` become the options of these :data:`BUNDLES`.

    Where the default of ``settings`` is not the usual one, its options have its values for defaults.
    Where the command has an option of that name for itself (``metrics --references``), its own one counts.
    """
    command.__annotations__.pop("return", None)  # named for type checkers alone: importing it takes time
    hints = get_type_hints(command, include_extras=True)
    parameters = [Parameter("context", Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)]
    wanted = {name: BUNDLES[name] for name in BUNDLES if name in hints}
    own = {flag for hint in hints.values() for flag in _flags(hint)}
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
                if not own & _flags(annotation)
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
    """The flags of an annotated option; typer takes the first for a default until it sees how it is used."""
    return {
        flag
        for option in get_args(annotation)[1:]
        for flag in (getattr(option, "default", ""), *(getattr(option, "param_decls", None) or ()))
        if isinstance(flag, str) and flag.startswith("-")
    }


def format_options(given: Sequence[str] | None) -> Options:
    """``NAME=VALUE`` pairs as keyword arguments."""
    options: Options = {}
    for pair in given or ():
        name, equals, value = pair.partition("=")
        if not equals:
            raise PyramidionError(f"the option {pair!r} has no value", do="write NAME=VALUE")
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
    """How inputs are read; options that formats share have names of their own on the command line."""
    own = {"columns": columns, "references": references, "peers": peers, "outputs": ",".join(outputs or ())}
    return Reading(
        format, {**format_options(options), **{name: value for name, value in own.items() if value}}, markup, strict
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
    """The settings that were chosen one by one, or a tool's, which none of those given may contradict."""
    chosen = Settings(average, cap, mean, weights, presence)
    if like is None:
        return chosen
    for (name, own), (_, theirs) in zip(chosen.parameters(), LIKE[like].parameters(), strict=True):
        source = context.get_parameter_source(name)
        if own != theirs and source is not None and source.name == "COMMANDLINE":
            raise typer.BadParameter(f"--{name} {own} contradicts --like {like}, which sets {theirs}: leave one out")
    return LIKE[like]


def method_of(name: str, language: str | None, labels: Path | None = None, reading: Reading = READING) -> Method:
    """The method of that name, for texts in the languages that were asked for, calibrated if there are labels."""
    method = Method.parse(name)
    method = method.in_any_language() if language else method
    return method.calibrated(reading.topics(labels)) if labels else method


def renamed(old: str, new: str, value: Any, other: Any) -> Any:
    """The value of an option that was given by its old name, with a warning, or else by its new one."""
    if value is None:
        return other
    warnings.warn(f"{old} is called {new} now; the old name will go", InputWarning, stacklevel=2)
    return value


def with_human_scores(
    corpus: Path, human: Path | None, column: str, documents: int | None, reading: Reading
) -> tuple[list[Topic], Human | None]:
    """The topics of a corpus, or the first of them, and the table of human scores if there is one."""
    topics = reading.topics(corpus)[:documents]
    if human is None:
        return topics, None
    from pyramidion.studies.scores.human import read_human

    return topics, read_human(human, topics, column)


def print_json(value: Any) -> None:
    """A value as indented JSON on standard output: in plain ASCII where that cannot hold every character."""
    try:
        text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(json.loads(clean(json.dumps(msgspec.to_builtins(value), ensure_ascii=False))), indent=2)
    typer.echo(text)


def check_outputs(*paths: Path | None, inputs: Sequence[Path] = ()) -> None:
    """Say now, not after long work, that a file cannot be written, or that it would replace what is read."""
    for path in paths:
        if path and not (is_open_already(path) and not path.is_dir()):
            with writable(path):
                if path.is_dir():
                    raise IsADirectoryError(None, "this is a folder")
            check_parent(path)
            check_not_among(path, inputs)


def check_new_folder(path: Path, inputs: Sequence[Path] = ()) -> None:
    """Say now, not after long work, that a new folder cannot be made there."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise PyramidionError(
            "cannot be written: it is there already and not an empty folder",
            str(path),
            "name a new folder, or remove this one first",
        )
    check_parent(path)
    check_not_among(path, inputs)


def check_not_among(output: Path, inputs: Sequence[Path]) -> None:
    """Refuse an output that is one of the inputs or lies in one: nobody's text is replaced by a result."""
    place = Path(os.path.realpath(output))
    for source in inputs:
        read = Path(os.path.realpath(source))
        if place == read or (output.exists() and source.exists() and output.samefile(source)):
            raise PyramidionError("This file is read, so it cannot be written", str(output), "name another file")
        if read.is_dir() and place.is_relative_to(read):
            raise PyramidionError(
                f"This lies in {str(source)!r}, which is read, so it cannot be written",
                str(output),
                "name a place outside that folder",
            )


def check_parent(path: Path) -> None:
    """Say now, not after long work, that the folder for an output is not there or closed."""
    folder = Path(os.path.realpath(path)).parent
    with writable(path):
        if not folder.is_dir():
            raise FileNotFoundError
        if not os.access(folder, os.W_OK):
            raise PermissionError(None, "permission denied")


def text(file: Path) -> str:
    """A file's text as it is, line ends and all: offsets point into it. ``-`` is standard input."""
    if str(file) == "-":
        return decode(sys.stdin.buffer.read(), "<stdin>", may_be_empty=True)
    return decode(read_bytes(file), str(file), may_be_empty=True)


@contextmanager
def naming(file: str) -> Iterator[None]:
    """Say of an error in which file's text it is."""
    try:
        yield
    except LanguageError as error:
        raise error.at(Where(file)) from None


def summaries(topics: Sequence[Topic]) -> int:
    """How many summaries there are to score: the length of a progress bar."""
    return sum(max(len(topic.peers), len(topic.annotations)) for topic in topics)


def say_if_annotated(topics: Sequence[Topic], method: str) -> None:
    """Tell who did not choose a method that people have annotated what is about to be matched automatically."""
    if method == DEFAULT_METHOD and any(topic.annotations for topic in topics):
        warnings.warn(
            f"the corpus brings annotations, which the method {method!r} does not use; --method manual scores them",
            InputWarning,
            stacklevel=2,
        )


@contextmanager
def progress(total: int, what: str, at_least: int = 20) -> Iterator[Any]:
    """A function to call after each piece of long work; shows a bar on a terminal, and nothing elsewhere."""
    if total < at_least or not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda *_: bar.advance(task)
