"""The process exit codes, which are part of the contract."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """What the process's exit status means to a scheduler."""

    #: Done; also nothing to do.
    DONE = 0
    #: The command line or the configuration is wrong, or the environment in a way that waiting does not mend.
    USAGE = 1
    #: Transient or busy: the same command may succeed later.
    TRANSIENT = 2
    #: Data may be wrong.
    INTEGRITY = 3
    #: The source's schema changed under ``on_schema_drift: fail``.
    DRIFT = 4
    #: Stopped on purpose to protect data; a person decides.
    REFUSED = 5
    #: A bug of ours.
    INTERNAL = 6
    #: Ctrl-C.
    INTERRUPTED = 130
    #: SIGTERM.
    TERMINATED = 143
