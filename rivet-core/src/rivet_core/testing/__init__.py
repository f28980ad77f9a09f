"""The conformance kit for authors of plugins."""

from __future__ import annotations
