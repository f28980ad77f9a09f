from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rivet_core.config import ConfigurationInvalid, Problem
from rivet_core.errors import Place, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rivet_core.config import Configuration

TEXT = """source:
  type: duck
  host: h
  tls:
    mode: disable
exports:
  - {name: a, table: t, format: csv, destination: {type: stdout}}
  - name: ${B}
    query: q
    format: csv
    destination:
      type: stdout
    columns: {x.y: int}
    quality:
      unique_columns:
        - id
  - {name: a.b, table: t, format: csv, destination: {type: stdout}}
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("source", 1), ("source.host", 3), ("source.tls", 4), ("source.tls.mode", 5), ("source.tls.ca_file", 4),
        ("source.password_env", 1), ("exports", 6), ("exports.a", 7), ("exports.a.verify", 7), ("exports.b", 8),
        ("exports.b.destination.type", 12), ("exports.b.quality.unique_columns", 15), ("exports.b.verify", 8),
        ("exports.b.quality.unique_columns[0]", 16), ("exports.b.quality.row_count_min", 14), ("exports.a.b.mode", 17),
        ('exports.b.columns."x.y"', 13), ("exports.c", 6), ("exports[1].query", 9), ("exports[9]", 6), ("none", 1),
        ("notifications.slack", 1),
    ],
)  # fmt: skip
def test_a_path_has_a_line(read: Callable[..., Configuration], path: str, line: int) -> None:
    place = read(TEXT, B="b").places.find(path)
    assert (place.file, place.line, place.path) == ("rivet.yaml", line, path)


def test_an_error_with_a_path_gets_its_line(read: Callable[..., Configuration]) -> None:
    error = UsageError("no", code="RIVET_CONFIG_VALUE_INVALID", place=Place(path="exports.b.quality", relation="t"))
    read(TEXT, B="b").places.locate(error)
    assert "(rivet.yaml:14:5, exports.b.quality, relation t)" in str(error)


def test_every_problem_of_an_error_gets_its_line(read: Callable[..., Configuration]) -> None:
    paths = ("exports.b.quality", "exports.a.columns")
    error = ConfigurationInvalid(Problem(place=Place(path=path), message=path, remedy="mend it") for path in paths)
    read(TEXT, B="b").places.locate(error)
    assert [problem.place.line for problem in error.problems] == [7, 14]
    assert "rivet.yaml:14:5, exports.b.quality" in str(error)


@pytest.mark.parametrize(
    "place", [None, Place(relation="t"), Place(file="other", path="source"), Place(line=9, path="x")]
)
def test_what_has_a_place_already_keeps_it(read: Callable[..., Configuration], place: Place | None) -> None:
    error = UsageError("no", code="RIVET_CONFIG_VALUE_INVALID", place=place)
    read(TEXT, B="b").places.locate(error)
    assert error.place == place


def test_the_lines_show_no_value(read: Callable[..., Configuration]) -> None:
    configuration = read(TEXT.replace("host: h", "host: h\n  password: hunter2"), B="b")
    assert "hunter2" not in f"{configuration!r} {configuration.places!r}"


@pytest.mark.parametrize(("export", "key", "line"), [("a", "table", 7), ("b", "query", 9), ("a.b", "table", 17)])
def test_an_error_about_an_exports_relation_gets_the_line_of_the_key_that_names_it(
    read: Callable[..., Configuration], export: str, key: str, line: int
) -> None:
    error = UsageError("no", code="RIVET_CONFIG_VALUE_INVALID", place=Place(relation="t"))
    read(TEXT, B="b").places.locate(error, export=export)
    assert error.place is not None
    assert (error.place.path, error.place.line) == (f"exports.{export}.{key}", line)


@pytest.mark.parametrize("place", [None, Place(path="source.url")])
def test_an_error_about_something_else_is_not_put_to_the_exports_relation(
    read: Callable[..., Configuration], place: Place | None
) -> None:
    error = UsageError("no", code="RIVET_CONFIG_VALUE_INVALID", place=place)
    read(TEXT, B="b").places.locate(error, export="a")
    assert (error.place and error.place.path) == (place and place.path)
