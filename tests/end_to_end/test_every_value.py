"""Every type, value and shape of relation, from PostgreSQL to files that a reader of others opens."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pyarrow.parquet as pq
import pytest
from e2e_command import Ended, Place, export, table
from e2e_every_type import SCHEMA, TypeFacts, make_tables, make_types
from e2e_reader import Delivered
from e2e_server_text import array_elements, server_rows
from e2e_shapes import SHAPES, make_shapes, select
from postgres_server import PostgresDatabase

# Two runs of eighty exports each.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

#: Arrow types by native type; what is not here arrives as the server's own text.
ARROW = {
    "bool": "bool", "int2": "int16", "int4": "int32", "int8": "int64", "oid": "int64", "float4": "float",
    "float8": "double", "money": "decimal128(19, 2)", "bytea": "binary", "date": "date32[day]", "time": "time64[us]",
    "timestamp": "timestamp[us]", "timestamptz": "timestamp[us, tz=UTC]", "json": "extension<arrow.json>",
    "jsonb": "extension<arrow.json>", "uuid": "extension<arrow.uuid>",
    # domains
    "cardinal_number": "int32", "time_stamp": "timestamp[us, tz=UTC]", "lo": "int64", "positive": "decimal128(10, 2)",
    "small positive": "decimal128(10, 2)", "ints": "list<int32>",
}  # fmt: skip
#: Texts whose arrays are lists, too; arrays of all other texts are the server's text of the whole array.
LISTED_TEXTS = {"text", "varchar", "bpchar", "name", "numeric", "mood", "n" * 63, "character_data", "sql_identifier",
                "yes_or_no", "word"}  # fmt: skip
#: The tables that the catalogue's types fall into.
TABLES = tuple(
    f"{origin}{shape}{category}"
    for origin, categories in (
        ("", "bits booleans geometry internals moments networks numbers others ranges strings tables vectors views"),
        ("", "timespans"),
        ("added_", "composites enums numbers others ranges strings vectors"),
    )
    for category in categories.split()
    for shape in ("", "arrays_of_")
)  # fmt: skip


def money(text: str) -> str:
    """Without the currency and the thousands' marks, which are no part of the value."""
    return re.sub(r"[$,]", "", text)


def interval(text: str) -> str:
    """With six digits behind the point, as the page of types promises."""
    return re.sub(r"\.(\d+)S", lambda found: f".{found[1]:0<6}S", text)


#: Where the delivered text is not the server's own, and how it differs; but not in the text of a whole array.
SPELLING: dict[str, Callable[[str], str]] = {"money": money, "interval": interval}


@attrs.frozen(kw_only=True)
class Stock:
    """The database.

    :param types: all types of the server.
    :param columns: the types of the columns of the tables that were made from the catalogue.
    """

    database: PostgresDatabase
    types: tuple[TypeFacts, ...]
    columns: dict[str, list[TypeFacts]]


@attrs.frozen(kw_only=True)
class World:
    """The database, exported once in one format by one command."""

    format: str
    stock: Stock
    place: Place
    ended: Ended

    def delivered(self, name: str) -> Delivered:
        return Delivered.at(self.place.prefix(name))


@pytest.fixture(scope="module")
def stock(make_database: Callable[[], PostgresDatabase]) -> Stock:
    database = make_database()
    types = make_types(database)
    columns = make_tables(database, types)
    make_shapes(database)
    return Stock(database=database, types=types, columns=columns)


def exported(stock: Stock, folder: Path, kind: str, overrides: dict[str, dict[str, str]]) -> World:
    place = Place(folder=folder)
    relations = {name: table(name, SCHEMA) for name in stock.columns} | SHAPES
    place.configure(
        {"url": stock.database.url},
        [
            export(name, relation, format=kind, **({"columns": overrides[name]} if overrides.get(name) else {}))
            for name, relation in relations.items()
        ],
    )
    return World(format=kind, stock=stock, place=place, ended=place.run("--validate"))


@pytest.fixture(scope="module")
def parquet(stock: Stock, tmp_path_factory: pytest.TempPathFactory) -> World:
    return exported(stock, tmp_path_factory.mktemp("parquet"), "parquet", {})


@pytest.fixture(scope="module")
def csv(stock: Stock, parquet: World, tmp_path_factory: pytest.TempPathFactory) -> World:
    """With the text of every array, since CSV refuses lists."""
    overrides = {}
    for name in (*stock.columns, *SHAPES):
        delivered = parquet.delivered(name)
        pairs = zip(delivered.schema.names, delivered.lists(), strict=True)
        overrides[name] = {column: "text" for column, is_list in pairs if is_list}
    return exported(stock, tmp_path_factory.mktemp("csv"), "csv", overrides)


@pytest.fixture(scope="module", params=["parquet", "csv"])
def world(request: pytest.FixtureRequest) -> World:
    found: World = request.getfixturevalue(request.param)
    return found


def compare(delivered: Delivered, expected: list[tuple[Any, ...]]) -> None:
    """Compares two sets of rows, first a column at a time, so that a difference says where it is."""
    found = delivered.rows()
    assert len(found) == len(expected) == delivered.manifest["row_count"]
    meant = [delivered.meant(row) for row in found]
    wanted = [delivered.meant(row) for row in expected]
    for place, name in enumerate(delivered.schema.names):
        here = Counter(row[place] for row in meant)
        there = Counter(row[place] for row in wanted)
        assert here == there, f"column {name}"
    assert Counter(meant) == Counter(wanted)


