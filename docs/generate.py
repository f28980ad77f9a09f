"""Writes the generated pages anew; run by the session `docs`, which fails when a page differs from the committed one.

A page is a function that returns its whole text. `--check` writes nothing and names the pages that differ.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rivet_core.cli.reference import reference_page
from rivet_core.errors import CODES, Exit
from rivet_core.manifest.report import FailureKind, Weight
from rivet_core.testing.contracts_page import contracts_page

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rivet_core.errors import CodeFacts

DOCS: Final = Path(__file__).parent

#: Registered codes that nothing raises yet, and what they wait for. A code never changes its meaning, so it is
#: registered before its first use rather than after.
RESERVED: Final[Mapping[str, str]] = {
    "RIVET_SOURCE_READ_FAILED": "executors that read units where the source's own error cannot travel from",
    "RIVET_SOURCE_RUNTIME_UNAVAILABLE": "sources whose driver needs a library of the system",
    "RIVET_DEST_CREDENTIALS_INVALID": "destinations in a cloud",
    "RIVET_DEST_MANIFEST_MISSING": "commands that load what a manifest names",
}

#: The second word of a code, and what its group is about.
GROUPS: Final[Mapping[str, str]] = {
    "CLI": "Command line",
    "INIT": "Writing a configuration",
    "CONFIG": "Configuration",
    "PLUGIN": "Plugins",
    "TYPE": "Types",
    "PLAN": "Planning",
    "SOURCE": "Source",
    "DEST": "Destination",
    "STATE": "State",
    "RUN": "Run",
    "VALIDATE": "Verification",
    "INTERNAL": "Bugs",
}
#: The exit status of a kind of error, see `rivet_core.errors.classes`.
EXITS: Final[Mapping[str, str]] = {
    "usage": f"{Exit.USAGE:d}",
    "environment": f"{Exit.TRANSIENT:d} when waiting can help, else {Exit.USAGE:d}",
    "busy": f"{Exit.TRANSIENT:d}",
    "integrity": f"{Exit.INTEGRITY:d}",
    "drift": f"{Exit.DRIFT:d}",
    "refusal": f"{Exit.REFUSED:d}",
    "internal": f"{Exit.INTERNAL:d}",
    "warning": "none: the run goes on",
}
_WEIGHTS: Final[Mapping[Weight, str]] = {
    Weight.WARNING: "0, a warning",
    Weight.UNVERIFIED: "1, nothing finished to judge",
    Weight.FATAL: "3, do not load it",
}

_ERRORS_HEAD: Final = """\
# Errors

Written by `docs/generate.py` from `rivet_core.errors.CODES`: change the registry, not this page.

Every error that rivet raises on purpose has a stable code. A code never changes its meaning and is never used again for
another one, so a script may look for it. A message says what is wrong, where, and what to do next:

```
[RIVET_STATE_LOCK_TIMEOUT] another live process holds the lease on export orders of sqlite:file/shop.db
  What to do: wait for it, or raise --lock-wait
```

A plugin of a stranger uses codes of its own, which start with `RIVET_PLUGIN_`.

## Exit codes

| exit | what a scheduler should do |
| --- | --- |
| 0 | nothing: done, or there was nothing to do |
| 1 | tell a person: the command, the configuration or the environment must be mended first |
| 2 | run the same command again later: something was transient or busy |
| 3 | keep the data away from loaders: it may be wrong |
| 4 | tell whoever loads: the source's schema changed under `on_schema_drift: fail` |
| 5 | tell a person: rivet stopped on purpose to protect data, and the message names the ways out |
| 6 | report it: a bug of rivet or of a plugin |
| 130, 143 | run it again when wanted: Ctrl-C or SIGTERM; nothing that was recorded is read again |

When exports of one command end differently, the command's exit is the first of 3, 4, 5, 6, 2, 1 that any of them has.

## Kinds

| kind | class | exit |
| --- | --- | --- |
| usage | `UsageError` | {usage} |
| environment | `EnvironmentFailure`, `SnapshotGone` | {environment} |
| busy | `BusyError`, `StaleWriter` | {busy} |
| integrity | `IntegrityError` | {integrity} |
| drift | `DriftError` | {drift} |
| refusal | `RefusalError` | {refusal} |
| internal | `InternalError` | {internal} |
| warning | no exception: an event, a line of the report | {warning} |
"""
_FINDINGS_HEAD: Final = """
## Findings of `validate`

A verification lists what it found. Its exit is the worst of them, and `RIVET_VALIDATE_FAILED` (3) or
`RIVET_VALIDATE_UNVERIFIED` (1) stands for the whole.

| code | `kind` in reports | exit |
| --- | --- | --- |
"""


def errors_page() -> str:
    """Return the page of codes: the registry by group, then what verification can find."""
    groups: dict[str, list[tuple[str, CodeFacts]]] = {}
    for code, facts in CODES.items():
        groups.setdefault(code.split("_")[1], []).append((code, facts))
    text = _ERRORS_HEAD.format(**EXITS)
    for group, title in GROUPS.items():
        if not (found := groups.pop(group, [])):
            continue
        rows = "".join(_row(code, facts) for code, facts in found)
        text += f"\n## {title}\n\n| code | kind | meaning |\n| --- | --- | --- |\n{rows}"
    if groups:
        msg = f"give these groups of codes a title in docs/generate.py: {', '.join(groups)}"
        raise ValueError(msg)
    findings = "".join(f"| `{kind.code}` | `{kind.word}` | {_WEIGHTS[kind.weight]} |\n" for kind in FailureKind)
    return text + _FINDINGS_HEAD + findings


def _row(code: str, facts: CodeFacts) -> str:
    reserved = f" *Reserved for {RESERVED[code]}.*" if code in RESERVED else ""
    return f"| `{code}` | {facts.kind} | {facts.meaning}{reserved} |\n"


#: Page to what makes it.
PAGES: Final[Mapping[str, Callable[[], str]]] = {
    "errors.md": errors_page,
    "cli.md": reference_page,
    "plugins/contracts.md": contracts_page,
}


def main(arguments: list[str]) -> int:
    """Write every page, or with ``--check`` name those that differ."""
    different = []
    for name, page in PAGES.items():
        path, text = DOCS / name, page()
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        different.append(name)
        if "--check" not in arguments:
            path.write_text(text, encoding="utf-8")
    for name in different:
        print(f"docs/{name} {'differs' if '--check' in arguments else 'was written'}")
    return 1 if different and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
