"""Formats with one fault each; a class names the contract tests that have to find it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import attrs
import pyarrow as pa
import pytest

from rivet_core.capabilities import FormatCapabilities
from rivet_core.hookspecs import FormatType
from rivet_core.testing import FormatContract


@attrs.frozen(kw_only=True)
class NoOptions:
    """Nothing to configure."""


class StreamWriter:
    """An Arrow stream, begun with its schema and ended with a word of our own."""

    def __init__(self, out: BinaryIO, schema: pa.Schema) -> None:
        self.out, self.written = out, 0
        self.emit(schema.serialize().to_pybytes())

    def emit(self, data: bytes) -> None:
        self.out.write(data)
        self.written += len(data)

    def write(self, batch: pa.RecordBatch) -> None:
        self.emit(batch.serialize().to_pybytes())

    def size(self) -> int:
        return self.written

    def finish(self) -> None:
        self.emit(b"THE END.")

    def abort(self) -> None:
        pass


def read_stream(path: Path) -> pa.Table:
    data = path.read_bytes()
    if not data.endswith(b"THE END."):
        msg = "unfinished"
        raise ValueError(msg)
    with pa.BufferReader(data[:-8]) as file:
        schema = pa.ipc.read_schema(file)
        batches = []
        while file.tell() < len(data) - 8:
            batches.append(pa.ipc.read_record_batch(pa.ipc.read_message(file), schema))
    return pa.Table.from_batches(batches, schema)


class StreamFormat:
    """The sound format that the faults are put into."""

    extension = "stream"
    made: ClassVar[type[StreamWriter]] = StreamWriter

    def __init__(self, options: NoOptions) -> None:
        del options

    def check(self, schema: pa.Schema) -> None:
        pass

    def writer(self, out: BinaryIO, schema: pa.Schema) -> StreamWriter:
        return self.made(out, schema)

    def compression(self) -> str:
        return "none"

    def reader(self, path: Path, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        yield from read_stream(path).cast(schema).to_batches(max_chunksize=1000)


def made_by(factory: Callable[[Any], object], **capabilities: bool) -> FormatType:
    can = FormatCapabilities(**{"streams": True, **capabilities})
    return FormatType(kind="stream", options=NoOptions, capabilities=can, factory=factory)  # type: ignore[arg-type]


class Broken(FormatContract):
    witnesses: ClassVar[tuple[str, ...]] = ()

    @pytest.fixture
    def options(self) -> NoOptions:
        return NoOptions()

    @pytest.fixture
    def read_back(self) -> Callable[[Path, pa.Schema], pa.Table]:
        return lambda path, schema: read_stream(path)


class TestNoFault(Broken):
    """With nothing wrong, every test passes: what the witnesses show is their faults."""

    declaration = made_by(StreamFormat)
    witnesses = tuple(FormatContract.catalogue())
    sound = True


class StrangeWords(StreamFormat):
    extension = ".Stream"

    def compression(self) -> str:
        return "zip"


class TestStrangeWords(Broken):
    declaration = made_by(StrangeWords)
    witnesses = ("test_the_extension_is_a_word", "test_the_compression_is_a_manifests_word")


class CannotRead(StreamFormat):
    reader = None  # type: ignore[assignment]  # as if it were not there


class TestCannotRead(Broken):
    declaration = made_by(CannotRead)
    witnesses = ("test_it_has_the_methods_that_it_declares",)


class ForgetsNulls(StreamWriter):
    def write(self, batch: pa.RecordBatch) -> None:
        super().write(pa.Table.from_batches([batch]).drop_null().combine_chunks().to_batches()[0])


class TestForgetsNulls(Broken):
    declaration = made_by(type("ForgetsNullsFormat", (StreamFormat,), {"made": ForgetsNulls}))
    witnesses = (
        "test_an_independent_reader_finds_what_went_in",
        "test_its_own_reader_finds_what_went_in",
        "test_nested_columns_come_back",
    )
    error = "AssertionError|IndexError"


class WritesNothing(StreamWriter):
    """Takes the rows, says nothing, and leaves the file as empty as it was."""

    def emit(self, data: bytes) -> None:
        del data


class TestWritesNothing(Broken):
    declaration = made_by(type("EmptyFormat", (StreamFormat,), {"made": WritesNothing}))
    witnesses = (
        "test_an_independent_reader_finds_what_went_in",
        "test_no_rows_make_a_file_with_a_schema",
        "test_the_size_grows",
    )
    error = "AssertionError|ValueError"


class LosesPieces(StreamWriter):
    def write_group(self, pieces: list[pa.RecordBatch]) -> None:
        self.write(pieces[0])


class TestLosesPieces(Broken):
    declaration = made_by(type("LosesPiecesFormat", (StreamFormat,), {"made": LosesPieces}))
    witnesses = ("test_pieces_are_as_good_as_one_batch",)


class ReadsAtOnce(StreamFormat):
    def reader(self, path: Path, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        yield from read_stream(path).combine_chunks().to_batches()


class TestReadsAtOnce(Broken):
    declaration = made_by(ReadsAtOnce)
    witnesses = ("test_its_own_reader_yields_bounded_batches",)


class WritesTheSchemaLate(StreamWriter):
    """Knows no types before the first row."""

    def __init__(self, out: BinaryIO, schema: pa.Schema) -> None:
        self.rows = False
        self.types = schema
        super().__init__(out, pa.schema([]))
        out.seek(0)
        out.truncate()

    def write(self, batch: pa.RecordBatch) -> None:
        if not self.rows:
            self.emit(batch.schema.serialize().to_pybytes())
        self.rows = True
        super().write(batch)

    def finish(self) -> None:
        if not self.rows:
            names = [pa.field(name, pa.string()) for name in self.types.names]
            self.emit(pa.schema(names).serialize().to_pybytes())
        super().finish()


class TestWritesTheSchemaLate(Broken):
    declaration = made_by(type("LateFormat", (StreamFormat,), {"made": WritesTheSchemaLate}))
    witnesses = ("test_no_rows_make_a_file_with_a_schema",)


class TestTakesAnything(Broken):
    declaration = made_by(StreamFormat, nested=False)
    witnesses = ("test_what_it_cannot_hold_is_refused_before_reading",)


class SignsItsFiles(StreamWriter):
    def __init__(self, out: BinaryIO, schema: pa.Schema) -> None:
        super().__init__(out, schema.with_metadata({"id": uuid.uuid4().hex}))


class TestSignsItsFiles(Broken):
    declaration = made_by(type("SigningFormat", (StreamFormat,), {"made": SignsItsFiles}))
    witnesses = ("test_equal_input_gives_equal_bytes",)


class CountsAtTheEnd(StreamWriter):
    def size(self) -> int:
        return 0


class TestCountsAtTheEnd(Broken):
    declaration = made_by(type("CountingFormat", (StreamFormat,), {"made": CountsAtTheEnd}))
    witnesses = ("test_the_size_grows",)


class ClosesTheFile(StreamWriter):
    def finish(self) -> None:
        super().finish()
        self.out.close()


class TestClosesTheFile(Broken):
    declaration = made_by(type("ClosingFormat", (StreamFormat,), {"made": ClosesTheFile}))
    witnesses = ("test_the_file_stays_the_callers",)


class FinishesAlways(StreamWriter):
    def abort(self) -> None:
        self.finish()


class TestFinishesAlways(Broken):
    declaration = made_by(type("FinishingFormat", (StreamFormat,), {"made": FinishesAlways}))
    witnesses = ("test_an_aborted_file_is_recognisably_unfinished", "test_abort_is_safe_after_an_error")
    error = "Failed|OSError"


class GoesBack(StreamWriter):
    def finish(self) -> None:
        super().finish()
        self.out.seek(0)


class TestGoesBack(Broken):
    declaration = made_by(type("SeekingFormat", (StreamFormat,), {"made": GoesBack}))
    witnesses = ("test_it_can_be_written_to_a_pipe",)
    error = "UnsupportedOperation"
