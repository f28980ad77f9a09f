"""What ``rivet state reset`` does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_core.cli.loading import load_exports
from rivet_core.cli.printing import say
from rivet_core.engine.resetting import Reset, reset_export
from rivet_core.engine.settings import Settings
from rivet_core.planning.position import position_text, stored_position
from rivet_core.state import StateDatabase

if TYPE_CHECKING:
    from rivet_core.cli.invocation import Invocation


def reset(invocation: Invocation, config: str, export: str, params: tuple[str, ...]) -> int:
    """Reset an export, and say what was forgotten."""
    settings = Settings(lock_wait_seconds=invocation.lock_wait_seconds)
    loaded = load_exports(invocation, config, exports=(export,), params=params)
    path = loaded.state_file(invocation)
    done: tuple[Reset, ...] = ()
    if path.exists():
        intent = loaded.intents[0]
        # A signal does not break off in the middle, it only ends the waiting for the lease.
        with StateDatabase(path) as database, invocation.signals.setting(settings.stop):
            done = reset_export(intent, loaded.declarations(intent), database, settings)
    if not done:
        say(f"{export}: nothing is recorded")
    for one in done:
        position = stored_position(one.position)
        forgotten = [] if position is None else [f"the position {position_text(position)}"]
        forgotten += ["the schema of the last success"] * one.baselines
        said = f"forgot {' and '.join(forgotten)}" if forgotten else "there was nothing to forget"
        say(f"{one.export} on {one.source}: {said}")
        if one.abandoned is not None:
            say(f"  abandoned {one.abandoned}, its parts were moved to _quarantine")
    if invocation.signals.received is not None:
        return 128 + invocation.signals.received
    return 0
