"""Imports the object that an entry names, and tells an absent module from one whose own import failed."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from rivet_core.errors import EnvironmentFailure
from rivet_core.types import redact

if TYPE_CHECKING:
    from rivet_core.plugins.entries import Entry


def import_target(entry: Entry) -> object:
    """Return the module, or the object in it, that an entry names.

    :raises EnvironmentFailure: ``RIVET_PLUGIN_BROKEN`` naming the distribution and its version, cause chained.
    """
    module_name, _, attribute = entry.target.partition(":")
    try:
        found: object = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module_name}.".startswith(f"{error.name}."):
            raise broken(
                entry,
                f"its metadata names the module {module_name}, which does not exist",
                remedy=f"install {entry.distribution} again; an editable one too, after its entry points were edited",
            ) from error
        raise broken(
            entry,
            f"importing {module_name} needs the module {error.name}, which is not installed",
            remedy=f"install {entry.distribution} with its dependencies and extras",
        ) from error
    # A stranger's module can raise anything at import, and must not take the other plugins with it.
    except Exception as error:
        raise broken(entry, f"importing {module_name} failed: {describe(error)}") from error
    for name in filter(None, attribute.split(".")):
        try:
            found = getattr(found, name)
        except AttributeError as error:
            raise broken(entry, f"{module_name} has no {attribute}") from error
    return found


def broken(entry: Entry, reason: str, *, remedy: str | None = None) -> EnvironmentFailure:
    """Return the error of a plugin that cannot be used."""
    return EnvironmentFailure(
        f"the plugin {entry.name} of {entry.origin} cannot be used: {reason}",
        code="RIVET_PLUGIN_BROKEN",
        remedy=remedy or f"upgrade or remove {entry.distribution}; all other plugins stay usable",
    )


def describe(error: BaseException) -> str:
    """Return a foreign error in one line without secrets."""
    text = " ".join(str(error).split())
    return redact(f"{type(error).__name__}: {text}" if text else type(error).__name__)
