"""The gate of ``verify: content``: the store itself must have said every part's MD5, and it must be the sent one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_core.engine.gates.result import GateResult, failed

if TYPE_CHECKING:
    from rivet_core.engine.gates.result import GateContext

_NAMED = 3


def content_gate(context: GateContext) -> tuple[GateResult, ...]:
    """Fail when a part is unconfirmed; a receipt with another MD5 never came so far."""
    intent = context.plan.intent
    if intent.verify != "content":
        return ()
    unconfirmed = context.unconfirmed
    if not unconfirmed:
        return (GateResult(gate="content", verdict="pass", detail="the store confirmed the MD5 of every part"),)
    more = f" and {len(unconfirmed) - _NAMED} more" if len(unconfirmed) > _NAMED else ""
    detail = f"the store gave no MD5 for {', '.join(unconfirmed[:_NAMED])}{more}"
    remedy = "make parts smaller with max_file_size, so that the store takes them in one piece, or use verify: size"
    return (failed("content", detail, path=f"exports.{intent.name}.verify", remedy=remedy),)
