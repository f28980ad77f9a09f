"""The contract of a format."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivet_core.capabilities import FormatCapabilities
from rivet_core.errors import RivetError
from rivet_core.protocols import Format, FormatWriter, GroupWriter, ReadableFormat
from rivet_core.testing.contract import Contract, needs, unmet
from rivet_core.testing.contracts.examples import examples
from rivet_core.testing.octets import bytes_difference
from rivet_core.testing.rows import row_texts
from rivet_core.testing.strategies import tables

ReadBack = Callable[[Path, pa.Schema], pa.Table]
#: The words that a manifest knows.
COMPRESSIONS = frozenset({"zstd", "snappy", "gzip", "lz4", "none"})
NESTED = pa.table(
    {"list": pa.array([[1, None], [], None], pa.list_(pa.int64())), "id": pa.array([1, 2, 3], pa.int64())}
)


def write_table(format_: Format, out: BinaryIO, data: pa.Table, *, rows: int = 1 << 16) -> None:
    """Write a whole file, so many rows at a time."""
    writer = format_.writer(out, data.schema)
    for batch in data.to_batches(max_chunksize=rows):
        if batch.num_rows:
            writer.write(batch)
    writer.finish()


def written(format_: Format, data: pa.Table, *, rows: int = 1 << 16) -> bytes:
    """Return a whole file's bytes."""
    out = io.BytesIO()
    write_table(format_, out, data, rows=rows)
    return out.getvalue()


def many_rows(number: int = 200_000) -> pa.Table:
    """Return rows that do not shrink to nothing by compression."""
    ids = pa.array(range(number), pa.int64())
    return pa.table({"id": ids, "text": pa.array([f"{value * 2654435761 % 2**32:x}" for value in range(number)])})


class Unseekable(io.RawIOBase):
    """A pipe: bytes go in at the end, and nothing else is possible."""

    def __init__(self) -> None:
        super().__init__()
        self.data = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.data += data
        return len(data)


class Full(io.BytesIO):
    """A disk that is full after so many bytes, and stays so."""

    full = False

    def write(self, data: Any) -> int:
        self.full = self.full or self.tell() + len(data) > 5000
        if self.full:
            raise OSError(28, "No space left on device")
        return super().write(data)


