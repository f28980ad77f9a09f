"""Every type, value and shape of relation, from PostgreSQL to files that a reader of others opens."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import attrs
import pytest
from e2e_command import Ended, Place, export, table
from e2e_every_type import SCHEMA, TypeFacts, make_tables, make_types
from e2e_reader import Delivered
from e2e_server_text import array_elements, server_rows
from e2e_shapes import SHAPES, make_shapes, select
from postgres_server import PostgresDatabase

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
        ("", "booleans geometry internals moments networks numbers others ranges strings bits timespans vectors tables views"),
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
class World:
    """The database, exported once, by one command.

    :param types: all types of the server.
    :param columns: the types of the columns of the tables that were made from the catalogue.
    """

    database: PostgresDatabase
    place: Place
    types: tuple[TypeFacts, ...]
    columns: dict[str, list[TypeFacts]]
    ended: Ended


@pytest.fixture(scope="module")
def world(make_database: Callable[[], PostgresDatabase], tmp_path_factory: pytest.TempPathFactory) -> World:
    database = make_database()
    types = make_types(database)
    columns = make_tables(database, types)
    make_shapes(database)
    place = Place(folder=tmp_path_factory.mktemp("every"))
    relations = {name: table(name, SCHEMA) for name in columns} | SHAPES
    place.configure({"url": database.url}, [export(name, relation) for name, relation in relations.items()])
    return World(database=database, place=place, types=types, columns=columns, ended=place.run("--validate"))


def compare(delivered: Delivered, expected: list[tuple[Any, ...]]) -> None:
    """Compares two sets of rows, first a column at a time, so that a difference says where it is."""
    found = delivered.rows()
    names = delivered.schema.names
    assert len(found) == len(expected) == delivered.manifest["row_count"]
    meant = [delivered.meant(row) for row in found]
    wanted = [delivered.meant(row) for row in expected]
    for place, name in enumerate(names):
        here = Counter(row[place] for row in meant)
        there = Counter(row[place] for row in wanted)
        assert here == there, f"column {name}"
    assert Counter(meant) == Counter(wanted)


def expected_rows(database: PostgresDatabase, delivered: Delivered, asked: str, natives: list[str]) -> list[Any]:
    """The server's rows, arrays taken apart where lists are delivered."""
    lists = [kind.startswith("list<") for kind in delivered.types().values()]
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


def test_no_type_of_the_server_is_left_out(world: World) -> None:
    covered = {(one.schema, one.name) for columns in world.columns.values() for one in columns}
    left = {one.name for one in world.types if (one.schema, one.name) not in covered and one.kind != "p"}
    # No column can be of these: each is, or holds, a pseudo type.
    rows = {"pg_attribute", "pg_statistic", "pg_statistic_ext_data", "pg_stats", "pg_stats_ext_exprs"}
    assert left == {"_cstring"} | rows | {f"_{name}" for name in rows}
    assert len(covered) > 650


def test_the_catalogue_makes_the_tables_that_are_compared(world: World) -> None:
    assert set(TABLES) == set(world.columns)


@pytest.mark.parametrize("name", TABLES)
def test_each_column_has_its_arrow_type(world: World, name: str) -> None:
    columns = world.columns[name]
    found = Delivered.at(world.place.prefix(name)).types()
    assert found == {one.name: arrow_type(one) for one in columns}


def arrow_type(one: TypeFacts) -> str:
    if one.element is None:
        return ARROW.get(one.name, "string")
    listed = one.element in ARROW and not ARROW[one.element].startswith("list<")
    if listed or one.element in LISTED_TEXTS:
        return f"list<{ARROW.get(one.element, 'string')}>"
    return "string"


@pytest.mark.parametrize("name", TABLES)
def test_each_value_of_each_type_is_the_servers_own(world: World, name: str) -> None:
    delivered = Delivered.at(world.place.prefix(name))
    natives = [one.name if one.element is None else f"{one.element}[]" for one in world.columns[name]]
    asked = select(table(name, SCHEMA))
    compare(delivered, expected_rows(world.database, delivered, asked, natives))


@pytest.mark.parametrize("name", SHAPES)
def test_each_shape_of_relation_arrives_whole(world: World, name: str) -> None:
    delivered = Delivered.at(world.place.prefix(name))
    asked = select(SHAPES[name])
    described = world.database.psql_text(f"{asked}\n\\gdesc").split("\n")
    names = [line.rpartition("|")[0] for line in described]
    natives = [line.rpartition("|")[2] for line in described]
    assert delivered.schema.names == names
    spelled = [re.sub(r"^interval.*", "interval", native) for native in natives]
    compare(delivered, expected_rows(world.database, delivered, asked, spelled))


def test_zero_rows_are_one_typed_file(world: World) -> None:
    delivered = Delivered.at(world.place.prefix("empty"))
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
