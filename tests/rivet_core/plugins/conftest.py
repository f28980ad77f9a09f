"""Distributions on disk, with real metadata, as an installer would leave them."""

from __future__ import annotations

import itertools
import sys
import textwrap
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_numbers = itertools.count()

#: Everything that a plugin module of these tests needs at its top.
PREAMBLE = """\
from __future__ import annotations

import attrs

from rivet_core.capabilities import (
    DestinationCapabilities, FormatCapabilities, RunnerCapabilities, SourceCapabilities,
)
from rivet_core.hookspecs import DestinationType, FormatType, RunnerType, SourceType, hookimpl


@attrs.frozen(kw_only=True)
class Options:
    prefix: str = ""


def source(kind, **more):
    return SourceType(kind=kind, options=Options, capabilities=SourceCapabilities(), factory=object, **more)


def runner(kind, mode):
    return RunnerType(kind=kind, mode=mode, options=Options, capabilities=RunnerCapabilities(), factory=object)


def format_(kind):
    return FormatType(kind=kind, options=Options, capabilities=FormatCapabilities(), factory=object)


def destination(kind):
    return DestinationType(kind=kind, options=Options, capabilities=DestinationCapabilities(), factory=object)

"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    """Install a distribution whose entry points all name one fresh module; returns the module's name."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(site)
    made: list[str] = []

    def make(
        distribution: str, entries: tuple[str, ...], body: str, *, version: str = "1.0", preamble: str = PREAMBLE
    ) -> str:
        module = f"stranger_{next(_numbers)}"
        made.append(module)
        (site / f"{module}.py").write_text(preamble + textwrap.dedent(body))
        name_module(site, distribution, dict.fromkeys(entries, module), version=version)
        return module

    yield make
    for module in made:
        sys.modules.pop(module, None)


def name_module(site: Path, distribution: str, entries: dict[str, str], *, version: str = "1.0") -> None:
    """Write a distribution's metadata alone."""
    info = site / f"{distribution.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
    lines = [f"{name} = {target}" for name, target in entries.items()]
    (info / "entry_points.txt").write_text("\n".join(["[rivet]", *lines, ""]))
