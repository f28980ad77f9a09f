"""The format: how a part's rows become a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa


@runtime_checkable
class FormatWriter(Protocol):
    """Writes one file; used by one thread."""

    def write(self, batch: pa.RecordBatch) -> None:
        """Append rows; the sink has gathered them to a good size, such as a row group."""

    def size(self) -> int:
        """Return the bytes written to the file so far; it grows.

        A finished file that has fewer, or none for rows, is refused with ``RIVET_INTERNAL_CONTRACT``.
        """

    def finish(self) -> None:
        """Complete the file; the caller syncs and closes ``out``. Nothing may be called afterwards."""

    def abort(self) -> None:
        """Give up; what was written is recognisably unfinished. Safe after any error."""


@runtime_checkable
class GroupWriter(Protocol):
    """A :class:`FormatWriter` that takes rows in pieces, so that nobody has to copy them into one batch first."""

    def write_group(self, pieces: Sequence[pa.RecordBatch]) -> None:
        """Append the rows of one ``write``, of which each piece is the continuation of the one before it."""


@runtime_checkable
class Format(Protocol):
    """A configured format; equal input gives equal bytes."""

    #: File name extension without the dot.
    extension: str

    def check(self, schema: pa.Schema) -> None:
        """Refuse, before anything is read, a schema that files of this format cannot hold exactly.

        :raises RivetError: ``RIVET_CONFIG_FORMAT_COLUMN_UNSUPPORTED`` naming every such column.
        """

    def writer(self, out: BinaryIO, schema: pa.Schema) -> FormatWriter:
        """Begin a file; the caller owns ``out``."""

    def compression(self) -> str:
        """Return the word for the manifest: ``zstd``, ``snappy``, ``gzip``, ``lz4`` or ``none``."""


@runtime_checkable
class ReadableFormat(Protocol):
    """A format whose files can be read back, so that its parts are verified in full."""

    def reader(self, path: Path, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Yield a file's rows in bounded batches of the given schema."""
