"""ONNX graphs as sessions: one place that imports onnxruntime, sets its threads and keeps it from reporting home."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from pyramidion.errors import MissingPartError, PyramidionError

if TYPE_CHECKING:
    import onnxruntime


def threads(default: int) -> int:
    """As many as PYRAMIDION_THREADS says, or the default."""
    setting = os.environ.get("PYRAMIDION_THREADS", str(default))
    if not re.fullmatch(r"[1-9][0-9]{0,2}", setting):
        raise PyramidionError(f"PYRAMIDION_THREADS is {setting!r}", do="set it to a number from 1 to 999")
    return int(setting)


def session(graph: bytes, count: int, *, spinning: bool = True) -> onnxruntime.InferenceSession:
    """A session of a graph with so many threads; those that spin while they wait take another core's time."""
    # Version 1.31 reports its use to its makers and keeps an identifier in the home, unless told before the import.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingPartError(
            f"the embedded language model needs onnxruntime ({error})", do="run: pip install onnxruntime"
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = count
    options.log_severity_level = 3
    if not spinning:
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
