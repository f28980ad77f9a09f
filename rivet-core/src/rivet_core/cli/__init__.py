"""The command ``rivet``. Each command is a module of its own that imports what it needs when it runs."""

from __future__ import annotations


def main() -> int:
    """Run the command line of this process and return its exit status; the script passes it to ``sys.exit``."""
    import sys

    from rivet_core.cli.signals import SignalReceived, Signals

    # Before the other imports, which take long enough for a Ctrl-C to fall among them.
    signals = Signals()
    try:
        with signals.handled():
            from rivet_core.cli.ending import end

            return end(sys.argv[1:], signals)
    except SignalReceived as received:
        sys.stderr.write(f"{received}\n")
        return received.exit
