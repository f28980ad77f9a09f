"""What is promised of an export's delivery, in sentences: no more than the engine keeps; ``docs/guarantees.md``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_core.capabilities import Restart

if TYPE_CHECKING:
    from rivet_core.capabilities import DestinationCapabilities
    from rivet_core.planning import Plan


def promises(plan: Plan, destination: DestinationCapabilities) -> tuple[str, ...]:
    """Return what its user may rely on, and what not."""
    runner = plan.runner_capabilities
    if not destination.durable:
        return (
            "at most once: rows are passed on as they are read, and nothing is kept, declared or resumed",
            "whoever reads must take an exit status other than 0 for an incomplete output",
        )
    said = ["at least once: a run is complete or invisible, and no row of its plan is left out of a finished one"]
    if runner.changes:
        said.append("changes arrive in the order of their transactions, each in one sealed roll")
    elif runner.snapshot:
        said.append("all units read one snapshot: every row is delivered once, as of one instant")
    elif runner.positioned:
        said.append("a run delivers what lies after the last success's position, and moves it when it is sealed")
        said.append("a row that becomes visible later with an equal or smaller cursor is not delivered")
    else:
        said.append(
            "without a shared snapshot a row is delivered once if its key does not change during the run;"
            " otherwise at least once or, when its key moves behind the reader, not in this run"
        )
    if plan.restart is Restart.NEVER:
        said.append("the source can be read once only: one attempt, and a run that breaks begins anew")
    elif runner.snapshot:
        said.append("a run that breaks begins anew, since its snapshot dies with it")
    else:
        where = "its last mark or else its beginning" if plan.restart is Restart.MARK else "its beginning"
        said.append(f"the next run keeps the finished units of one that breaks, and reads unfinished ones from {where}")
    return tuple(said)
