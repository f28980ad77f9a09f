"""What became of one export: the value that reports, metrics and exit codes are made of."""

from __future__ import annotations

import json
import resource
import sys
from typing import TYPE_CHECKING, Final

import attrs

from rivet_core.errors import Exit, RivetError

if TYPE_CHECKING:
    from rivet_core.engine.gates import GateResult

#: What the next run makes of an open one, by :attr:`Outcome.goes_on`.
NEXT_RUN: Final = {
    True: "it resumes the run, and nothing recorded is read again",
    False: "it begins anew, since nothing is recorded that it could use",
}


@attrs.frozen(kw_only=True)
class Outcome:
    """One export's end.

    :param status: ``success``, ``failed`` (a gate's verdict), ``skipped``, or ``open``: nothing that was recorded is
        read again; or ``refused`` when no run was opened.
    :param goes_on: of an ``open`` run: the next one uses what is recorded of it, instead of beginning anew.
    :param seconds: wall time of this process's share.
    :param resumed: whether the run was begun by an earlier process.
    :param completed: earlier runs whose sealing this process completed first.
    :param abandoned: an unfinished run that was given up, and why.
    :param destination: the prefix's address.
    """

    export: str
    run_id: str | None
    status: str
    rows: int = 0
    parts: int = 0
    size: int = 0
    seconds: float = 0.0
    retries: int = 0
    resumed: bool = False
    goes_on: bool = True
    completed: tuple[str, ...] = ()
    abandoned: str | None = None
    destination: str = ""
    gates: tuple[GateResult, ...] = ()
    nulled: tuple[tuple[str, int], ...] = ()
    warnings: tuple[str, ...] = ()
    error: RivetError | None = None

    @property
    def exit(self) -> Exit:
        """The exit status that this export asks for."""
        return Exit.DONE if self.error is None else self.error.exit

    def to_json(self) -> str:
        """Return the outcome as JSON text, for the state and for ``--json``."""
        return json.dumps(
            {
                "export_name": self.export,
                "run_id": self.run_id,
                "status": self.status,
                "rows": self.rows,
                "files": self.parts,
                "bytes": self.size,
                "duration_ms": round(self.seconds * 1000),
                "retries": self.retries,
                "resumed": self.resumed,
                "completed_runs": list(self.completed),
                "abandoned": self.abandoned,
                "destination": self.destination,
                "gates": [
                    {"gate": result.gate, "verdict": result.verdict, "detail": result.detail} for result in self.gates
                ],
                "nulled_cells": dict(self.nulled),
                "warnings": list(self.warnings),
                "peak_rss_mb": peak_memory_mb(),
                "error_code": None if self.error is None else self.error.code,
                "error_message": None if self.error is None else self.error.message,
                "exit_class": int(self.exit),
            }
        )


def peak_memory_mb() -> int:
    """Return the most memory that this process has held, in MiB."""
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit


def worst_exit(outcomes: tuple[Outcome, ...]) -> Exit:
    """Return the exit of the most stop-worthy export: integrity, drift, refusal, bug, then transient, then the rest."""
    order = (Exit.INTEGRITY, Exit.DRIFT, Exit.REFUSED, Exit.INTERNAL, Exit.TRANSIENT, Exit.USAGE, Exit.DONE)
    exits = {outcome.exit for outcome in outcomes}
    return next((status for status in order if status in exits), Exit.DONE)
