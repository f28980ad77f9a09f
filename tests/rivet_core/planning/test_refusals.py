"""What is refused before anything is read, because nothing could be done or judged with it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs
import pyarrow as pa
import pytest

from rivet_core.capabilities import DestinationCapabilities, SourceCapabilities
from rivet_core.errors import UsageError
from rivet_core.hookspecs import DatasetSpec
from rivet_core.planning import Facts, Plan, make_plan
from rivet_core.requests import Chosen, Intent
from rivet_core.runners.full.plugin import rivet_runners
from rivet_core.schema import TableSchema
from rivet_core.types import Column, ColumnRules, InvalidValue, SourceIdentity, Table

ANY = Chosen(kind="any", options=None)
POINT = pa.struct([("x", pa.int64())])
TYPES = {"id": pa.int64(), "name": pa.string(), "place": POINT, "tags": pa.list_(pa.string())}


def planned(
    *, md5: bool = False, types: Iterable[tuple[str, pa.DataType]] = tuple(TYPES.items()), **changes: Any
) -> Plan:
    intent = Intent(name="things", source=ANY, relation=Table("things"), mode=ANY, format=ANY, destination=ANY)
    columns = tuple(
        Column(name=name, native_type=str(kind), field=pa.field(name, kind), expression=name) for name, kind in types
    )
    facts = Facts(
        identity=SourceIdentity(engine="test", server="here", database="memory"),
        source=SourceCapabilities(),
        destination=DestinationCapabilities(md5=md5),
        schemas=((DatasetSpec(name="", relation=Table("things")), TableSchema(columns=columns)),),
        destination_template="here/",
    )
    (runner,) = rivet_runners()
    return make_plan(attrs.evolve(intent, **changes), facts, runner, position=None)


@pytest.mark.parametrize(
    ("changes", "key", "words"),
    [
        ({"row_hash": ()}, "meta_columns.row_hash", "cannot cover place"),
        ({"row_hash": ("id", "place")}, "meta_columns.row_hash", "cannot cover place"),
        ({"row_hash": ("ghost",)}, "meta_columns.row_hash", "ghost"),
        ({"unique_columns": ("id", "ghost")}, "quality.unique_columns", "names ghost"),
        ({"unique_columns": ("place",)}, "quality.unique_columns", "place (struct<x: int64>) cannot be told apart"),
        ({"null_ratio_max": (("ghost", 0.5),)}, "quality.null_ratio_max", "names ghost"),
        ({"verify": "content"}, "verify", "keeps no MD5"),
        ({"rules": ColumnRules(types=(("ghost", "text"),))}, "columns", "names ghost"),
        ({"rules": ColumnRules(types=(("ID", "text"),))}, "columns", "names ID"),
        (
            {"rules": ColumnRules(on_invalid_by_column=(("ghost", InvalidValue.NULL),))},
            "on_invalid_value",
            "names ghost",
        ),
    ],
)
def test_it_is_refused_by_its_key(changes: dict[str, Any], key: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        planned(**changes)
    assert caught.value.code == "RIVET_CONFIG_VALUE_INVALID"
    assert words in caught.value.message
    assert caught.value.place is not None
    assert caught.value.place.path == f"exports.things.{key}"
    assert caught.value.remedy


def test_two_columns_of_one_name_are_refused_whatever_source_has_them() -> None:
    with pytest.raises(UsageError) as caught:
        planned(types=[("id", pa.int64()), ("id", pa.string())])
    assert (caught.value.code, caught.value.message) == ("RIVET_TYPE_UNSAFE_MAPPING", "several columns are called id")


@pytest.mark.parametrize(
    "changes",
    [
        {"row_hash": ("id", "tags")},
        {"rules": ColumnRules(types=(("id", "text"),), on_invalid_by_column=(("name", InvalidValue.NULL),))},
        {"unique_columns": ("id", "name", "tags"), "null_ratio_max": (("place", 0.5),)},
        {"verify": "content", "md5": True},
    ],
)
def test_what_can_be_done_is_planned(changes: dict[str, Any]) -> None:
    assert planned(**changes).datasets[0].row_hash == changes.get("row_hash")
