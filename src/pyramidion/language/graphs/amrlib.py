"""AMR by ``amrlib``, if it is installed with a model (extra ``amr``).

A model is a folder as amrlib's releases have it, with ``amrlib_meta.json``, and with its tokenizer's files beside the
weights: amrlib would else fetch those from the network, and here nothing is fetched. Models of the kinds ``parse_xfm``
and ``parse_t5`` are loaded; the older kinds know no other way than the network. What a model has no words for are
alignments: amrlib's rule-based aligner (RBW) adds them, on our tokens and lemmas.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pyramidion.errors import MissingPartError
from pyramidion.language.parse.analysers import analysed
from pyramidion.language.parse.analysis import LanguageError

INSTALL = "pip install 'pyramidion[amr]'"

KINDS = (".parse_xfm.inference", ".parse_t5.inference")
"""The kinds of models that can be loaded from one folder alone."""

TOKENIZERS = ("tokenizer.json", "tokenizer_config.json", "vocab.json", "spiece.model")


def default_folder() -> Path:
    """Return the folder of amrlib's own model."""
    try:
        import amrlib
    except ImportError:
        raise MissingPartError("amrlib is not installed", do=INSTALL) from None
    return Path(amrlib.defaults.data_dir, "model_stog")


def load(folder: str = "") -> Callable[[Sequence[str]], Sequence[str]]:
    """Return the parser of a model's folder, or of amrlib's default (``model_stog``) if none is named."""
    try:
        import amrlib
        from amrlib.alignments.rbw_aligner import RBWAligner
    except ImportError:
        raise MissingPartError("amrlib is not installed", do=INSTALL) from None
    path = Path(folder or default_folder())
    _check(path)
    try:
        model = amrlib.load_stog_model(model_dir=str(path), tok_name_or_path=str(path))
    except ImportError as error:
        raise MissingPartError(f"amrlib is only partly installed ({error})", do=INSTALL) from None
    except (OSError, RuntimeError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise MissingPartError(
            f"amrlib cannot load the model {path} ({error})", do="install a model version that fits this amrlib"
        ) from None

    def parse(sentences: Sequence[str]) -> list[str]:
        graphs = model.parse_sents(list(sentences), add_metadata=False)
        return [_align(graph, sentence, RBWAligner) for graph, sentence in zip(graphs, sentences, strict=True)]

    return parse


def _check(path: Path) -> None:
    """Raise an error unless the folder holds a model that loads without the network."""
    meta = path / "amrlib_meta.json"
    try:
        described = json.loads(meta.read_bytes())
        kind = described["inference_module"]
    except (OSError, ValueError, TypeError, KeyError):
        raise MissingPartError(
            f"There is no amrlib model in {path}",
            do="unpack one of https://github.com/bjascob/amrlib-models there, or name its folder: amrlib:MODEL_DIR",
        ) from None
    if kind not in KINDS:
        raise MissingPartError(
            f"The model in {path} is of the kind {kind!r}, which amrlib loads from the network",
            do="use one of its parse_xfm models, or parse the texts with it yourself and use penman:FILE",
        )
    if not any((path / name).is_file() for name in TOKENIZERS):
        raise MissingPartError(
            f"The model in {path} has no tokenizer beside it",
            do="save it there once: AutoTokenizer.from_pretrained(NAME).save_pretrained(MODEL_DIR), "
            "with the model_name_or_path of its config.json for NAME",
        )


def _align(graph: str | None, sentence: str, aligner: Callable[..., Any]) -> str:
    """Return a graph with the words of its concepts."""
    import penman  # amrlib brings it
    from penman.models.noop import NoOpModel

    if graph is None:
        raise LanguageError(f"amrlib found no graph for the sentence {sentence[:60]!r}", do="shorten the sentence")
    words = analysed(sentence, "en-minilm").words
    try:
        decoded = penman.decode(graph, model=NoOpModel())
    except penman.PenmanError as error:
        raise LanguageError(
            f"amrlib's graph of {sentence[:60]!r} is malformed ({error})", do="use penman:FILE"
        ) from None
    decoded.metadata["tok"] = " ".join(word.form for word in words)
    lemmas = [word.lemma or word.form.lower() for word in words]
    return str(aligner(decoded, [word.form for word in words], lemmas).get_graph_string())