class FormatContract(Contract, sealed=True):
    """What the sink relies on in every format; an author gives ``format``, or ``options`` and ``declaration``.

    ``read_back`` reads a file with a program that shares no code with the format, and returns its rows in the given
    schema; it raises for a file that is not complete.
    """

    seam = "format"
    assumed = FormatCapabilities()
    gives: ClassVar[frozenset[str]] = frozenset({"options", "format", "read_back"})
    requirements: ClassVar[Mapping[str, Callable[[FormatCapabilities], bool]]] = {
        "readable": lambda can: can.readable,
        "typed": lambda can: can.typed,
        "nested": lambda can: can.nested,
        "streams": lambda can: can.streams,
        "flat columns only": lambda can: not can.nested,
    }

    # -- given ------------------------------------------------------------

    @pytest.fixture
    def options(self) -> Any:
        """Give an instance of the declaration's options; or give ``format`` itself."""
        pytest.fail("the format contract needs the fixture `format`, or `options` and `declaration`")

    @pytest.fixture
    def format(self, options: Any) -> Format:
        """Give the format; without this fixture the declaration's factory makes it."""
        made: Format = type(self).declaration.factory(options)
        return made

    @pytest.fixture
    def read_back(self) -> ReadBack:
        """Give an independent reader: from a path and the schema to the rows in that schema."""
        pytest.fail("the format contract needs the fixture `read_back`, an independent reader")

    # -- ours -------------------------------------------------------------

    @pytest.fixture
    def path(self, tmp_path: Path, format: Format) -> Path:  # noqa: A002 - the seam's own word
        """Return a path with the format's extension, where no file is yet."""
        return tmp_path / f"part.{format.extension}"

    # -- words ------------------------------------------------------------

    def test_the_extension_is_a_word(self, format: Format) -> None:  # noqa: A002 - the seam's own word
        """The extension is lower-case letters and digits, without the dot; two of them may be joined by one."""
        assert re.fullmatch(r"[a-z0-9]+(\.[a-z0-9]+)?", format.extension)

    def test_the_compression_is_a_manifests_word(self, format: Format) -> None:  # noqa: A002 - the seam's own word
        """``compression`` is one of the words that a manifest knows."""
        assert format.compression() in COMPRESSIONS

    def test_it_has_the_methods_that_it_declares(self, format: Format) -> None:  # noqa: A002 - the seam's own word
        """A declared capability comes with its methods: ``readable`` with ``ReadableFormat``."""
        assert unmet(format, {Format: True, ReadableFormat: type(self).capabilities().readable}) == []
        assert isinstance(format.writer(io.BytesIO(), NESTED.schema.remove(0)), FormatWriter)

    # -- what a file holds ------------------------------------------------

    @examples
    @given(data=st.data())
    def test_an_independent_reader_finds_what_went_in(
        self,
        format: Format,  # noqa: A002 - the seam's own word
        read_back: ReadBack,
        path: Path,
        data: st.DataObject,
    ) -> None:
        """Whatever ``check`` lets through comes back exactly: every value, NULL and name, in order."""
        table = data.draw(tables(nested=type(self).capabilities().nested))
        rows = data.draw(st.sampled_from([1, 7, 1 << 16]))
        format.check(table.schema)
        path.write_bytes(written(format, table, rows=rows))
        if table.num_rows or type(self).capabilities().typed:
            assert row_texts(read_back(path, table.schema)) == row_texts(table)

    @examples
    @given(data=st.data())
    @needs("readable")
    def test_its_own_reader_finds_what_went_in(
        self,
        format: Format,  # noqa: A002 - the seam's own word
        path: Path,
        data: st.DataObject,
    ) -> None:
        """``reader`` yields the same rows, in batches of the schema that it was given."""
        assert isinstance(format, ReadableFormat)
        table = data.draw(tables(nested=type(self).capabilities().nested))
        path.write_bytes(written(format, table))
        batches = list(format.reader(path, table.schema))
        assert [batch.schema for batch in batches if batch.schema != table.schema] == []
        assert [text for batch in batches for text in row_texts(batch)] == row_texts(table)

    @needs("readable")
    def test_its_own_reader_yields_bounded_batches(
        self,
        format: Format,  # noqa: A002 - the seam's own word
        path: Path,
    ) -> None:
        """A large file is read in several batches, so that verifying it takes bounded memory."""
        assert isinstance(format, ReadableFormat)
        table = many_rows()
        path.write_bytes(written(format, table))
        sizes = [batch.num_rows for batch in format.reader(path, table.schema)]
        assert sum(sizes) == table.num_rows
        assert len(sizes) > 1

    @needs("typed")
    def test_no_rows_make_a_file_with_a_schema(
        self,
        format: Format,  # noqa: A002 - the seam's own word
        read_back: ReadBack,
        path: Path,
    ) -> None:
        """A file without rows still tells names and types."""
        table = many_rows(3).slice(0, 0)
        path.write_bytes(written(format, table))
        found = read_back(path, table.schema)
        assert found.num_rows == 0
        assert found.schema.names == table.schema.names
        assert found.schema.types == table.schema.types

    @needs("nested")
    def test_nested_columns_come_back(
        self,
        format: Format,  # noqa: A002 - the seam's own word
        read_back: ReadBack,
        path: Path,
    ) -> None:
        """A format that declares ``nested`` takes lists, with NULLs in them and instead of them."""
        format.check(NESTED.schema)
        path.write_bytes(written(format, NESTED))
        assert row_texts(read_back(path, NESTED.schema)) == row_texts(NESTED)

    @needs("flat columns only")
    def test_what_it_cannot_hold_is_refused_before_reading(
        self,
        format: Format,  # noqa: A002 - the seam's own word
    ) -> None:
        """``check`` refuses a schema that a file cannot hold exactly, and names the columns."""
        with pytest.raises(RivetError) as caught:
            format.check(NESTED.schema)
        assert caught.value.code == "RIVET_CONFIG_FORMAT_COLUMN_UNSUPPORTED"
        assert "list" in str(caught.value)

    def test_equal_input_gives_equal_bytes(self, format: Format) -> None:  # noqa: A002 - the seam's own word
        """The same batches make the same file, byte for byte: no clock and no chance is in it."""
        table = many_rows(5000)
        assert bytes_difference(written(format, table, rows=1000), written(format, table, rows=1000)) == ""

    # -- how it is written ------------------------------------------------

    def test_pieces_are_as_good_as_one_batch(
        self,
        format: Format,  # noqa: A002 - the seam's own word
        read_back: ReadBack,
        path: Path,
    ) -> None:
        """A writer that takes the rows of one ``write`` in pieces (``GroupWriter``) writes all of them, in order."""
        table = many_rows(5000)
        out, pieces = io.BytesIO(), table.to_batches(max_chunksize=700)
        writer = format.writer(out, table.schema)
        if isinstance(writer, GroupWriter):
            writer.write_group(pieces)
        else:
            for piece in pieces:
                writer.write(piece)
        writer.finish()
        path.write_bytes(out.getvalue())
        assert row_texts(read_back(path, table.schema)) == row_texts(table)

    def test_the_size_grows(self, format: Format) -> None:  # noqa: A002 - the seam's own word
        """``size`` is the number of bytes that were written to the file, and grows with the rows."""
        table, out = many_rows(), io.BytesIO()
        writer = format.writer(out, table.schema)
        sizes = [writer.size()]
        for batch in table.to_batches(max_chunksize=20_000):
            writer.write(batch)
            sizes.append(writer.size())
            assert sizes[-1] <= len(out.getbuffer())
        assert sizes == sorted(sizes)
        assert sizes[-1] > sizes[1] > 0 or sizes[-1] > sizes[0] + 100_000
        writer.finish()

    def test_the_file_stays_the_callers(self, format: Format) -> None:  # noqa: A002 - the seam's own word
        """``finish`` and ``abort`` leave the file open: the caller syncs and closes it."""
        table = many_rows(10)
        for end in ("finish", "abort"):
            out = io.BytesIO()
            writer = format.writer(out, table.schema)
            writer.write(table.to_batches()[0])
            getattr(writer, end)()
            del writer
            assert not out.closed

    def test_an_aborted_file_is_recognisably_unfinished(
        self,
        format: Format,  # noqa: A002 - the seam's own word
        read_back: ReadBack,
        path: Path,
    ) -> None:
        """After ``abort``, and when nothing was called at all, a reader refuses the file."""
        table = many_rows(50_000)
        for abort in (True, False):
            out = io.BytesIO()
            writer = format.writer(out, table.schema)
            for batch in table.to_batches(max_chunksize=10_000):
                writer.write(batch)
            if abort:
                writer.abort()
            path.write_bytes(out.getvalue())
            with pytest.raises(Exception):  # noqa: B017, PT011 - the reader's own
                read_back(path, table.schema)
            if not abort:
                writer.abort()

    def test_abort_is_safe_after_an_error(self, format: Format) -> None:  # noqa: A002 - the seam's own word
        """When the disk is full the error comes out, of ``write`` or ``finish``, and ``abort`` raises nothing."""
        table = many_rows(100_000)
        writer = format.writer(Full(), table.schema)

        def write_all() -> None:
            for batch in table.to_batches(max_chunksize=10_000):
                writer.write(batch)
            writer.finish()

        with pytest.raises(OSError, match="No space left"):
            write_all()
        writer.abort()

    @needs("streams")
    def test_it_can_be_written_to_a_pipe(self, format: Format) -> None:  # noqa: A002 - the seam's own word
        """A format that declares ``streams`` writes front to back: to a pipe it writes the same bytes."""
        table, pipe = many_rows(5000), Unseekable()
        write_table(format, pipe, table)  # type: ignore[arg-type]  # a raw file is a BinaryIO in all that is used
        assert bytes_difference(pipe.data, written(format, table)) == ""
