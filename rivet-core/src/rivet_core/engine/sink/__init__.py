"""The sink: where every per-export feature lives, once for all runners."""

from __future__ import annotations

from rivet_core.engine.sink.sink import Sink, empty_part
from rivet_core.engine.sink.task import Recipe, UnitTask

__all__ = ["Recipe", "Sink", "UnitTask", "empty_part"]
