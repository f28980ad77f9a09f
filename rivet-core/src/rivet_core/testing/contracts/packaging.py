"""The contract of a plugin as an installed package."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import types
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import attrs
import pytest

from rivet_core.hookspecs import API_VERSION
from rivet_core.testing.contract import Contract
from rivet_core.testing.entries import HOOKS, entry_point, installed
from rivet_core.types import Secret

#: What a plugin may import of the core.
PUBLIC = ("hookspecs", "protocols", "events", "capabilities", "requests", "schema", "types", "errors")
#: Fields with such names hold what nobody may see.
SECRETIVE = ("password", "passwd", "secret", "token", "credential", "private_key", "access_key")
#: Fields with such endings name a place where a secret lies, not the secret.
PLACES = ("_env", "_file", "_path", "_id")

LOADED = """
import importlib, json, sys
import rivet_core.hookspecs
before = set(sys.modules)
importlib.import_module({module!r})
print(json.dumps(sorted(set(sys.modules) - before)))
"""


class PackagingContract(Contract, sealed=True):
    """What the program relies on in every installed plugin; an author gives ``entry`` and ``options_text``.

    ``entry`` is the entry point's name, such as ``source.sqlite``. ``options_text`` is the block of options as a user
    writes it in YAML, without ``type``; ``secrets`` are the secrets in it.
    """

    gives: ClassVar[frozenset[str]] = frozenset({"entry", "options_text", "secrets"})
    #: The entry point's name: seam, a dot, kind.
    entry: ClassVar[str] = ""

    # -- given ------------------------------------------------------------

    @pytest.fixture
    def options_text(self) -> str:
        """Give the block of options as lines of YAML, without ``type``, with all that may be secret in it."""
        pytest.fail("the packaging contract needs the fixture `options_text`")

    @pytest.fixture
    def secrets(self) -> tuple[str, ...]:
        """Give every secret in ``options_text``."""
        return ()

    # -- ours -------------------------------------------------------------

    @classmethod
    def label(cls) -> str:
        """Return the plugin's name for the summary."""
        return cls.entry or cls.__name__

    @pytest.fixture
    def declared(self) -> Any:
        """Return the declaration behind the entry point."""
        return installed(self.entry)

    # -- tests ------------------------------------------------------------

    def test_the_entry_point_names_what_is_declared(self) -> None:
        """The entry point's name is the seam and the kind of a declaration that its module returns."""
        seam, _, kind = self.entry.partition(".")
        module = entry_point(self.entry).load()
        assert isinstance(module, types.ModuleType), "an entry point names a module, not something in it"
        assert kind in [declaration.kind for declaration in getattr(module, HOOKS[seam])()]

    def test_every_declared_kind_has_an_entry_point(self) -> None:
        """No hook of the module returns a kind that its metadata does not announce."""
        module = entry_point(self.entry).load()
        for seam, hook in HOOKS.items():
            for declaration in getattr(module, hook, tuple)():
                assert entry_point(f"{seam}.{declaration.kind}").value == entry_point(self.entry).value

    def test_the_contracts_version_is_ours(self, declared: Any) -> None:
        """The declaration was made for this version of the contract."""
        assert declared.api == API_VERSION

    def test_importing_the_module_imports_no_driver(self) -> None:
        """The module costs its own package and the standard library: no driver is paid for by who does not use it."""
        module = entry_point(self.entry).value
        code = LOADED.format(module=module)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603 - ours
        allowed = {*sys.stdlib_module_names, module.partition(".")[0], "rivet_core"}
        assert sorted({name.partition(".")[0] for name in json.loads(done.stdout)} - allowed) == []

    def test_only_the_public_contract_is_imported(self) -> None:
        """No module of the plugin imports anything of the core but the public contract."""
        package = entry_point(self.entry).value.rpartition(".")[0]
        allowed = (*(f"rivet_core.{name}" for name in PUBLIC), package)
        strange = {
            name
            for path in _modules(package)
            for name in _imports(ast.parse(path.read_text(encoding="utf-8")))
            if name.partition(".")[0] == "rivet_core" and not any(f"{name}.".startswith(f"{root}.") for root in allowed)
        }
        assert sorted(strange) == []

    def test_the_options_are_a_frozen_value(self, declared: Any) -> None:
        """The class of the options is a frozen attrs class: equal files make equal values, and nobody edits one."""
        assert attrs.has(declared.options)
        assert declared.options.__setattr__ is not object.__setattr__

    def test_the_options_are_read_from_a_file(self, declared: Any, options_text: str, tmp_path: Path) -> None:
        """A user's block of options makes an instance, without a complaint."""
        assert isinstance(structured(declared.options, options_text, tmp_path), declared.options)

    def test_the_repr_hides_secrets(
        self,
        declared: Any,
        options_text: str,
        secrets: tuple[str, ...],
        tmp_path: Path,
    ) -> None:
        """No secret of a user's options is in their repr or text."""
        made = structured(declared.options, options_text, tmp_path)
        assert [secret for secret in secrets if secret in f"{made!r} {made}"] == []

    def test_what_sounds_secret_is_a_secret(self, declared: Any) -> None:
        """A field whose name speaks of a password, a token or a key has the type ``Secret``."""
        open_fields = [
            field.name
            for field in attrs.fields(attrs.resolve_types(declared.options))
            if any(word in field.name for word in SECRETIVE)
            and not field.name.endswith(PLACES)
            and Secret not in (field.type, *getattr(field.type, "__args__", ()))
        ]
        assert open_fields == []

    def test_flat_names_are_options(self, declared: Any) -> None:
        """What users may write at the export's own level is the name of an option."""
        names = {field.alias for field in attrs.fields(declared.options)}
        assert [name for name in getattr(declared, "flat", ()) if name not in names] == []

    def test_the_prefix_is_an_option(self, declared: Any) -> None:
        """A destination's prefix is the name of one of its options, or None."""
        prefix = getattr(declared, "prefix", None)
        assert prefix is None or prefix in {field.alias for field in attrs.fields(declared.options)}

    def test_type_checkers_may_look(self) -> None:
        """The top package carries ``py.typed``."""
        module = import_module(entry_point(self.entry).value.partition(".")[0])
        assert [path for path in module.__path__ if (Path(path) / "py.typed").is_file()]


def structured(options: type, text: str, folder: Path) -> Any:
    """Return an instance of a plugin's options from a block of YAML.

    :raises ValueError: with everything that is wrong with it.
    """
    # Four of five contracts do without the configuration's modules.
    from rivet_core.config.nodes import Keyed, compose
    from rivet_core.config.placeholders import Variables
    from rivet_core.config.reading import Reading
    from rivet_core.config.structure import structure_class

    node, problems = compose(text if text.strip() else "{}", file="options.yaml")
    reading = Reading(folder=folder, variables=Variables({}, {}), problems=problems)
    made = structure_class(options, node, reading) if isinstance(node, Keyed) else None
    if reading.problems or not isinstance(made, options):
        raise ValueError("\n".join(str(problem) for problem in reading.problems) or f"no mapping: {text!r}")
    return made


def _modules(package: str) -> Iterator[Path]:
    spec = find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        yield from sorted(Path(folder).rglob("*.py"))


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            # `from rivet_core import engine` names a module as well.
            yield from (f"{base}.{alias.name}" for alias in node.names) if base == "rivet_core" else (base,)
