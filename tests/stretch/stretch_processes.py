"""An executor that reads units in other processes; commits stay with the coordinator."""

from __future__ import annotations

import multiprocessing
import queue
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rivet_core.engine.produce import produce
from rivet_core.engine.producer import ProducerNeeds, ProductionFailed, failure
from rivet_core.errors import EnvironmentFailure
from rivet_core.types import Verdict, redact

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection

    from rivet_core.engine.produce import Progress
    from rivet_core.engine.sink import UnitTask
    from rivet_core.ledger.finished import Produced


def _serve(connection: Connection, needs: ProducerNeeds) -> None:
    """A worker's life: a task in, produced values out one by one, each on request, so that it never runs ahead."""
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        source = needs.open_source()
        try:
            produced = produce(
                source, task, needs.recipe, progress=lambda rows, size: connection.send(("rows", (rows, size)))
            )
            for item in produced:
                connection.send(("item", item))
                if connection.recv() == "stop":
                    produced.close()  # type: ignore[attr-defined] # a generator
                    break
            connection.send(("end", None))
        except Exception as error:  # noqa: BLE001 - it crosses the process border as text
            failed = failure(source, error)
            connection.send(("failed", (redact(f"{type(error).__name__}: {error}"), failed.verdict)))
        finally:
            source.close()


class ProcessProducer:
    """Two worker processes; a unit borrows one."""

    def __init__(self, needs: ProducerNeeds, workers: int = 2) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["rivet_core.engine.produce"])
        self._idle: queue.Queue[tuple[Any, Connection]] = queue.Queue()
        self._lock = threading.Lock()
        self._all: list[tuple[Any, Connection]] = []
        for _ in range(workers):
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs, needs), daemon=True)
            process.start()
            theirs.close()
            self._all.append((process, ours))
            self._idle.put((process, ours))

    @property
    def pids(self) -> list[int]:
        """The workers' process ids."""
        return [process.pid for process, _ in self._all]

    @contextmanager
    def produce(self, task: UnitTask, progress: Progress) -> Iterator[Iterator[Produced]]:
        """Borrow a worker for one attempt."""
        worker = self._idle.get()
        try:
            yield self._items(worker[1], task, progress)
        finally:
            self._idle.put(worker)

    def _items(self, connection: Connection, task: UnitTask, progress: Progress) -> Iterator[Produced]:
        try:
            connection.send(task)
            while True:
                kind, value = connection.recv()
                if kind == "rows":
                    progress(*value)
                elif kind == "failed":
                    text, verdict = value
                    raise ProductionFailed(EnvironmentFailure(text, code="RIVET_SOURCE_READ_FAILED"), verdict)
                elif kind == "end":
                    return
                else:
                    yield value
                    connection.send("next")
        except (EOFError, OSError) as error:
            raise ProductionFailed(error, Verdict.FATAL) from error

    def cancel(self) -> None:
        """End the workers; what they were reading is read again by the next run."""
        for process, _ in self._all:
            process.terminate()

    def close(self) -> None:
        """End the workers."""
        for process, connection in self._all:
            connection.close()
            process.join(5)
            process.terminate()
            process.join(5)
