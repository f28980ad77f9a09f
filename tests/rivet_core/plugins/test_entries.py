from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from rivet_core.plugins import Plugins
from rivet_core.plugins.entries import Entry, Seam, normal, restrict

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

names = st.from_regex(r"[a-z][a-z0-9]{0,5}([-_.][a-z0-9]{1,4}){0,2}", fullmatch=True)


def entry(distribution: str) -> Entry:
    return Entry(seam=Seam.SOURCE, kind=distribution, target="m", distribution=distribution, version="1")


@given(st.lists(names, unique_by=normal), st.lists(names))
def test_a_restriction_divides_the_entries_and_loses_none(installed: list[str], allowed: list[str]) -> None:
    entries = [entry(name) for name in installed]
    kept, left_out = restrict(entries, ",".join(allowed))
    assert sorted((*kept, *left_out), key=lambda one: one.kind) == sorted(entries, key=lambda one: one.kind)
    wanted = {normal(name) for name in allowed} | {"rivet-core"}
    assert all(normal(one.distribution) in wanted for one in kept)
    assert not any(normal(one.distribution) in wanted for one in left_out)


def test_without_the_variable_everything_is_kept() -> None:
    assert restrict([entry("a"), entry("b")], None) == ((entry("a"), entry("b")), ())


def test_an_entry_may_name_an_object_in_its_module(install: Callable[..., str], tmp_path: Path) -> None:
    module = install(
        "rivet-duck",
        ("source.goose",),
        """
        class Pond:
            @hookimpl
            def rivet_sources(self):
                return [source("duck")]

        pond = Pond()
        """,
    )
    points = tmp_path / "site" / "rivet_duck-1.0.dist-info" / "entry_points.txt"
    points.write_text(f"[rivet]\nsource.duck = {module}:pond\n")
    assert Plugins.installed({}).source_type("duck").kind == "duck"
