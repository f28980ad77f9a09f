"""Asks a source what it has, and how the columns of each relation would be delivered."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rivet_core.config.relations import table_of
from rivet_core.engine.scaffold.looked import Looked
from rivet_core.engine.scaffold.overrides import proposed
from rivet_core.engine.scaffold.selection import named, not_found, selected
from rivet_core.errors import RivetError, UsageError
from rivet_core.protocols import CatalogueSource
from rivet_core.schema import RelationFacts
from rivet_core.types import ColumnRules

if TYPE_CHECKING:
    from rivet_core.hookspecs import SourceType
    from rivet_core.protocols import Source


def chosen_relations(
    source: Source,
    declaration: SourceType,
    *,
    tables: tuple[str, ...] = (),
    schema: str | None = None,
    include: tuple[str, ...] = (),
    exclude: tuple[str, ...] = (),
) -> tuple[RelationFacts, ...]:
    """Return the named tables in their order, each once, or what is selected of everything that the source lists."""
    lists = declaration.capabilities.relations and isinstance(source, CatalogueSource)
    listed = cast("CatalogueSource", source).relations() if lists else None
    if tables:
        found = [_named(source, listed or (), word) for word in tables]
        return tuple({facts.table: facts for facts in found}.values())
    if listed is None:
        msg = f"a source of the type {declaration.kind} cannot list its tables"
        raise UsageError(msg, code="RIVET_CLI_OPTION_UNSUPPORTED", remedy="name each of them with --table")
    return selected(listed, schema=schema, include=include, exclude=exclude)


def look(source: Source, relation: RelationFacts) -> Looked:
    """Return a relation with its columns.

    :raises RivetError: as :meth:`~rivet_core.protocols.Source.describe` does.
    """
    schema = source.describe(relation.table, ColumnRules())
    wished = proposed(schema.columns)
    if not _takes(source, relation, wished):
        wished = tuple(one for one in wished if _takes(source, relation, (one,)))
    return Looked(relation=relation, schema=schema, overrides=wished)


def _named(source: Source, listed: tuple[RelationFacts, ...], word: str) -> RelationFacts:
    """Return what a word names: something that is listed, or something else that the source can describe."""
    found = named(listed, word)
    if found is not None:
        return found
    table = table_of(word)
    if table is None:
        msg = f"--table {word!r} is not [schema.]name"
        remedy = 'put a name with other characters in double quotes, as in \'"my schema"."my table"\''
        raise UsageError(msg, code="RIVET_CLI_VALUE_INVALID", remedy=remedy)
    try:
        source.describe(table, ColumnRules())
    except RivetError as error:
        if error.code != "RIVET_SOURCE_TABLE_NOT_FOUND" or not listed:
            raise
        raise not_found(listed, word) from error
    return RelationFacts(table=table)


def _takes(source: Source, relation: RelationFacts, wished: tuple[tuple[str, str], ...]) -> bool:
    """Return whether the source can deliver columns in these types, as far as its catalogue tells."""
    if not wished:
        return True
    try:
        source.describe(relation.table, ColumnRules(types=wished))
    except UsageError:
        return False
    return True
