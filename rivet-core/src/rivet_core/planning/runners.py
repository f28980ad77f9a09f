"""Which runner serves a mode: one table, printed by ``rivet check``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from rivet_core.errors import Place, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rivet_core.capabilities import DestinationCapabilities, SourceCapabilities
    from rivet_core.hookspecs import RunnerType
    from rivet_core.requests import Intent


@attrs.frozen
class RunnerRow:
    """One line of the table: a runner, and why it does not serve, or None when it does."""

    runner: RunnerType
    reason: str | None


def runner_table(
    intent: Intent,
    runners: Sequence[RunnerType],
    source: SourceCapabilities,
    destination: DestinationCapabilities,
) -> tuple[RunnerRow, ...]:
    """Return every runner of the intent's mode with its verdict, by kind."""
    return tuple(
        RunnerRow(
            runner,
            _contract_reason(runner, source, destination) or runner.accepts(intent.served_by(runner.kind), source),
        )
        for runner in sorted(runners, key=lambda runner: runner.kind)
        if runner.mode == intent.mode.kind
    )


def choose_runner(
    intent: Intent,
    runners: Sequence[RunnerType],
    source: SourceCapabilities,
    destination: DestinationCapabilities,
) -> RunnerType:
    """Return the first runner of the table that serves.

    :raises UsageError: ``RIVET_CONFIG_RUNNER_REFUSED`` with every runner's reason.
    """
    table = runner_table(intent, runners, source, destination)
    for row in table:
        if row.reason is None:
            return row.runner
    reasons = "; ".join(f"{row.runner.kind}: {row.reason}" for row in table) or "no runner offers it"
    msg = f"mode {intent.mode.kind} cannot be served: {reasons}"
    raise UsageError(
        msg,
        code="RIVET_CONFIG_RUNNER_REFUSED",
        place=Place(path=f"exports.{intent.name}.mode"),
        remedy="choose another mode, or another source or destination",
    )


def _contract_reason(
    runner: RunnerType, source: SourceCapabilities, destination: DestinationCapabilities
) -> str | None:
    needs = runner.capabilities
    if needs.snapshot and source.snapshot.name == "NONE":
        return "it needs one snapshot for all its units, and the source has none to share"
    if needs.changes and not source.changes:
        return "the source captures no changes"
    if not destination.durable and (needs.positioned or needs.rolls is not None):
        return "it would move a position, and the destination keeps nothing"
    return None
