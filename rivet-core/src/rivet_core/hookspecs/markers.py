"""The pluggy markers of this project."""

from __future__ import annotations

from typing import Final

import pluggy

PROJECT: Final = "rivet"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
