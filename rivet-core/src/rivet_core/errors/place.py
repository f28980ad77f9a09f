"""Where in a user's file, relation or destination an error lies."""

from __future__ import annotations

import attrs


@attrs.frozen(kw_only=True)
class Place:
    """A spot that a person can go to; every field is optional and only what is known is printed."""

    #: The file's name as the user gave it.
    file: str | None = None
    #: A YAML path such as ``exports[0].mode``.
    path: str | None = None
    #: 1-based line in ``file``.
    line: int | None = None
    #: 1-based column in ``file`` (the text column, not a table's).
    column: int | None = None
    #: The relation that was read.
    relation: str | None = None
    #: The relation's column.
    field: str | None = None
    #: The offending value, already safe to print.
    value: str | None = None

    def __str__(self) -> str:
        spot = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        words = [
            spot,
            self.path,
            f"relation {self.relation}" if self.relation else None,
            f"column {self.field}" if self.field else None,
            f"value {self.value}" if self.value is not None else None,
        ]
        return ", ".join(word for word in words if word)
