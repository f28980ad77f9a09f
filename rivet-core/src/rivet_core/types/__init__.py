"""The small values that every layer shares."""

from __future__ import annotations

from rivet_core.types.column import Column, Fidelity
from rivet_core.types.identity import SourceIdentity
from rivet_core.types.invalid import ColumnRules, InvalidValue
from rivet_core.types.objects import ObjectInfo, PutReceipt
from rivet_core.types.position import Position
from rivet_core.types.relation import Query, Relation, Table
from rivet_core.types.secret import Secret, in_a_secret, redact, without_url_passwords
from rivet_core.types.shown import block, json_shown, one_line
from rivet_core.types.snapshot import Snapshot
from rivet_core.types.told import reason, told
from rivet_core.types.verdict import Verdict

__all__ = [
    "Column",
    "ColumnRules",
    "Fidelity",
    "InvalidValue",
    "ObjectInfo",
    "Position",
    "PutReceipt",
    "Query",
    "Relation",
    "Secret",
    "Snapshot",
    "SourceIdentity",
    "Table",
    "Verdict",
    "block",
    "in_a_secret",
    "json_shown",
    "one_line",
    "reason",
    "redact",
    "told",
    "without_url_passwords",
]
