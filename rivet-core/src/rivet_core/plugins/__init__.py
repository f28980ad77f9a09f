"""Finds installed plugins by their metadata and imports one only when its kind is asked for."""

from __future__ import annotations

from rivet_core.plugins.discovery import Plugins
from rivet_core.plugins.entries import Entry, Seam
from rivet_core.plugins.listing import PluginRow, PluginState

__all__ = ["Entry", "PluginRow", "PluginState", "Plugins", "Seam"]
