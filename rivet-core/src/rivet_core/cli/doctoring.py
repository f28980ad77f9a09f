"""What ``rivet doctor`` does: one check after the other, each of which finishes whatever the others find."""

from __future__ import annotations

import threading
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from rivet_core.cli import surroundings, webhooks
from rivet_core.cli.failing import tell_error
from rivet_core.cli.loading import Loaded, load_exports
from rivet_core.cli.printing import say, say_json
from rivet_core.config import resolve_prefix
from rivet_core.engine.asking import Asked
from rivet_core.engine.report_text import count_text
from rivet_core.errors import BusyError, EnvironmentFailure, RivetError, UsageError
from rivet_core.plugins import PluginState
from rivet_core.protocols import RemovableDestination
from rivet_core.state import StateDatabase
from rivet_core.types import Verdict, reason, told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rivet_core.cli.invocation import Invocation
    from rivet_core.requests import Intent

#: The object that is put at each prefix; the Rust tool's has the same name, and both leave it out of verification.
PROBE = ".rivet_doctor_probe"


@attrs.frozen(kw_only=True)
class Check:
    """One check's end.

    :param transient: it may go well later, without anything being mended.
    """

    name: str
    ok: bool
    detail: str = ""
    hint: str = ""
    transient: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the check's object in the report."""
        found: dict[str, Any] = {"name": self.name, "ok": self.ok}
        return found | {key: text for key, text in (("detail", self.detail), ("hint", self.hint)) if text}


def doctor(
    invocation: Invocation, config: str, exports: tuple[str, ...], params: tuple[str, ...], *, as_json: bool
) -> int:
    """Make every check and return the exit status."""
    loaded = load_exports(invocation, config, exports=exports, params=params)
    checks = list(_checks(loaded, invocation))
    bad = [check for check in checks if not check.ok]
    if as_json:
        say_json({"config_path": config, "all_ok": not bad, "checks": [check.to_json() for check in checks]})
    else:
        say(*_lines(checks))
    if not bad:
        return 0
    names = ", ".join(check.name for check in bad)
    error: RivetError
    if all(check.transient for check in bad):
        error = EnvironmentFailure(
            f"these could not be checked now: {names}",
            code="RIVET_CLI_PREFLIGHT_UNVERIFIED",
            remedy="run the same command again later",
            transient=True,
        )
    else:
        error = UsageError(
            f"these are not in order: {names}",
            code="RIVET_CLI_PREFLIGHT_FAILED",
            remedy="mend what the hints say, then run doctor again",
        )
    tell_error(error, invocation)
    return int(error.exit)


def _checks(loaded: Loaded, invocation: Invocation) -> Iterator[Check]:
    yield Check(name="configuration", ok=True, detail=f"{loaded.given}, {count_text(len(loaded.intents), 'export')}")
    yield _plugins(loaded)
    yield _made("environment", surroundings.foreign_packages)
    sources = {repr(intent.source): intent for intent in loaded.intents}
    for intent in sources.values():
        yield _made(f"source {intent.source.kind}", partial(_source, loaded, intent))
    for intent in loaded.intents:
        yield _made(f"destination of {intent.name}", partial(_destination, loaded, intent))
    yield from _notifications(loaded, invocation)
    yield _made("state", partial(_state, loaded, invocation))
    yield _made("staging", partial(surroundings.staging, invocation.environ))


def _made(name: str, check: Callable[[], str]) -> Check:
    """Return a check that raises when it fails as its end."""
    try:
        return Check(name=name, ok=True, detail=check())
    except RivetError as error:
        error = told(error)
        transient = isinstance(error, BusyError) or bool(getattr(error, "transient", False))
        detail = f"[{error.code}] {error.message}"
        return Check(name=name, ok=False, detail=detail, hint=error.remedy or "", transient=transient)
    # A driver or a plugin may raise anything, and the other checks are still wanted.
    except Exception as error:  # noqa: BLE001
        return Check(name=name, ok=False, detail=reason(error))


def _plugins(loaded: Loaded) -> Check:
    broken = [row for row in loaded.plugins.listing(load=True) if row.state is PluginState.BROKEN]
    if not broken:
        return Check(name="plugins", ok=True, detail=f"{len(loaded.plugins.listing())} usable")
    detail = "; ".join(f"{row.seam}.{row.kind}: {row.reason}" for row in broken)
    return Check(name="plugins", ok=False, detail=detail, hint="upgrade or remove their distributions")


def _notifications(loaded: Loaded, invocation: Invocation) -> Iterator[Check]:
    """Look for the webhook's address, without sending anything; without the block there is nothing to say."""
    if not webhooks.wanted(loaded, invocation):
        return
    found = webhooks.missing(loaded, invocation)
    if found is not None:
        hint = "give the address of the webhook, which begins with http:// or https://, or run with --no-notify"
        yield Check(name="notifications", ok=False, detail=found, hint=hint)
    else:
        yield Check(name="notifications", ok=True, detail="the webhook has an address; nothing was sent to it")


def _source(loaded: Loaded, intent: Intent) -> str:
    seconds = intent.tuning.statement_timeout_s
    with closing(Asked(loaded.declarations(intent).open_source(intent), threading.Event())) as asked:
        source = asked.source
        try:
            asked.answer(seconds, source.check)
            return str(asked.answer(seconds, source.identity))
        except RivetError:
            raise
        except Exception as error:
            verdict = source.verdict(error)
            raise EnvironmentFailure(
                reason(error),
                code="RIVET_SOURCE_CONNECT_FAILED",
                remedy="check address and credentials",
                transient=verdict in {Verdict.RETRY, Verdict.RECONNECT},
            ) from error


def _destination(loaded: Loaded, intent: Intent) -> str:
    declarations = loaded.declarations(intent)
    capabilities = declarations.destination.capabilities
    if not capabilities.durable:
        return f"{intent.destination.kind} keeps nothing, so nothing was tried"
    prefix = resolve_prefix(intent.prefix, export=intent.name, started=surroundings.now())
    with closing(declarations.open_destination(intent, prefix)) as destination:
        sent = b"rivet doctor\n"
        destination.put_bytes(PROBE, sent, create=False)
        if capabilities.readable and destination.get(PROBE, 1024) != sent:
            msg = f"{destination.uri()}{PROBE} does not read back as it was written"
            raise EnvironmentFailure(msg, code="RIVET_DEST_UPLOAD_CORRUPTED", remedy="look at the store's own settings")
        left = f", {PROBE} was left there"
        if capabilities.removable and isinstance(destination, RemovableDestination):
            destination.remove(PROBE)
            left = ""
        return f"{destination.uri()} can be written{left}"


def _state(loaded: Loaded, invocation: Invocation) -> str:
    path = loaded.state_file(invocation)
    if not path.exists():
        surroundings.try_folder(path.parent, "RIVET_STATE_NOT_WRITABLE")
        return f"{path} will be made by the first run"
    with StateDatabase(path) as database, database.transaction():
        return f"{path} can be written"


def _lines(checks: list[Check]) -> Iterator[str]:
    width = max(len(check.name) for check in checks)
    for check in checks:
        yield f"{'ok  ' if check.ok else 'FAIL'}  {check.name.ljust(width)}  {check.detail}".rstrip()
        if check.hint:
            yield f"      {' ' * width}  what to do: {check.hint}"