def expected_rows(database: PostgresDatabase, delivered: Delivered, asked: str, natives: list[str]) -> list[Any]:
    """The server's rows, arrays taken apart where lists are delivered."""
    lists = delivered.lists()
    spelling = [
        SPELLING.get(native.removesuffix("[]") if is_list else native, str)
        for native, is_list in zip(natives, lists, strict=True)
    ]
    return [
        tuple(
            _spelled(cell, spelled, is_list=is_list)
            for cell, spelled, is_list in zip(row, spelling, lists, strict=True)
        )
        for row in server_rows(database, asked)
    ]


def _spelled(cell: str | None, spelled: Callable[[str], str], *, is_list: bool) -> Any:
    if cell is None:
        return None
    if not is_list:
        return spelled(cell)
    return [None if item is None else spelled(item) for item in array_elements(cell)]


def test_everything_is_exported_and_verified_by_one_command(world: World) -> None:
    assert (world.ended.code, world.ended.err.count("Error")) == (0, 0), world.ended.err[-3000:]


def test_no_type_of_the_server_is_left_out(stock: Stock) -> None:
    covered = {(one.schema, one.name) for columns in stock.columns.values() for one in columns}
    left = {one.name for one in stock.types if (one.schema, one.name) not in covered and one.kind != "p"}
    # No column can be of these: each is, or holds, a pseudo type.
    rows = {"pg_attribute", "pg_statistic", "pg_statistic_ext_data", "pg_stats", "pg_stats_ext_exprs"}
    assert left == {"_cstring"} | rows | {f"_{name}" for name in rows}
    assert len(covered) > 650


def test_the_catalogue_makes_the_tables_that_are_compared(stock: Stock) -> None:
    assert set(TABLES) == set(stock.columns)


@pytest.mark.parametrize("name", TABLES)
def test_each_column_has_its_arrow_type(world: World, name: str) -> None:
    columns = world.stock.columns[name]
    found = world.delivered(name).types()
    expected = {one.name: arrow_type(one) for one in columns}
    if world.format == "csv":
        expected = {column: "string" if kind.startswith("list<") else kind for column, kind in expected.items()}
    assert found == expected


def arrow_type(one: TypeFacts) -> str:
    if one.element is None:
        return ARROW.get(one.name, "string")
    listed = one.element in ARROW and not ARROW[one.element].startswith("list<")
    if listed or one.element in LISTED_TEXTS:
        return f"list<{ARROW.get(one.element, 'string')}>"
    return "string"


@pytest.mark.parametrize("name", TABLES)
def test_each_value_of_each_type_is_the_servers_own(world: World, name: str) -> None:
    delivered = world.delivered(name)
    natives = [one.name if one.element is None else f"{one.element}[]" for one in world.stock.columns[name]]
    asked = select(table(name, SCHEMA))
    compare(delivered, expected_rows(world.stock.database, delivered, asked, natives))


@pytest.mark.parametrize("name", SHAPES)
def test_each_shape_of_relation_arrives_whole(world: World, name: str) -> None:
    delivered = world.delivered(name)
    asked = select(SHAPES[name])
    described = world.stock.database.psql_text(f"{asked}\n\\gdesc").split("\n")
    names = [line.rpartition("|")[0] for line in described]
    natives = [line.rpartition("|")[2] for line in described]
    assert delivered.schema.names == names
    spelled = [re.sub(r"^interval.*", "interval", native) for native in natives]
    compare(delivered, expected_rows(world.stock.database, delivered, asked, spelled))


def test_the_files_have_the_schema_of_their_manifest(parquet: World) -> None:
    for name in (*TABLES, *SHAPES):
        delivered = parquet.delivered(name)
        assert all(pq.read_schema(file).equals(delivered.schema) for file in delivered.files), name


def test_zero_rows_are_one_typed_file(parquet: World) -> None:
    delivered = parquet.delivered("empty")
    assert (delivered.manifest["row_count"], len(delivered.files)) == (0, 1)
    assert delivered.types() == {
        "id": "int64",
        "d": "date32[day]",
        "ts": "timestamp[us, tz=UTC]",
        "n": "decimal128(12, 3)",
        "j": "extension<arrow.json>",
        "u": "extension<arrow.uuid>",
        "l": "list<extension<arrow.uuid>>",
    }


def test_csv_refuses_lists_and_nothing_else(stock: Stock, parquet: World, place: Place) -> None:
    names = (*TABLES, *SHAPES)
    relations = {name: table(name, SCHEMA) for name in stock.columns} | SHAPES
    place.configure({"url": stock.database.url}, [export(name, relations[name], format="csv") for name in names])
    done = place.rivet("check", "-c", "rivet.yaml", "--json")
    found = {one["export_name"]: one["error"] for one in done.json()}
    refused = {name: (error["code"], error["place"]["field"]) for name, error in found.items() if error is not None}
    expected = {}
    for name in names:
        delivered = parquet.delivered(name)
        lists = [column for column, is_list in zip(delivered.schema.names, delivered.lists(), strict=True) if is_list]
        if lists:
            expected[name] = ("RIVET_CONFIG_FORMAT_COLUMN_UNSUPPORTED", lists[0])
    assert (done.code, refused) == (1, expected)
