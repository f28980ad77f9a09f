"""Which of a source's relations a person means."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from rivet_core.config.relations import table_of
from rivet_core.config.suggestions import closest
from rivet_core.errors import EnvironmentFailure, Place, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rivet_core.schema import RelationFacts
    from rivet_core.types import Table


def selected(
    relations: Iterable[RelationFacts],
    *,
    schema: str | None = None,
    include: tuple[str, ...] = (),
    exclude: tuple[str, ...] = (),
) -> tuple[RelationFacts, ...]:
    """Return the relations of a schema whose name, with or without the schema, some pattern includes and none excludes.

    :raises UsageError: ``RIVET_INIT_NO_TABLES``.
    """
    relations = tuple(relations)
    there = [facts for facts in relations if schema in {None, facts.table.schema}]
    found = [
        facts
        for facts in there
        if (not include or _matches(facts.table, include)) and not _matches(facts.table, exclude)
    ]
    if found:
        return tuple(found)
    if there:
        msg = f"none of the {len(there)} tables and views is left by --include and --exclude"
        remedy = "patterns are compared with the whole name: write '*order*' for every name that holds order"
    elif relations:
        msg = f"the schema {schema!r} has no table or view that this user can read"
        remedy = f"there is {', '.join(sorted({facts.table.schema for facts in relations if facts.table.schema}))}"
    else:
        msg = "the source has no table or view that this user can read"
        remedy = "check the database's name and the user's rights"
    raise UsageError(msg, code="RIVET_INIT_NO_TABLES", remedy=remedy)


def named(relations: Iterable[RelationFacts], word: str) -> RelationFacts | None:
    """Return the relation that a word names, as a configuration would write it or as it is; None when none is listed.

    :raises UsageError: ``RIVET_INIT_TABLE_AMBIGUOUS``.
    """
    table = table_of(word)
    found = [
        facts
        for facts in relations
        if word in {facts.table.name, str(facts.table)}
        or (table is not None and table.name == facts.table.name and table.schema in {None, facts.table.schema})
    ]
    if len(found) > 1:
        names = ", ".join(str(facts.table) for facts in found)
        msg = f"several tables are called {word}: {names}"
        raise UsageError(msg, code="RIVET_INIT_TABLE_AMBIGUOUS", remedy="write one of them with its schema")
    return found[0] if found else None


def not_found(relations: Iterable[RelationFacts], word: str) -> EnvironmentFailure:
    """Return the error for a name that nothing has, with the one that was probably meant."""
    names = {str(facts.table): facts.table.name for facts in relations}
    near = closest(word, names) or next(
        (whole for whole, name in names.items() if name == closest(word.rpartition(".")[2], names.values())), None
    )
    return EnvironmentFailure(
        f"there is no table or view {word} that this user can read",
        code="RIVET_SOURCE_TABLE_NOT_FOUND",
        place=Place(relation=word),
        remedy=f"did you mean {near!r}?" if near else "check the name; without --table every table is taken",
    )


def _matches(table: Table, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns for name in (table.name, str(table)))
