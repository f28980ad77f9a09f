"""What all contracts share: what an author gives, what nobody overrides, which capability a test needs, waivers.

How waivers and skips become outcomes is the business of :mod:`rivet_core.testing.plugin`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final, NoReturn, TypeVar

import pytest

#: How the reason of a skip begins that is no hole.
CAPABILITY: Final = "capability: "

_Test = TypeVar("_Test", bound=Callable[..., object])


def needs(*names: str) -> Callable[[_Test], _Test]:
    """Mark a contract test that runs only where all of these capabilities are declared.

    :param names: keys of the contract's ``requirements``.
    """
    return pytest.mark.rivet_needs(*names)


def lacks(what: str) -> NoReturn:
    """Skip a test whose subject the plugin does not have: a fixture that only some authors can give."""
    pytest.skip(f"{CAPABILITY}{what}")


def unmet(subject: object, claims: Mapping[type[object], bool]) -> list[str]:
    """Return the protocols that are claimed and whose methods the subject does not have."""
    return [protocol.__name__ for protocol, claimed in claims.items() if claimed and not isinstance(subject, protocol)]


class Contract:
    """The contract of one seam as tests; a subclass that gives the fixtures is a plugin's whole test module.

    An author gives what ``gives`` names and overrides nothing else: that is refused when the class is made.
    """

    #: How the pytest plugin knows a contract without importing this module.
    rivet_contract: ClassVar[bool] = True
    #: The seam, as entry points spell it.
    seam: ClassVar[str] = ""
    #: The plugin's declaration; its capabilities choose tests. None means the defaults of the seam.
    declaration: ClassVar[Any] = None
    #: Test to reason: each becomes a strict expected failure, so that a waiver outlives its cause by one run at most.
    waived: ClassVar[Mapping[str, str]] = {}
    #: Fixtures and settings that an author may give.
    gives: ClassVar[frozenset[str]] = frozenset()
    #: What a test can need, as a question to the capabilities.
    requirements: ClassVar[Mapping[str, Callable[[Any], bool]]] = {}
    #: The capabilities that hold where there is no declaration.
    assumed: ClassVar[Any] = None

    _sealed: ClassVar[bool] = True

    def __init_subclass__(cls, *, sealed: bool = False) -> None:
        super().__init_subclass__()
        cls._sealed = sealed
        if not sealed:
            _refuse_overrides(cls)
            _refuse_stray_waivers(cls)

    @classmethod
    def capabilities(cls) -> Any:
        """Return what the plugin declares, or what the seam assumes."""
        return cls.assumed if cls.declaration is None else cls.declaration.capabilities

    @classmethod
    def missing(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return which of these requirements the plugin does not declare."""
        return tuple(name for name in names if not cls.requirements[name](cls.capabilities()))

    @classmethod
    def label(cls) -> str:
        """Return the plugin's name for the summary: its entry point's, or the class's own."""
        return cls.__name__ if cls.declaration is None else f"{cls.seam}.{cls.declaration.kind}"

    @classmethod
    def catalogue(cls) -> dict[str, Callable[..., object]]:
        """Return the contract's tests in the order in which they are written."""
        found: dict[str, Callable[..., object]] = {}
        for owner in reversed(cls.__mro__):
            if owner.__dict__.get("_sealed"):
                found |= {name: value for name, value in vars(owner).items() if name.startswith("test_")}
        return found


_SETTINGS: Final = frozenset({"declaration", "waived"})


def _refuse_overrides(cls: type[Contract]) -> None:
    owners = [owner for owner in cls.__mro__ if owner.__dict__.get("_sealed")]
    sealed = {name for owner in owners for name in vars(owner) if not name.startswith("_")}
    given = frozenset(name for owner in owners for name in vars(owner).get("gives", ()))
    for name in sorted(sealed - given - _SETTINGS):
        owner = next(owner for owner in cls.__mro__ if name in vars(owner))
        if owner not in owners:
            msg = (
                f"{cls.__name__} overrides {name}, which belongs to the contract: a plugin does not change what it is"
                f" tested by. Waive a test with a reason (waived = {{{name!r}: '…'}}); what an author gives is"
                f" {', '.join(sorted(given))}"
            )
            raise TypeError(msg)


def _refuse_stray_waivers(cls: type[Contract]) -> None:
    stray = sorted(name for name in cls.waived if name not in cls.catalogue())
    if stray:
        msg = f"{cls.__name__} waives {', '.join(stray)}, which its contract does not have"
        raise TypeError(msg)
    if unreasoned := sorted(name for name, reason in cls.waived.items() if not reason.strip()):
        msg = f"{cls.__name__} waives {', '.join(unreasoned)} without a reason"
        raise TypeError(msg)
