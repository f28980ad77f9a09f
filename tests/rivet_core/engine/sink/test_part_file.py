from __future__ import annotations

import errno
import gzip
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import attrs
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sink_stand_ins import SCHEMA, IpcFormat, ids_in, rows

from rivet_core.engine.sink.hashing_file import HashingFile
from rivet_core.engine.sink.part_file import PartFile
from rivet_core.errors import EnvironmentFailure, InternalError
from rivet_core.manifest.fingerprint import content_fingerprint
from rivet_core.protocols import Format


def begun(folder: Path, made: Format | None = None) -> PartFile:
    return PartFile(folder=folder, stem="u0-1", format=made or IpcFormat(), schema=SCHEMA)


@attrs.frozen
class OddFormat(IpcFormat):
    """Does what a test wants with the file."""

    claims: int = 0
    on_begin: Callable[[BinaryIO], None] = lambda out: None
    on_write: Callable[[BinaryIO], None] = lambda out: None
    on_finish: Callable[[BinaryIO], None] = lambda out: None

    def writer(self, out: BinaryIO, schema: pa.Schema) -> OddWriter:  # type: ignore[override]
        self.on_begin(out)
        return OddWriter(self, out)


@attrs.frozen
class OddWriter:
    made: OddFormat
    out: BinaryIO

    def write(self, batch: pa.RecordBatch) -> None:
        self.made.on_write(self.out)

    def size(self) -> int:
        return self.out.tell() + self.made.claims

    def finish(self) -> None:
        self.made.on_finish(self.out)

    def abort(self) -> None:
        """Leaves what there is."""


def full(out: BinaryIO) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_the_file_has_a_hidden_name_of_its_own(tmp_path: Path) -> None:
    files = [begun(tmp_path) for _ in range(3)]
    names = {file.path.name for file in files}
    for file in files:
        file.abort()
    assert len(names) == 3
    assert all(name.startswith(".u0-1-") and name.endswith(".arrow") for name in names)


def test_the_fingerprint_is_that_of_the_finished_file(tmp_path: Path) -> None:
    file = begun(tmp_path)
    file.write([rows(1, 1000)])
    file.write([rows(1001, 10)])
    found = file.finish()
    assert found == content_fingerprint(file.path)
    assert ids_in(file.path) == list(range(1, 1011))


def test_a_writer_that_goes_back_gets_the_right_fingerprint_too(tmp_path: Path) -> None:
    def patch(out: BinaryIO) -> None:
        out.seek(2)
        out.write(b"XX")
        out.seek(0, os.SEEK_END)
        out.write(b"end")

    file = begun(tmp_path, OddFormat(on_write=lambda out: out.write(b"0123456789") and None, on_finish=patch))
    file.write([rows(1, 1)])
    found = file.finish()
    assert file.path.read_bytes() == b"01XX456789end"
    assert found == content_fingerprint(file.path)


def test_a_writer_that_closes_its_file_still_leaves_it_to_be_synced(tmp_path: Path) -> None:
    file = begun(
        tmp_path, OddFormat(on_write=lambda out: out.write(b"abc") and None, on_finish=lambda out: out.close())
    )
    file.write([rows(1, 1)])
    assert file.finish().size_bytes == 3


def test_compressors_of_the_standard_library_can_write_to_it(tmp_path: Path) -> None:
    def compress(out: BinaryIO) -> None:
        with gzip.GzipFile(fileobj=out, mode="wb", mtime=0) as packed:
            packed.write(b"x" * 100_000)

    file = begun(tmp_path, OddFormat(on_finish=compress))
    assert file.finish() == content_fingerprint(file.path)
    assert gzip.decompress(file.path.read_bytes()) == b"x" * 100_000


def test_parquet_is_digested_while_it_is_written(tmp_path: Path) -> None:
    file = begun(
        tmp_path, OddFormat(on_finish=lambda out: pq.write_table(pa.Table.from_batches([rows(1, 100_000)]), out))
    )
    found = file.finish()
    assert file._out._in_order
    assert found == content_fingerprint(file.path)


def test_abort_removes_the_file(tmp_path: Path) -> None:
    file = begun(tmp_path)
    file.write([rows(1, 1000)])
    file.abort()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("moment", ["on_begin", "on_write", "on_finish"])
