"""A stranger's format: Arrow IPC files."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

import attrs
import pyarrow as pa

from rivet_core.capabilities import FormatCapabilities
from rivet_core.hookspecs import FormatType, hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@attrs.frozen(kw_only=True)
class ArrowOptions:
    """The options of ``format: {type: stretch_arrow}``."""

    compression: str = "none"


class ArrowWriter:
    """One IPC file."""

    def __init__(self, out: BinaryIO, schema: pa.Schema) -> None:
        self._out = out
        self._writer = pa.ipc.new_file(out, schema)

    def write(self, batch: pa.RecordBatch) -> None:
        """Append a batch."""
        self._writer.write_batch(batch)

    def size(self) -> int:
        """Return the bytes so far."""
        return self._out.tell()

    def finish(self) -> None:
        """Write the footer; without it the file is recognisably unfinished."""
        self._writer.close()

    def abort(self) -> None:
        """Leave the file without a footer."""
        self._writer = None  # type: ignore[assignment] # nothing may be called afterwards


class ArrowFormat:
    """Writes and reads IPC files."""

    extension = "arrow"

    def __init__(self, options: ArrowOptions) -> None:
        self._options = options

    def check(self, schema: pa.Schema) -> None:
        """Every Arrow schema can be written."""

    def writer(self, out: BinaryIO, schema: pa.Schema) -> ArrowWriter:
        """Begin a file."""
        return ArrowWriter(out, schema)

    def compression(self) -> str:
        """Return the word for the manifest."""
        return self._options.compression

    def reader(self, path: Path, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Yield the file's batches."""
        del schema
        with pa.OSFile(str(path)) as file, pa.ipc.open_file(file) as reader:
            for n in range(reader.num_record_batches):
                yield reader.get_batch(n)


FORMAT = FormatType(
    kind="stretch_arrow",
    options=ArrowOptions,
    capabilities=FormatCapabilities(streams=False),
    factory=ArrowFormat,
)


@hookimpl
def rivet_formats() -> list[FormatType]:
    """Declare the format."""
    return [FORMAT]
