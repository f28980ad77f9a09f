"""Prints every hook call, for authors of plugins who wonder what is asked of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from rivet_core.types import redact

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pluggy


def trace_calls(manager: pluggy.PluginManager, out: TextIO) -> None:
    """Print each hook call and its result to ``out``, without secrets."""

    def before(hook: str, impls: Sequence[pluggy.HookImpl], arguments: Mapping[str, object]) -> None:
        names = ", ".join(impl.plugin_name for impl in impls) or "nobody"
        told = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        out.write(redact(f"rivet hook {hook}({told}) -> {names}\n"))

    def after(
        outcome: pluggy.Result[object],
        hook: str,
        impls: Sequence[pluggy.HookImpl],
        arguments: Mapping[str, object],
    ) -> None:
        del impls, arguments
        answer = outcome.exception if outcome.exception is not None else outcome.get_result()
        out.write(redact(f"rivet hook {hook} <- {answer!r}\n"))

    manager.add_hookcall_monitoring(before, after)
