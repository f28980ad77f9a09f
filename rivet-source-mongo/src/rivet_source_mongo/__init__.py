"""The MongoDB source of rivet; registers nothing yet."""

from __future__ import annotations

__all__: tuple[str, ...] = ()


def __getattr__(name: str) -> str:
    # The installed metadata is the one place where the version is written.
    if name == "__version__":
        from importlib.metadata import version

        return version("rivet-source-mongo")
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
