from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path

import pytest

from rivet_core.testing.entries import GROUP, HOOKS

OURS = sorted(
    point.name
    for point in entry_points(group=GROUP)
    if point.dist is not None and point.dist.name.startswith("rivet-") and point.name.partition(".")[0] in HOOKS
)
MODULES = "\n".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))


@pytest.mark.parametrize("name", OURS)
def test_every_plugin_of_ours_is_held_to_both_of_its_contracts(name: str) -> None:
    assert f'declaration = installed("{name}")' in MODULES
    assert f'entry = "{name}"' in MODULES
