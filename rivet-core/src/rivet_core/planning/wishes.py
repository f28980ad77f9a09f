"""What a user says of columns that are not there: refused, since a misspelt wish would be dropped without a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_core.config import ConfigurationInvalid, Problem
from rivet_core.errors import Place

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rivet_core.hookspecs import DatasetSpec
    from rivet_core.requests import Intent
    from rivet_core.schema import TableSchema


def refuse_unknown_columns(intent: Intent, schemas: Iterable[tuple[DatasetSpec, TableSchema]]) -> None:
    """Refuse every key of an export that names columns which it does not have, all of them at once.

    A column is known when one dataset has it; the row hash covers its columns in each of them.

    :raises ConfigurationInvalid: ``RIVET_CONFIG_VALUE_INVALID``.
    """
    found = [[column.name for column in schema.columns] for _, schema in schemas]
    every = list(dict.fromkeys(name for names in found for name in names))
    shared = [name for name in every if all(name in names for names in found)]
    named = (
        ("columns", [name for name, _ in intent.rules.types], every),
        ("on_invalid_value", [name for name, _ in intent.rules.on_invalid_by_column], every),
        ("quality.null_ratio_max", [name for name, _ in intent.null_ratio_max], every),
        ("quality.unique_columns", intent.unique_columns, every),
        ("meta_columns.row_hash", intent.row_hash or (), shared),
    )
    problems = [
        _problem(intent, key, missing, known)
        for key, wished, known in named
        if (missing := [name for name in wished if name not in known])
    ]
    if problems:
        raise ConfigurationInvalid(problems)


def _problem(intent: Intent, key: str, missing: list[str], known: list[str]) -> Problem:
    lowered = {name.lower() for name in missing}
    near = [name for name in known if name.lower() in lowered]
    return Problem(
        message=f"{key} names {', '.join(missing)}, which the export does not have",
        code="RIVET_CONFIG_VALUE_INVALID",
        place=Place(path=f"exports.{intent.name}.{key}", relation=str(intent.relation)),
        remedy=f"there is {', '.join(near)}: names are taken exactly"
        if near
        else f"its columns are {', '.join(known)}",
    )
