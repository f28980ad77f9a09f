"""One column of a relation as it will be delivered."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    # Not needed at run time, and a fifth of a second for every command that touches no data.
    import pyarrow as pa


class Fidelity(StrEnum):
    """How much of the source's value arrives."""

    #: Every value, in a type that means the same.
    EXACT = "exact"
    #: Every value, in a wider or neighbouring type.
    COMPATIBLE = "compatible"
    #: The server's own exact text, because no Arrow type means the same.
    TEXT = "text"
    #: Some values lose something.
    LOSSY = "lossy"
    #: The column cannot be read.
    UNSUPPORTED = "unsupported"


@attrs.frozen(kw_only=True)
class Column:
    """A column: where it comes from, how it is selected, what it becomes.

    :param name: the name in the source and in the output.
    :param native_type: the source's own name of the type, with its modifiers.
    :param field: the Arrow field of the output; always nullable, since files outlive constraints.
    :param expression: what the source selects to deliver it, in the source's language.
    :param fidelity: how much of the value arrives.
    :param not_null: whether the source promises that no value is NULL.
    :param remark: for the type report: why the type was chosen, or what the remedy is.
    """

    name: str
    native_type: str
    field: pa.Field
    expression: str
    fidelity: Fidelity = Fidelity.EXACT
    not_null: bool = False
    remark: str = ""
