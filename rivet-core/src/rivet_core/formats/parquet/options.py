"""The options of the format ``parquet``."""

from __future__ import annotations

from typing import Final, Literal

import attrs

from rivet_core.errors import UsageError

#: Fewer rows than this make no useful row group, whatever the sizes say.
LEAST_ROWS: Final = 1000

_LEVELS: Final = {"zstd": range(1, 23), "gzip": range(10)}
_PROFILES: Final = {"none": ("none", None), "fast": ("snappy", None), "balanced": ("zstd", 3), "compact": ("zstd", 9)}
_DEFAULT_LEVEL: Final = {"zstd": 3}


@attrs.frozen(kw_only=True)
class RowGroups:
    """How rows are cut into row groups.

    :param row_group_strategy: ``auto`` takes the groups as the sink gathers them, unless a target is given.
    :param row_group_rows: for ``fixed_rows``, and only there.
    :param target_row_group_mb: Arrow data of a group, for ``fixed_memory`` (128 when absent) and ``auto``.
    :param max_row_group_mb: no group holds more Arrow data, whatever the strategy.
    """

    row_group_strategy: Literal["auto", "fixed_rows", "fixed_memory"] = attrs.field(
        default="auto", metadata={"may_be_empty": True}
    )
    row_group_rows: int | None = None
    target_row_group_mb: int | None = None
    max_row_group_mb: int | None = None

    def __attrs_post_init__(self) -> None:
        for name in ("row_group_rows", "target_row_group_mb", "max_row_group_mb"):
            number = getattr(self, name)
            if number is not None and number < 1:
                msg = f"parquet.{name} is {number}, and must be at least 1"
                raise _invalid(msg, remedy=f"write {name}: 1, or more")
        strategy = self.row_group_strategy
        if strategy == "fixed_rows" and self.row_group_rows is None:
            msg = "parquet.row_group_strategy fixed_rows needs parquet.row_group_rows"
            raise _invalid(msg, remedy="add row_group_rows, such as row_group_rows: 100000")
        if strategy != "fixed_rows" and self.row_group_rows is not None:
            raise _ignored(key="parquet.row_group_rows", needs="row_group_strategy: fixed_rows")
        if strategy == "fixed_rows" and self.target_row_group_mb is not None:
            raise _ignored(key="parquet.target_row_group_mb", needs="row_group_strategy: fixed_memory or auto")

    @property
    def gathers(self) -> bool:
        """Whether groups can be larger than what the sink hands over at once."""
        return self.row_group_strategy != "auto" or self.target_row_group_mb is not None


@attrs.frozen(kw_only=True)
class ParquetOptions:
    """Compression and the shape of files.

    :param compression_level: zstd 1 to 22 (3 when absent), gzip 0 to 9; the others have none.
    :param compression_profile: a word for a codec with its level, in place of ``compression``.
    :param parquet: row groups.
    """

    compression: Literal["zstd", "snappy", "gzip", "lz4", "none"] = "zstd"
    compression_level: int | None = None
    compression_profile: Literal["none", "fast", "balanced", "compact"] | None = None
    parquet: RowGroups = RowGroups()

    def __attrs_post_init__(self) -> None:
        level = self.compression_level
        if level is None:
            return
        if self.compression_profile is not None:
            raise _ignored(key="compression_level", needs="compression, without compression_profile")
        levels = _LEVELS.get(self.compression)
        if levels is None:
            raise _ignored(key="compression_level", needs="compression: zstd or gzip")
        if level not in levels:
            reach = f"{levels[0]} to {levels[-1]}"
            msg = f"compression_level is {level}, and {self.compression} takes {reach}"
            raise _invalid(msg, remedy=f"write a compression_level of {reach}")

    def codec(self) -> tuple[str, int | None]:
        """Return the compression's word and its level; None where it has no levels."""
        if self.compression_profile is not None:
            return _PROFILES[self.compression_profile]
        level = self.compression_level
        return self.compression, _DEFAULT_LEVEL.get(self.compression) if level is None else level


def _invalid(message: str, *, remedy: str) -> UsageError:
    return UsageError(message, code="RIVET_CONFIG_VALUE_INVALID", remedy=remedy)


def _ignored(*, key: str, needs: str) -> UsageError:
    msg = f"{key} would be ignored: it belongs to {needs}"
    return UsageError(msg, code="RIVET_CONFIG_MODE_SETTING_INVALID", remedy=f"remove {key}, or write {needs}")
