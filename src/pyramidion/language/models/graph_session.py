"""ONNX graphs as sessions: one place that imports onnxruntime, sets its threads and keeps it from reporting home."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pyramidion.base import threads
from pyramidion.errors import MissingPartError

if TYPE_CHECKING:
    import onnxruntime


def session(graph: bytes) -> onnxruntime.InferenceSession:
    """Return a session of a graph; a pass has one thread (:mod:`pyramidion.base.threads`), passes may run at once."""
    threads.count()  # a setting that is no number is an error wherever something is read
    # Version 1.31 reports its use to its makers and keeps an identifier in the home, unless told before the import.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingPartError(
            f"The embedded language model needs onnxruntime ({error})", do="run: pip install onnxruntime"
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
