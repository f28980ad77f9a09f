"""Declares the runner ``full``."""

from __future__ import annotations

from rivet_core.capabilities import RunnerCapabilities
from rivet_core.hookspecs import RunnerType, hookimpl
from rivet_core.runners.full.options import FullOptions
from rivet_core.runners.full.runner import FullRunner


def make(options: FullOptions) -> FullRunner:
    """Return the runner."""
    del options
    return FullRunner()


@hookimpl
def rivet_runners() -> list[RunnerType]:
    return [
        RunnerType(
            kind="full",
            mode="full",
            options=FullOptions,
            capabilities=RunnerCapabilities(whole_relation=True, parallel=False),
            factory=make,
        )
    ]
