"""Where a key belongs that is not known at its place: to another block, to another mode or format, or to later."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from rivet_core.config.hints import option_fields
from rivet_core.config.keys import (
    ExportKeys,
    MetaColumnKeys,
    NotificationKeys,
    QualityKeys,
    RootKeys,
    SlackKeys,
    SourceKeys,
    TuningKeys,
)
from rivet_core.config.nodes import Keyed, Scalar
from rivet_core.config.problems import Problem
from rivet_core.config.showing import masked, shown
from rivet_core.config.unknown import unknown_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rivet_core.config.nodes import Entry

IGNORED: Final = "RIVET_CONFIG_MODE_SETTING_INVALID"
UNSUPPORTED: Final = "RIVET_CONFIG_KEY_UNSUPPORTED"

#: Keys of an export that one mode gives a meaning.
MODE_KEYS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("cursor_column", "cursor_fallback_column", "incremental_cursor_mode", "settle"), "incremental"),
    **dict.fromkeys(("cursor_tiebreak", "cursor_boundary"), "incremental"),
    **dict.fromkeys(("chunk_column", "chunk_size", "chunk_size_memory_mb", "chunk_count", "chunk_by_days"), "chunked"),
    **dict.fromkeys(("chunk_by_key", "chunk_dense", "chunk_checkpoint", "chunk_max_attempts"), "chunked"),
    "keyset_incremental": "chunked",
    **dict.fromkeys(("time_column", "time_column_type", "days_window"), "time_window"),
    **dict.fromkeys(("cdc", "tables"), "cdc"),
}
#: Keys of an export that one format gives a meaning.
FORMAT_KEYS: Final[Mapping[str, str]] = dict.fromkeys(
    ("compression", "compression_level", "compression_profile", "parquet"), "parquet"
)
#: Keys that other files have and that no installed plugin can serve, with the way out.
LATER: Final[Mapping[str, str]] = {
    "load": "loading into a warehouse is not supported yet: remove the block, and load what the manifests name",
    "partition_by": "partitioned output is not supported yet: remove the key, or export one query for each partition",
    "partition_granularity": "partitioned output is not supported yet: remove the key",
    "parallel_export_processes": "exports in processes of their own are not supported yet: use parallel_exports",
}
#: What blocks of plugins usually hold, so that a key that slipped out of one is sent back.
_USUAL: Final[Mapping[str, tuple[str, ...]]] = {
    "source": ("url", "url_env", "url_file", "host", "port", "user", "password", "password_env", "database", "tls"),
    "destination": (
        *("path", "bucket", "prefix", "region", "endpoint", "credentials_file", "access_key_env", "secret_key_env"),
        *("session_token_env", "aws_profile", "account_name", "account_key_env", "sas_token_env", "allow_anonymous"),
    ),
    "source.tls": ("ca_file", "accept_invalid_certs", "accept_invalid_hostnames"),
}
#: Keys of the Rust tool's files that stand in one kind of block and mean nothing to any kind that there is.
_OTHERS: Final = ("mongo", "oneshot_budget_mb")
#: What some of those keys say when they are absent, so that saying it changes nothing.
_DEFAULTS: Final[Mapping[str, str]] = {
    "chunk_size": "100000",
    "incremental_cursor_mode": "single_column",
    "time_column_type": "timestamp",
    "partition_granularity": "day",
    **dict.fromkeys(("chunk_dense", "chunk_checkpoint", "keyset_incremental"), "false"),
    **dict.fromkeys(("parallel_export_processes", "allow_anonymous"), "false"),
}
_BLOCKS: Final[Mapping[str, type]] = {
    "source": SourceKeys,
    "tuning": TuningKeys,
    "an export's quality": QualityKeys,
    "an export's meta_columns": MetaColumnKeys,
    "notifications.slack": SlackKeys,
    "notifications": NotificationKeys,
    "an export": ExportKeys,
    "the file's top level": RootKeys,
}


def telling(mapping: Keyed, own: Iterable[str]) -> Keyed:
    """Return a block without the keys of other modes, formats, destinations or tools that change nothing.

    They are empty, or say what holds without them, as files do that were written from a template.

    :param own: the keys that mean something in this block.
    """
    silent = {entry.key for entry in mapping if _says_nothing(entry)}
    return mapping.without(silent.difference(own))


def _says_nothing(entry: Entry) -> bool:
    if not isinstance(entry.value, Scalar):
        return False
    known = {*MODE_KEYS, *FORMAT_KEYS, *LATER, *_USUAL["destination"], *_OTHERS}
    return (entry.key in known and entry.value.null) or entry.value.text == _DEFAULTS.get(entry.key)


def stray_key(entry: Entry, known: Iterable[str], *, mode: str | None = None, format: str | None = None) -> Problem:  # noqa: A002 - the key's name
    """Return the problem of a key that means nothing at its place, with the place where it would.

    :param known: the keys that could stand there.
    :param mode: the export's mode, where the key stands in an export.
    :param format: the export's format, likewise.
    """
    key = entry.key
    if later := LATER.get(key):
        return Problem(place=entry.place, message=f"{key!r} cannot be served", code=UNSUPPORTED, remedy=later)
    if mode is not None and (owner := MODE_KEYS.get(key)):
        return _of_other(entry, "mode", owner, mode)
    if format is not None and (owner := FORMAT_KEYS.get(key)):
        return _of_other(entry, "format", owner, format)
    if place := _home(key):
        return Problem(place=entry.place, message=f"unknown key {key!r} here", remedy=f"it belongs under {place}")
    return unknown_key(entry, known)


def _of_other(entry: Entry, seam: str, owner: str, chosen: str) -> Problem:
    if owner == chosen:
        message = f"{entry.key!r} is not taken by the installed {seam} {shown(chosen)}"
        remedy = f"remove it, or install a plugin for the {seam} {shown(chosen)} that takes it"
        return Problem(place=entry.place, message=message, code=UNSUPPORTED, remedy=remedy)
    message = (
        f"{entry.key!r} belongs to {seam} {owner}, and this export has {seam} {masked(chosen)}, which would ignore it"
    )
    return Problem(place=entry.place, message=message, code=IGNORED, remedy=f"remove it, or write {seam}: {owner}")


def _home(key: str) -> str | None:
    """Return the block that a key belongs to, where only one has it."""
    homes = [block for block, cls in _BLOCKS.items() if key in {field.key for field in option_fields(cls)}]
    homes += [block for block, keys in _USUAL.items() if key in keys]
    if key in MODE_KEYS or key in FORMAT_KEYS:
        homes.append("an export")
    return " or ".join(homes) or None
