from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import pytest

from rivet_core.config.nodes import Keyed, compose
from rivet_core.config.placeholders import Variables
from rivet_core.config.reading import Reading
from rivet_core.config.structure import WRONG, structure_class
from rivet_core.errors import InternalError

if TYPE_CHECKING:
    from decimal import Decimal


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@attrs.frozen(kw_only=True)
class Inner:
    a: int
    b: str = "b"


@attrs.frozen(kw_only=True)
class Wide:
    colour: Colour = Colour.RED
    names: frozenset[str] = frozenset()
    table: Mapping[str, int] = attrs.field(factory=dict)
    inners: tuple[Inner, ...] = ()
    number_or_text: int | str = 0
    flag_or_list: bool | tuple[str, ...] = False
    class_: str = attrs.field(default="", metadata={"key": "class"})
    _private: int = 0
    derived: int = attrs.field(init=False, default=7)


@attrs.frozen(kw_only=True)
class Unreadable:
    when: complex = 0j


@attrs.frozen(kw_only=True)
class Unresolvable:
    amount: Decimal | None = None


def filled(cls: type, text: str) -> tuple[Any, list[str]]:
    node, _ = compose(text, file="f.yaml")
    assert isinstance(node, Keyed)
    reading = Reading(folder=Path("/folder"), variables=Variables({}, {}))
    return structure_class(cls, node, reading), [f"{p.place.path}: {p.message}" for p in reading.problems]


def test_every_shape_of_option_is_filled() -> None:
    made, problems = filled(
        Wide,
        "colour: blue\nnames: [x, y]\ntable: {a: 1}\ninners: [{a: 1}, {a: 2, b: c}]\n"
        "number_or_text: 5\nflag_or_list: [a]\nclass: first\nprivate: 3\n",
    )
    assert problems == []
    assert made == Wide(
        colour=Colour.BLUE,
        names=frozenset({"x", "y"}),
        table={"a": 1},
        inners=(Inner(a=1), Inner(a=2, b="c")),
        number_or_text=5,
        flag_or_list=("a",),
        class_="first",
        private=3,
    )


@pytest.mark.parametrize(("text", "value"), [("x5", "x5"), ("'5'", "5"), ("0x5", "0x5"), ("-3", -3)])
def test_a_number_or_text_is_a_number_only_where_it_is_written_as_one(text: str, value: object) -> None:
    made, problems = filled(Wide, f"number_or_text: {text}")
    assert (made.number_or_text, problems) == (value, [])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("colour: green", "colour: 'colour' must be one of red, blue, and is 'green'"),
        ("flag_or_list: {a: b}", "flag_or_list: 'flag_or_list' must be true or false or a list, and this is a mapping"),
        ("inners: [{b: c}]", "inners[0]: the key 'a' is missing"),
        ("inners: [5]", "inners[0]: this item must be a mapping, and this is a single value"),
        ("table: {a: x}", "table.a: 'a' must be a whole number, and is 'x'"),
        ("table: {'${A}': 1}", "table.${A}: placeholders are put into values, not into keys"),
        ("names: x", "names: 'names' must be a list, and this is a single value"),
        ("derived: 5", "derived: unknown key 'derived'"),
        ("_private: 5", "_private: unknown key '_private'"),
    ],
)
def test_what_does_not_fit_is_told_with_what_would(text: str, problem: str) -> None:
    made, problems = filled(Wide, text)
    assert made is WRONG
    assert problems == [problem]


def test_a_long_value_is_shortened_in_messages() -> None:
    _, (problem,) = filled(Wide, f"table: {{a: {'x' * 500}}}")
    assert len(problem) < 150


@pytest.mark.parametrize(("cls", "words"), [(Unreadable, "complex"), (Unresolvable, "Decimal")])
def test_an_options_class_that_no_file_can_fill_is_its_authors_fault(cls: type, words: str) -> None:
    with pytest.raises(InternalError) as caught:
        filled(cls, "when: 1")
    assert caught.value.code == "RIVET_INTERNAL_CONTRACT"
    assert words in caught.value.message
