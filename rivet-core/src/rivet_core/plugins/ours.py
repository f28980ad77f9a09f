"""Which distribution brings a kind that is not installed, and the error that says so."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

from rivet_core.errors import UsageError
from rivet_core.plugins.entries import CORE, Seam
from rivet_core.types.foreign_text import is_ordinary

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rivet_core.plugins.entries import Entry

#: The kinds of this project that exist, and the distribution of each.
DISTRIBUTIONS: Final[Mapping[tuple[Seam, str], str]] = {
    (Seam.SOURCE, "sqlite"): CORE,
    (Seam.SOURCE, "postgres"): "rivet-source-postgres",
    (Seam.RUNNER, "full"): CORE,
    (Seam.FORMAT, "parquet"): CORE,
    (Seam.FORMAT, "csv"): CORE,
    (Seam.DESTINATION, "local"): CORE,
    (Seam.DESTINATION, "stdout"): CORE,
}

#: Kinds that are meant to come: no distribution registers them, so there is nothing to install.
PLANNED: Final = frozenset(
    {
        *((Seam.SOURCE, kind) for kind in ("mysql", "mssql", "mongo")),
        *((Seam.RUNNER, mode) for mode in ("incremental", "chunked", "time_window", "cdc")),
        *((Seam.DESTINATION, kind) for kind in ("s3", "gcs", "azure")),
    }
)

#: Words that other tools use for our kinds.
SPELLINGS: Final[Mapping[str, str]] = {
    "pg": "postgres",
    "postgresql": "postgres",
    "mariadb": "mysql",
    "sqlserver": "mssql",
    "mongodb": "mongo",
    "sqlite3": "sqlite",
    "file": "local",
    "gs": "gcs",
    "azblob": "azure",
}


def missing_kind(
    seam: Seam, kind: str, *, installed: Iterable[str], hidden: Iterable[Entry] = (), broken: Iterable[str] = ()
) -> UsageError:
    """Return the error for a kind that nobody offers: what is installed, and where the kind comes from.

    :param installed: the kinds (for runners also the modes) of this seam that can be used.
    :param hidden: entries of this kind that ``RIVET_PLUGINS`` leaves out.
    :param broken: for runners: messages of those that could not be asked.
    """
    word = "runner for mode" if seam is Seam.RUNNER else str(seam)
    # Beside its password, the type of a source is where a password slips to.
    called = repr(kind) if seam is not Seam.SOURCE or is_ordinary(kind) else "that is asked for"
    names = sorted(set(installed))
    message = f"no installed plugin offers the {word} {called}; installed: {', '.join(names) or 'none'}"
    if reasons := tuple(broken):
        message += f"; not usable: {'; '.join(reasons)}"
    return UsageError(message, code="RIVET_PLUGIN_MISSING", remedy=_remedy(seam, kind, names, tuple(hidden)))


def _remedy(seam: Seam, kind: str, installed: list[str], hidden: tuple[Entry, ...]) -> str:
    if hidden:
        return f"{hidden[0].origin} offers it, but the variable RIVET_PLUGINS leaves it out"
    if (seam, kind) in DISTRIBUTIONS:
        return _bring(seam, kind)
    if (seam, kind) in PLANNED:
        return _unbuilt(seam, kind, installed)
    ours = [name for place, name in (*DISTRIBUTIONS, *PLANNED) if place is seam]
    near = SPELLINGS.get(kind.lower())
    if near not in {*installed, *ours}:
        near = next(iter(difflib.get_close_matches(kind.lower(), sorted({*installed, *ours}), n=1)), None)
    if near is None:
        return "install the distribution that offers it, or choose an installed kind"
    if near in installed:
        return f"did you mean {near!r}?"
    then = _unbuilt(seam, near, installed) if (seam, near) in PLANNED else _bring(seam, near)
    return f"did you mean {near!r}? If so, {then}"


def _bring(seam: Seam, kind: str) -> str:
    # No command: a public index may hold something else under the name.
    return f"install {DISTRIBUTIONS[seam, kind]} from where this rivet-core came from, in the same version"


def _unbuilt(seam: Seam, kind: str, installed: list[str]) -> str:
    called = f"mode {kind!r}" if seam is Seam.RUNNER else f"the {seam} {kind!r}"
    today = installed or sorted(name for place, name in DISTRIBUTIONS if place is seam)
    return f"{called} is not built yet, and there is nothing to install for it: use {' or '.join(today)}"
