"""The page of the contracts: every sentence that a plugin is held to, as the tests say it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Final

from rivet_core.testing.contract import Contract
from rivet_core.testing.contracts.destination import DestinationContract
from rivet_core.testing.contracts.format import FormatContract
from rivet_core.testing.contracts.packaging import PackagingContract
from rivet_core.testing.contracts.runner import RunnerContract
from rivet_core.testing.contracts.source import SourceContract

CONTRACTS: Final[tuple[type[Contract], ...]] = (
    SourceContract,
    RunnerContract,
    FormatContract,
    DestinationContract,
    PackagingContract,
)

_HEAD: Final = """\
# The contracts

Written by `docs/generate.py` from the docstrings in `rivet_core.testing`: change the tests, not this page.

Each sentence is a test. A plugin's test module is a subclass of a contract that gives the fixtures named below it, and
nothing else; [plugins](index.md) shows one. Capabilities choose tests: what a plugin does not declare is skipped, and
what it declares is tested. A test that cannot pass is waived with a reason, `waived = {"test_a_move_moves": "…"}`, and
the waiver fails as soon as the test passes. A contract's own tests and fixtures cannot be overridden. Pytest's summary
has one line a plugin, and a contract test that was skipped for any other reason is a failure.
"""


def contracts_page() -> str:
    """Return the whole page."""
    return _HEAD + "".join(_section(contract) for contract in CONTRACTS)


def _section(contract: type[Contract]) -> str:
    given = [(name, owner) for name in sorted(contract.gives) if (owner := inspect.getattr_static(contract, name))]
    fixtures = "".join(f"| `{name}` | {_given(value)} |\n" for name, value in given if _doc(value))
    rows = "".join(
        f"| `{name}` | {_sentence(test)} | {_needs(test)} |\n" for name, test in contract.catalogue().items()
    )
    about = (inspect.getdoc(contract) or "").replace("``", "`")
    text = f"\n## {contract.__name__}\n\n{about}\n"
    if fixtures:
        text += f"\n| an author gives | what it is |\n| --- | --- |\n{fixtures}"
    return f"{text}\n| test | what it holds a plugin to | needs |\n| --- | --- | --- |\n{rows}"


def _needs(test: Callable[..., object]) -> str:
    names = [name for mark in getattr(test, "pytestmark", ()) if mark.name == "rivet_needs" for name in mark.args]
    return ", ".join(names)


def _doc(value: Any) -> str:
    # Settings such as numbers have the docstring of their class, which says nothing of them.
    return inspect.getdoc(value) or "" if callable(value) or hasattr(value, "_get_wrapped_function") else ""


def _given(value: Any) -> str:
    text = _sentence(value).removeprefix("Give ")
    return text[:1].upper() + text[1:]


def _sentence(value: Any) -> str:
    text = " ".join(_doc(value).split())
    return text.replace("``", "`").replace("|", "\\|")
