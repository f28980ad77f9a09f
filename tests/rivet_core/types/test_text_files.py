from __future__ import annotations

import os
import threading
import tracemalloc
from pathlib import Path

import pytest

from rivet_core.types.text_file import TextUnreadable, read_text_file


@pytest.mark.parametrize("written", [b"\xef\xbb\xbfselect 1\n", b"select 1\n", b"select 1\r\n", b"select 1\r"])
def test_a_mark_and_the_kind_of_line_ends_are_no_part_of_the_text(tmp_path: Path, written: bytes) -> None:
    (tmp_path / "q.sql").write_bytes(written)
    assert read_text_file(tmp_path / "q.sql", limit=100) == "select 1\n"


def test_a_text_of_the_limit_is_read(tmp_path: Path) -> None:
    (tmp_path / "q.sql").write_bytes(b"x" * 100)
    assert read_text_file(tmp_path / "q.sql", limit=100) == "x" * 100


def test_a_larger_text_is_refused_without_reading_it(tmp_path: Path) -> None:
    with (tmp_path / "q.sql").open("wb") as file:
        file.truncate(1 << 40)
    tracemalloc.start()
    with pytest.raises(TextUnreadable, match="larger than 1000 bytes"):
        read_text_file(tmp_path / "q.sql", limit=1000)
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("name", "reason"), [("/dev/zero", "device"), (".", "folder"), ("no", "No such"), ("\0", "name")]
)
def test_what_is_no_file_is_refused(name: str, reason: str) -> None:
    with pytest.raises(TextUnreadable, match=reason):
        read_text_file(name, limit=1000)


def test_text_of_another_encoding_is_refused(tmp_path: Path) -> None:
    (tmp_path / "q.sql").write_bytes("é".encode("latin-1"))
    with pytest.raises(TextUnreadable, match="UTF-8"):
        read_text_file(tmp_path / "q.sql", limit=100)


def test_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    def write() -> None:
        with (tmp_path / "pipe").open("wb", buffering=0) as pipe:
            for _ in range(1000):
                pipe.write(b"x" * 1000)

    writer = threading.Thread(target=write)
    writer.start()
    text = read_text_file(tmp_path / "pipe", limit=1_000_000)
    writer.join()
    assert len(text) == 1_000_000
