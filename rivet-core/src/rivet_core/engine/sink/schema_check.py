"""A batch against its plan: hidden keys go, names and types must be the planned ones, text must be valid.

The plan fixed the schema before the first row, so a difference is a source's fault and never drift.
"""

from __future__ import annotations

import pyarrow as pa

from rivet_core.errors import InternalError, Place, RefusalError
from rivet_core.planning.plan import DatasetPlan
from rivet_core.requests import HIDDEN_PREFIX
from rivet_core.types import redact


def accepted(data: pa.RecordBatch, dataset: DatasetPlan, expected: pa.Schema) -> pa.RecordBatch:
    """Return the batch without its hidden keys, after it was checked.

    :param expected: ``dataset.source_schema``, made once.
    :raises InternalError: ``RIVET_RUN_BATCH_SCHEMA`` naming the first column that differs.
    :raises RefusalError: ``RIVET_SOURCE_VALUE_UNREPRESENTABLE`` naming a column whose values are broken.
    """
    visible = [index for index, name in enumerate(data.schema.names) if not name.startswith(HIDDEN_PREFIX)]
    if len(visible) < data.num_columns:
        data = data.select(visible)
    if not data.schema.equals(expected):
        _check_schema(data.schema, expected, dataset)
    for field, column in zip(data.schema, data.columns, strict=True):
        _check_values(field, column, dataset)
    return data


def _check_schema(actual: pa.Schema, expected: pa.Schema, dataset: DatasetPlan) -> None:
    for index in range(max(len(actual), len(expected))):
        got = actual.field(index) if index < len(actual) else None
        want = expected.field(index) if index < len(expected) else None
        # Nullability is not part of the check: files say that everything may be NULL.
        if got is not None and want is not None and got.name == want.name and got.type == want.type:
            continue
        wanted = f"{want.name!r} of type {want.type}" if want is not None else "no further column"
        found = f"{got.name!r} of type {got.type}" if got is not None else "no column"
        msg = f"the source delivered {found} as column {index + 1}, and the plan has {wanted}"
        name = want.name if want is not None else actual.field(index).name
        raise InternalError(
            msg,
            code="RIVET_RUN_BATCH_SCHEMA",
            place=Place(relation=str(dataset.relation), field=name),
            remedy="Report it to the authors of the source's plugin.",
        )


def _check_values(field: pa.Field, column: pa.Array, dataset: DatasetPlan) -> None:
    try:
        # Drivers pass the server's bytes on unseen (7 to 17 ns a cell to look); a reader of the file would fail.
        column.validate(full=_holds_text(field.type))
    except pa.ArrowInvalid as error:
        msg = f"a value of column {field.name!r} is not valid for its type {field.type}: {redact(str(error))}"
        raise RefusalError(
            msg,
            code="RIVET_SOURCE_VALUE_UNREPRESENTABLE",
            place=Place(relation=str(dataset.relation), field=field.name),
            remedy="Convert the column in a query, or read it as bytes, if its text is not in the database's encoding.",
        ) from error


def _holds_text(kind: pa.DataType) -> bool:
    if isinstance(kind, pa.BaseExtensionType):
        return _holds_text(kind.storage_type)
    if pa.types.is_dictionary(kind):
        return _holds_text(kind.value_type)
    if kind.num_fields:
        return any(_holds_text(kind.field(index).type) for index in range(kind.num_fields))
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))
