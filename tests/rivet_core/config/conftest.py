"""A stranger's plugin with every shape of option, and the short road from a text to a configuration."""

from __future__ import annotations

import textwrap
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import attrs
import pytest
from attrs.validators import in_, instance_of, le, optional

from rivet_core.capabilities import (
    DestinationCapabilities,
    FormatCapabilities,
    RunnerCapabilities,
    SourceCapabilities,
)
from rivet_core.config import Configuration, ConfigurationInvalid, Problem, parse
from rivet_core.errors import UsageError
from rivet_core.hookspecs import DestinationType, FormatType, RunnerType, SourceType, hookimpl
from rivet_core.plugins import Plugins
from rivet_core.types import Secret

if TYPE_CHECKING:
    from collections.abc import Callable


@attrs.frozen(kw_only=True)
class Tls:
    mode: Literal["disable", "require", "verify-full"] = "verify-full"
    ca_file: Path | None = None


@attrs.frozen(kw_only=True)
class OwnTuning:
    profile: str | None = None
    lock_timeout_s: int | None = attrs.field(default=None, validator=optional(le(1_000_000)))
    statement_timeout_s: int | None = None
    max_retries: int | None = None


@attrs.frozen(kw_only=True)
class DuckOptions:
    url: Secret | None = None
    host: str | None = None
    port: int = attrs.field(default=1234, validator=in_(range(1, 65536)))
    password: Secret | None = None
    password_env: str | None = None
    url_file: Path | None = None
    database: str | None = None
    ratio: float | None = None
    paint: str = attrs.field(default="red", validator=in_(("red", "green")))
    labels: tuple[tuple[str, str], ...] = ()
    tls: Tls | None = None
    tuning: OwnTuning = OwnTuning()

    def __attrs_post_init__(self) -> None:
        if (self.url is None) == (self.host is None):
            msg = "url or host must be given, and only one of them"
            raise ValueError(msg)


@attrs.frozen(kw_only=True)
class PondOptions:
    path: Path


@attrs.frozen(kw_only=True)
class NoOptions:
    pass


@attrs.frozen(kw_only=True)
class CursorOptions:
    cursor_column: str
    cursor_fallback_column: str | None = None


@attrs.frozen(kw_only=True)
class RangeOptions:
    chunk_column: str
    chunk_size: int = 100_000


@attrs.frozen(kw_only=True)
class SeekOptions:
    chunk_by_key: str
    chunk_size: int = 100_000


@attrs.frozen(kw_only=True)
class SliceOptions:
    by: tuple[str, ...]
    depth: int = 1


@attrs.frozen(kw_only=True)
class Groups:
    row_group_rows: int | None = None


@attrs.frozen(kw_only=True)
class ColumnarOptions:
    compression: Literal["zstd", "none"] = "zstd"
    compression_level: int | None = None
    parquet: Groups = Groups()
    secret_sauce: str = ""

    def __attrs_post_init__(self) -> None:
        if self.compression_level is not None and self.compression_level > 22:
            msg = f"compression_level is {self.compression_level}, and zstd takes 1 to 22"
            raise UsageError(msg, code="RIVET_CONFIG_VALUE_INVALID", remedy="choose a smaller one")


@attrs.frozen(kw_only=True)
class BucketOptions:
    bucket: str
    prefix: str = ""
    region: str | None = None
    access_key_env: str | None = None
    allow_anonymous: bool = attrs.field(default=False, validator=instance_of(bool))


@attrs.frozen(kw_only=True)
class FolderOptions:
    path: Path


def _nothing(options: object) -> Any:
    raise AssertionError(options)  # configuration must open nothing


