"""Standard output as a destination: what was written cannot be taken back, read again or written twice."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from rivet_core.errors import EnvironmentFailure, InternalError
from rivet_core.types import ObjectInfo, PutReceipt, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_BLOCK: Final = 1 << 20


class StdoutDestination:
    """Takes one object, whose key nobody sees."""

    def __init__(self) -> None:
        self._used = False

    def put(self, key: str, path: Path, *, create: bool) -> PutReceipt:
        del create  # nothing is there that could be replaced
        with path.open("rb") as file:
            return PutReceipt(key=key, size=self._write(iter(lambda: file.read(_BLOCK), b"")))

    def put_bytes(self, key: str, data: bytes, *, create: bool) -> PutReceipt:
        del create
        return PutReceipt(key=key, size=self._write([data]))

    def get(self, key: str, limit: int) -> bytes | None:
        del key, limit
        return None

    def download(self, key: str, path: Path) -> None:
        del path
        msg = f"standard output was asked for {key}, and declares that it cannot be read"
        raise InternalError(msg, code="RIVET_INTERNAL_CONTRACT")

    def stat(self, key: str) -> ObjectInfo | None:
        del key
        return None

    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        del prefix
        return iter(())

    def move(self, key: str, to: str) -> None:
        """Nothing is there to be moved."""

    def staging(self) -> Path | None:
        return None

    def uri(self) -> str:
        return "stdout:/"

    def verdict(self, error: BaseException) -> Verdict:
        # Some of the bytes may be out already: a second attempt would write them twice.
        del error
        return Verdict.FATAL

    def close(self) -> None:
        """Standard output belongs to the process."""

    def _write(self, blocks: Iterable[bytes]) -> int:
        if self._used:
            msg = "standard output has taken an object already, and a second one cannot be told from it"
            raise InternalError(msg, code="RIVET_INTERNAL_CONTRACT")
        self._used = True
        size = 0
        try:
            for block in blocks:
                sys.stdout.buffer.write(block)
                size += len(block)
            sys.stdout.buffer.flush()
        except BrokenPipeError as error:
            msg = "the program that reads standard output has closed it"
            remedy = "Let it read to the end, or write to a file: destination: {type: local, path: out}."
            raise EnvironmentFailure(msg, code="RIVET_DEST_IO_FAILED", remedy=remedy) from error
        except OSError as error:
            msg = f"standard output cannot be written: {error.strerror}"
            remedy = "Look at where it is sent, or write to a file: destination: {type: local, path: out}."
            raise EnvironmentFailure(msg, code="RIVET_DEST_IO_FAILED", remedy=remedy) from error
        return size