def test_a_full_disk_names_the_folder_and_leaves_nothing(tmp_path: Path, moment: str) -> None:
    with pytest.raises(EnvironmentFailure) as caught:
        write_one(tmp_path, OddFormat(**{moment: full}))
    assert caught.value.code == "RIVET_DEST_FULL"
    assert str(tmp_path) in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_shows_through_a_format_that_hides_it(tmp_path: Path) -> None:
    def hide(out: BinaryIO) -> None:
        # What the kernel says of a device without room, seen through the file that formats are given.
        assert isinstance(out, HashingFile)
        out._file.close()
        out._file = open("/dev/full", "wb", buffering=0)  # noqa: PTH123, SIM115
        try:
            out.write(b"x" * 100)
        except OSError as error:
            out._file.close()
            msg = "encoder failed"
            raise ValueError(msg) from error

    with pytest.raises(EnvironmentFailure) as caught:
        write_one(tmp_path, OddFormat(on_write=hide))
    assert caught.value.code == "RIVET_DEST_FULL"


@pytest.mark.parametrize("moment", ["on_begin", "on_write", "on_finish"])
def test_any_other_error_passes_unchanged_and_leaves_nothing(tmp_path: Path, moment: str) -> None:
    def fail(out: BinaryIO) -> None:
        out.write(b"half")
        msg = "broken encoder"
        raise ValueError(msg)

    with pytest.raises(ValueError, match="broken encoder"):
        write_one(tmp_path, OddFormat(**{moment: fail}))
    assert list(tmp_path.iterdir()) == []


def test_rows_that_left_no_byte_are_refused_and_leave_nothing(tmp_path: Path) -> None:
    with pytest.raises(InternalError, match="1 row") as caught:
        write_one(tmp_path, OddFormat())
    assert caught.value.code == "RIVET_INTERNAL_CONTRACT"
    assert list(tmp_path.iterdir()) == []


def test_no_rows_may_leave_no_byte(tmp_path: Path) -> None:
    file = begun(tmp_path, OddFormat())
    file.write([rows(1, 0)])
    assert file.finish().size_bytes == 0


def test_fewer_bytes_than_the_format_says_that_it_wrote_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InternalError, match="says that it wrote 8 bytes") as caught:
        write_one(tmp_path, OddFormat(claims=5, on_write=lambda out: out.write(b"abc") and None))
    assert caught.value.code == "RIVET_INTERNAL_CONTRACT"
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_lost_bytes_below_the_format_is_refused(tmp_path: Path) -> None:
    def lose(out: BinaryIO) -> None:
        out.flush()
        os.truncate(next(tmp_path.iterdir()), 2)

    made = OddFormat(on_write=lambda out: out.write(b"abc") and None, on_finish=lose)
    with pytest.raises(EnvironmentFailure, match="2 bytes where 3 were written") as caught:
        write_one(tmp_path, made)
    assert caught.value.code == "RIVET_DEST_NOT_WRITABLE"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("number", "code"), [(errno.ENOSPC, "RIVET_DEST_FULL"), (errno.EIO, "RIVET_DEST_NOT_WRITABLE")]
)
def test_a_failed_write_that_a_format_keeps_to_itself_is_told(tmp_path: Path, number: int, code: str) -> None:
    def swallow(out: BinaryIO) -> None:
        assert isinstance(out, HashingFile)
        whole, out._file = out._file, Failing(number)  # type: ignore[assignment]
        with suppress(OSError):
            out.write(b"lost")
        out._file = whole
        out.write(b"kept")

    with pytest.raises(EnvironmentFailure) as caught:
        write_one(tmp_path, OddFormat(on_write=swallow))
    assert caught.value.code == code
    assert list(tmp_path.iterdir()) == []


@attrs.frozen
class Failing:
    """A disk that takes nothing."""

    number: int

    def write(self, data: object) -> int:
        raise OSError(self.number, os.strerror(self.number))


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure) as caught:
        begun(tmp_path / "gone")
    assert caught.value.code == "RIVET_DEST_NOT_WRITABLE"
    assert "gone" in str(caught.value)


def write_one(folder: Path, made: Format) -> None:
    file = begun(folder, made)
    try:
        file.write([rows(1, 1)])
    except BaseException:
        file.abort()
        raise
    file.finish()
