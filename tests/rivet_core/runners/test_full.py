"""The runner ``full``."""

from __future__ import annotations

from types import SimpleNamespace

from rivet_core.protocols import Runner
from rivet_core.requests import ReadRequest, Unit
from rivet_core.runners.full.options import FullOptions
from rivet_core.runners.full.plugin import rivet_runners
from rivet_core.types import Table


def test_the_whole_relation_is_one_unit_with_the_plain_request() -> None:
    (declared,) = rivet_runners()
    runner = declared.factory(FullOptions())
    request = ReadRequest(relation=Table("t"))
    assert isinstance(runner, Runner)
    assert list(runner.units(SimpleNamespace(request=request))) == [Unit(id="full", ordinal=0, request=request)]


def test_it_serves_every_source_in_the_mode_full() -> None:
    (declared,) = rivet_runners()
    assert (declared.mode, declared.capabilities.whole_relation, declared.capabilities.parallel) == (
        "full",
        True,
        False,
    )
    assert declared.capabilities.positioned is False
