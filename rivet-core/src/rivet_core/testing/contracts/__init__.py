"""The contracts, one sentence a test; see :mod:`rivet_core.testing` for how to apply them."""

from __future__ import annotations
