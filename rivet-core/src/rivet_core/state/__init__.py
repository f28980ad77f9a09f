"""The state database: SQLite beside the configuration. Reading is for everybody, writing for the ledger alone."""

from __future__ import annotations

from rivet_core.state.database import StateDatabase
from rivet_core.state.location import STATE_FILE, state_path

__all__ = ["STATE_FILE", "StateDatabase", "state_path"]