class Stranger:
    """Offers the words of the built-in plugins, so that the files of these tests look like users' files."""

    @hookimpl
    def rivet_sources(self) -> list[SourceType]:
        able = SourceCapabilities(pressure=True)
        tables_only = SourceCapabilities(queries=False, folds_names=True)
        return [
            SourceType(
                kind="duck", options=DuckOptions, capabilities=able, factory=_nothing, schemes=("duck", "ducks")
            ),
            SourceType(kind="pond", options=PondOptions, capabilities=tables_only, factory=_nothing),
        ]

    @hookimpl
    def rivet_runners(self) -> list[RunnerType]:
        def runner(kind: str, mode: str, options: type, flat: tuple[str, ...] = (), **more: Any) -> RunnerType:
            return RunnerType(
                kind=kind,
                mode=mode,
                options=options,
                capabilities=RunnerCapabilities(),
                factory=_nothing,
                flat=flat,
                **more,
            )

        return [
            runner("full", "full", NoOptions),
            runner("incremental", "incremental", CursorOptions, ("cursor_column", "cursor_fallback_column")),
            runner("range", "chunked", RangeOptions, ("chunk_column", "chunk_size")),
            runner("seek", "chunked", SeekOptions, ("chunk_by_key", "chunk_size")),
            runner("sliced", "sliced", SliceOptions),
            runner("stream", "stream", NoOptions, datasets=lambda intent: ("its own",)),
        ]

    @hookimpl
    def rivet_formats(self) -> list[FormatType]:
        flat = ("compression", "compression_level", "parquet")
        return [
            FormatType(
                kind="parquet", options=ColumnarOptions, capabilities=FormatCapabilities(), factory=_nothing, flat=flat
            ),
            FormatType(kind="csv", options=NoOptions, capabilities=FormatCapabilities(), factory=_nothing),
        ]

    @hookimpl
    def rivet_destinations(self) -> list[DestinationType]:
        able, unable = DestinationCapabilities(md5=True), DestinationCapabilities()
        return [
            DestinationType(kind="local", options=FolderOptions, capabilities=able, factory=_nothing, prefix="path"),
            DestinationType(kind="s3", options=BucketOptions, capabilities=able, factory=_nothing),
            DestinationType(kind="stdout", options=NoOptions, capabilities=unable, factory=_nothing, prefix=None),
        ]


CLOCK = datetime(2026, 3, 4, 23, 30, tzinfo=UTC)


@pytest.fixture(scope="session")
def kinds() -> Plugins:
    plugins = Plugins()
    plugins.register(Stranger(), name="stranger")
    return plugins


@pytest.fixture
def read(kinds: Plugins, tmp_path: Path) -> Callable[..., Configuration]:
    def read(text: str, *, params: dict[str, str] | None = None, **environ: str) -> Configuration:
        return parse(
            textwrap.dedent(text),
            kinds,
            path=tmp_path / "rivet.yaml",
            file="rivet.yaml",
            params=params or {},
            environ=environ,
            clock=CLOCK,
            connects=True,
        )

    return read


@pytest.fixture
def problems(read: Callable[..., Configuration]) -> Callable[..., tuple[Problem, ...]]:
    """Read a text that must be refused, and return its problems."""

    def refused(text: str, **more: Any) -> tuple[Problem, ...]:
        with pytest.raises(ConfigurationInvalid) as caught:
            read(text, **more)
        assert caught.value.exit == 1
        return caught.value.problems

    return refused


@pytest.fixture
def export(read: Callable[..., Configuration]) -> Callable[..., Any]:
    """Read a file with one export, of which only the interesting keys are given, and return its intent."""

    def one(keys: str, **more: Any) -> Any:
        return read(with_export(keys), **more).exports[0]

    return one


@pytest.fixture
def warnings(read: Callable[..., Configuration]) -> Callable[..., list[str]]:
    """Read a file with one export, as ``export`` does, and return its warnings as text."""

    def warned(keys: str, **more: Any) -> list[str]:
        return [str(warning) for warning in read(with_export(keys), **more).warnings]

    return warned


@pytest.fixture
def export_text() -> Callable[[str], str]:
    return with_export


@pytest.fixture
def export_problems(problems: Callable[..., tuple[Problem, ...]]) -> Callable[..., tuple[Problem, ...]]:
    def refused(keys: str, **more: Any) -> tuple[Problem, ...]:
        return problems(with_export(keys), **more)

    return refused


def with_export(keys: str) -> str:
    """Return a file whose export has these keys beside the required ones that they do not give."""
    given = textwrap.dedent(keys)
    names = {line.split(":")[0] for line in given.splitlines()}
    usual = {
        "name": "orders",
        "table": "orders",
        "format": "parquet",
        "destination": "{type: local, path: out}",
    }
    if names & {"query", "query_file", "mode"} and "table" not in names:
        del usual["table"]
        if "mode" in names and not names & {"query", "query_file"} and "stream" not in given:
            usual["table"] = "orders"
    lines = [f"{name}: {value}" for name, value in usual.items() if name not in names]
    body = textwrap.indent("\n".join([*lines, given.strip("\n")]), "    ")
    return f"source: {{type: duck, host: h}}\nexports:\n  - {body.lstrip()}\n"
