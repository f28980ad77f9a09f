"""What the configuration says about single columns before the relation is described."""

from __future__ import annotations

from enum import StrEnum

import attrs


class InvalidValue(StrEnum):
    """What happens to a value that the column's Arrow type cannot hold."""

    #: The run fails, naming table, column and value.
    FAIL = "fail"
    #: The cell becomes NULL and is counted.
    NULL = "null"
    #: The column is planned as exact text from the start.
    TEXT = "text"


@attrs.frozen(kw_only=True)
class ColumnRules:
    """A user's wishes for columns, handed to ``describe``.

    :param types: overrides, column name to type word such as ``decimal(38,9)``; the source refuses what it cannot
        deliver.
    :param on_invalid: the export's policy.
    :param on_invalid_by_column: a column's own policy, before the export's.
    """

    types: tuple[tuple[str, str], ...] = ()
    on_invalid: InvalidValue = InvalidValue.FAIL
    on_invalid_by_column: tuple[tuple[str, InvalidValue], ...] = ()

    def policy(self, column: str) -> InvalidValue:
        """Return the policy that holds for a column."""
        return dict(self.on_invalid_by_column).get(column, self.on_invalid)

    def override(self, column: str) -> str | None:
        """Return the type word that the user gave for a column."""
        return dict(self.types).get(column)
