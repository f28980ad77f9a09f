"""Which distribution brings a kind that is not installed, and the error that says so."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

from rivet_core.errors import UsageError
from rivet_core.plugins.entries import CORE, Seam

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rivet_core.plugins.entries import Entry

#: What to install for the kinds of this project; users may also know them by another word.
DISTRIBUTIONS: Final[Mapping[tuple[Seam, str], str]] = {
    (Seam.SOURCE, "sqlite"): CORE,
    (Seam.SOURCE, "postgres"): "rivet-source-postgres",
    (Seam.SOURCE, "mysql"): "rivet-source-mysql",
    (Seam.SOURCE, "mssql"): "rivet-source-mssql",
    (Seam.SOURCE, "mongo"): "rivet-source-mongo",
    (Seam.RUNNER, "full"): CORE,
    (Seam.RUNNER, "incremental"): CORE,
    (Seam.RUNNER, "chunked"): CORE,
    (Seam.RUNNER, "time_window"): CORE,
    (Seam.FORMAT, "parquet"): CORE,
    (Seam.FORMAT, "csv"): CORE,
    (Seam.DESTINATION, "local"): CORE,
    (Seam.DESTINATION, "stdout"): CORE,
    (Seam.DESTINATION, "s3"): "rivet-dest-cloud[s3]",
    (Seam.DESTINATION, "gcs"): "rivet-dest-cloud[gcs]",
    (Seam.DESTINATION, "azure"): "rivet-dest-cloud[azure]",
}

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
    names = sorted(set(installed))
    message = f"no installed plugin offers the {word} {kind!r}; installed: {', '.join(names) or 'none'}"
    if reasons := tuple(broken):
        message += f"; not usable: {'; '.join(reasons)}"
    return UsageError(message, code="RIVET_PLUGIN_MISSING", remedy=_remedy(seam, kind, names, tuple(hidden)))


def _remedy(seam: Seam, kind: str, installed: list[str], hidden: tuple[Entry, ...]) -> str:
    if hidden:
        return f"{hidden[0].origin} offers it, but the variable RIVET_PLUGINS leaves it out"
    if distribution := DISTRIBUTIONS.get((seam, kind)):
        if distribution == CORE:
            return f"it belongs to {CORE}, and this version does not have it: upgrade, or choose another"
        return f"pip install '{distribution}'"
    ours = [name for place, name in DISTRIBUTIONS if place is seam]
    near = SPELLINGS.get(kind.lower())
    if near not in {*installed, *ours}:
        near = next(iter(difflib.get_close_matches(kind.lower(), [*installed, *ours], n=1)), None)
    if near:
        source = DISTRIBUTIONS.get((seam, near), CORE)
        bring = "" if near in installed or source == CORE else f" (pip install '{source}')"
        return f"did you mean {near!r}{bring}?"
    return "install the distribution that offers it, or choose an installed kind"
