"""What is asked: the user's intent for an export, the read requests made of it, and units as values."""

from __future__ import annotations

from rivet_core.requests.codec import decode_unit, encode_unit
from rivet_core.requests.intent import Chosen, Intent
from rivet_core.requests.keys import Coalesce, ColumnKey, KeyExpression, Keys
from rivet_core.requests.read import HIDDEN_PREFIX, Budget, ReadContext, ReadRequest
from rivet_core.requests.terms import After, AtOrAfter, Between, IsNull, Since, SourceRange, Term, Until
from rivet_core.requests.tuning import Tuning
from rivet_core.requests.unit import Paging, Unit

__all__ = [
    "HIDDEN_PREFIX",
    "After",
    "AtOrAfter",
    "Between",
    "Budget",
    "Chosen",
    "Coalesce",
    "ColumnKey",
    "Intent",
    "IsNull",
    "KeyExpression",
    "Keys",
    "Paging",
    "ReadContext",
    "ReadRequest",
    "Since",
    "SourceRange",
    "Term",
    "Tuning",
    "Unit",
    "Until",
    "decode_unit",
    "encode_unit",
]
