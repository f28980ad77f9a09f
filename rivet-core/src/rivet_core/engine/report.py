"""What a command's exports came to, together: the value that ``--json`` and ``--summary-output`` print."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import attrs

from rivet_core.engine.outcome import Outcome, worst_exit
from rivet_core.errors import Exit

if TYPE_CHECKING:
    from datetime import datetime

    from rivet_core.manifest.report import Verification
    from rivet_core.requests import Intent


@attrs.frozen(kw_only=True)
class ExportReport:
    """One export's outcome and what only the command knows of it.

    :param bytes_read: input bytes that this process read.
    :param readable: what was written can be verified.
    :param verification: of ``--validate``.
    """

    intent: Intent
    outcome: Outcome
    bytes_read: int = 0
    readable: bool = True
    verification: Verification | None = None

    @property
    def exit(self) -> Exit:
        """The exit status that this export asks for, its verification included."""
        if self.outcome.exit is Exit.DONE and self.verification is not None:
            return self.verification.exit
        return self.outcome.exit

    def to_json(self) -> dict[str, Any]:
        """Return the export's object in a summary."""
        found: dict[str, Any] = json.loads(self.outcome.to_json())
        return {
            **found,
            "mode": self.intent.mode.kind,
            "bytes_read": self.bytes_read,
            "skip_reason": "the relation has no rows" if self.outcome.status == "skipped" else None,
            "remedy": None if self.outcome.error is None else self.outcome.error.remedy,
            "validation": None if self.verification is None else self.verification.to_json(),
            "exit_class": int(self.exit),
        }


@attrs.frozen(kw_only=True)
class RunReport:
    """What one ``rivet run`` came to.

    :param config: the configuration file as its user named it.
    :param params: the words of ``--param``, as a next command may show them.
    :param at_a_time: how many exports could run beside each other.
    :param signal_exit: the exit status of the signal that stopped exports, or None.
    """

    config: str
    started: datetime
    finished: datetime
    exports: tuple[ExportReport, ...]
    params: tuple[str, ...] = ()
    at_a_time: int = 1
    signal_exit: int | None = None
    warnings: tuple[str, ...] = ()

    @property
    def exit(self) -> int:
        """The process's exit status: the signal's, or that of the most stop-worthy export."""
        if self.signal_exit is not None:
            return self.signal_exit
        worst = worst_exit(tuple(export.outcome for export in self.exports))
        checked = [export.exit for export in self.exports if export.outcome.exit is Exit.DONE]
        # What verification found matters where the run itself went well; 3 goes before everything.
        found = max(checked, default=Exit.DONE)
        return int(found if found is Exit.INTEGRITY or worst is Exit.DONE else worst)

    def count(self, *statuses: str) -> int:
        """Return how many exports ended so."""
        return sum(export.outcome.status in statuses for export in self.exports)

    def to_json(self) -> dict[str, Any]:
        """Return the summary's JSON object; an export that is neither done nor skipped counts as failed."""
        outcomes = [export.outcome for export in self.exports]
        return {
            "run_aggregate_id": f"agg_{self.started:%Y%m%dT%H%M%S}.{self.started.microsecond // 1000:03d}",
            "started_at": self.started.isoformat(),
            "finished_at": self.finished.isoformat(),
            "duration_ms": round((self.finished - self.started).total_seconds() * 1000),
            "config_path": self.config,
            "parallel_mode": "threads" if self.at_a_time > 1 else "sequential",
            "total_exports": len(self.exports),
            "success_count": self.count("success"),
            "failed_count": self.count("failed", "open", "refused"),
            "skipped_count": self.count("skipped"),
            "total_rows": sum(outcome.rows for outcome in outcomes),
            "total_files": sum(outcome.parts for outcome in outcomes),
            "total_bytes": sum(outcome.size for outcome in outcomes),
            "total_bytes_read": sum(export.bytes_read for export in self.exports),
            "exit_class": self.exit,
            "warnings": list(self.warnings),
            "per_export": [export.to_json() for export in self.exports],
        }
