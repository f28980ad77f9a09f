"""The progress display of a terminal: one line an export, redrawn in place."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
from rich.text import Text

from rivet_core.cli.progress import notice
from rivet_core.engine.report_text import bytes_text
from rivet_core.events import RowsRead, RunClosed, RunOpened, RunSealed
from rivet_core.types import one_line, without_url_passwords

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import TaskID

    from rivet_core.events import Event


class _Counts(ProgressColumn):
    """Rows, rows a second and bytes of a task."""

    def render(self, task: Task) -> Text:
        total = "" if task.total is None else f" of ~{round(task.total):,}"
        speed = f"{round(task.speed):,}/s" if task.speed else "-"
        return Text(f"{round(task.completed):,}{total} rows  {speed}  {bytes_text(task.fields['size'])}")


@contextmanager
def display(*, color: bool, console: Console | None = None) -> Iterator[Callable[[Event], None]]:
    """Draw on standard error for the length of the block."""
    console = console or Console(stderr=True, no_color=not color, highlight=False)
    progress = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        _Counts(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[status]}", markup=False),
        console=console,
        transient=True,
    )
    tasks: dict[str, TaskID] = {}
    lock = threading.Lock()

    def observe(event: Event) -> None:
        with lock:
            match event:
                case RunOpened():
                    if event.export not in tasks:
                        tasks[event.export] = progress.add_task(event.export, total=None, size=0, status="")
                    status = "resumed" if event.resumed else "reading"
                    progress.update(tasks[event.export], total=event.estimated_rows, status=status)
                case RowsRead() if event.export in tasks:
                    task = tasks[event.export]
                    size = next(known.fields["size"] for known in progress.tasks if known.id == task)
                    progress.update(task, advance=event.rows, size=size + event.bytes)
                case RunSealed() if event.export in tasks:
                    progress.update(tasks[event.export], status="sealed")
                case RunClosed() if event.export in tasks:
                    progress.update(tasks[event.export], status=event.status)
                    progress.stop_task(tasks[event.export])
        line = None if isinstance(event, RunClosed) else notice(event)
        if line is not None:
            console.print(Text(without_url_passwords(one_line(f"{event.export}: {line}"))))

    with progress:
        yield observe
