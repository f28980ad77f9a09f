"""Every check of the repository as a session; nox alone is enough to run it."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import nox

nox.needs_version = ">=2024.10.9"
nox.options.default_venv_backend = "uv|venv"
nox.options.error_on_external_run = True
nox.options.sessions = ["lint", "types", "tests", "isolated", "demo"]

ROOT = Path(__file__).parent
DISTRIBUTIONS = (
    "rivet-core",
    "rivet-source-postgres",
    "rivet-source-mysql",
    "rivet-source-mssql",
    "rivet-source-mongo",
    "rivet-dest-cloud",
)
SOURCES = ":".join(str(ROOT / name / "src") for name in DISTRIBUTIONS)
GROUPS = nox.project.load_toml(ROOT / "pyproject.toml")
METADATA = {name: tomllib.loads((ROOT / name / "pyproject.toml").read_text())["project"] for name in DISTRIBUTIONS}
PYTHONS = nox.project.python_versions({"project": METADATA["rivet-core"]})
# A distribution that registers nothing has nothing to isolate; tests/repo demands tests of each that does.
PLUGINS = tuple(name for name in DISTRIBUTIONS[1:] if "rivet" in METADATA[name].get("entry-points", {}))


def install(session: nox.Session, *requirements: str) -> None:
    session.install("-c", "constraints.txt", *requirements)


def install_group(session: nox.Session, group: str) -> None:
    install(session, *nox.project.dependency_groups(GROUPS, group))


def install_all(session: nox.Session) -> None:
    """Every distribution, editable, with what the tests need; the build backend once instead of six times."""
    install(session, "hatchling", "editables")
    editable = [part for name in DISTRIBUTIONS for part in ("-e", f"./{name}")]
    install(session, "--no-build-isolation", *editable, *nox.project.dependency_groups(GROUPS, "tests"))


def ensure_servers(session: nox.Session) -> None:
    """Look for the servers that the tests start, and install them where that is possible."""
    session.run("python", "tests/servers/ensure_servers.py")


@nox.session
def lint(session: nox.Session) -> None:
    """Check rules, format, import contracts and changelog fragments."""
    install_group(session, "lint")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    # The linter reads sources only, so nothing needs to be installed for it.
    session.run("lint-imports", env={"PYTHONPATH": SOURCES})
    session.run("towncrier", "build", "--draft", "--version", METADATA["rivet-core"]["version"], silent=True)


@nox.session
def types(session: nox.Session) -> None:
    """Check types, strictly."""
    install_all(session)
    install_group(session, "types")
    session.run("mypy")


@nox.session
def tests(session: nox.Session) -> None:
    """Run the whole suite, after the servers it needs are there."""
    run_tests(session)


@nox.session(python=PYTHONS, default=False)
def versions(session: nox.Session) -> None:
    """Run the whole suite on each supported Python that is installed."""
    run_tests(session)


def run_tests(session: nox.Session) -> None:
    install_all(session)
    ensure_servers(session)
    session.run("pytest", "--numprocesses=auto", *session.posargs)


@nox.session(default=False)
def fast(session: nox.Session) -> None:
    """Run what needs no server and takes no time: the inner loop."""
    install_all(session)
    # Some tests wait more than they work, so one process more than the machine's cores keeps these busy.
    processes = (os.cpu_count() or 1) + 1
    quick = ["-m", "not server and not slow", "--hypothesis-profile=fast", f"--numprocesses={processes}"]
    session.run("pytest", *quick, *session.posargs)


@nox.session(default=False)
def coverage(session: nox.Session) -> None:
    """Run the whole suite and print which lines and branches it left out."""
    install_all(session)
    ensure_servers(session)
    session.run("coverage", "erase")
    session.run("coverage", "run", "-m", "pytest", *session.posargs)
    session.run("coverage", "combine")
    session.run("coverage", "report")


@nox.session
@nox.parametrize("plugin", PLUGINS, ids=PLUGINS)
def isolated(session: nox.Session, plugin: str) -> None:
    """Run one plugin's tests on built wheels of the core and of this plugin alone."""
    install(session, "./rivet-core", f"./{plugin}", *nox.project.dependency_groups(GROUPS, "tests"))
    package = plugin.replace("-", "_")
    proof = f"import {package}, rivet_core; assert all('site-packages' in m.__file__ for m in ({package}, rivet_core))"
    session.run("python", "-c", proof)
    ensure_servers(session)
    session.run("pytest", f"tests/{package}", *session.posargs)


@nox.session
def demo(session: nox.Session) -> None:
    """Build a sample shop, export it with the core alone, and verify what was written in full."""
    install(session, "./rivet-core")
    session.run("python", "examples/shop/demo.py", *session.posargs)


@nox.session(name="crash-all", default=False)
def crash_all(session: nox.Session) -> None:
    """Kill every runner at every point on every engine: the full product, which takes long."""
    install_all(session)
    ensure_servers(session)
    session.run("pytest", "--numprocesses=auto", "tests/crash", *session.posargs, env={"RIVET_TEST_CRASH": "all"})


@nox.session(default=False)
def docs(session: nox.Session) -> None:
    """Write the generated pages anew and fail when they differ from the committed ones."""
    install_all(session)
    session.run("python", "docs/generate.py")
    session.run("git", "diff", "--exit-code", "--", "docs", external=True)


@nox.session(default=False)
def interop(session: nox.Session) -> None:
    """Compare with the Rust tool; it gets its own environment, for its command is called rivet as well."""
    install_all(session)
    ensure_servers(session)
    other = Path(session.create_tmp()) / "rivet-cli"
    session.run("python", "-m", "venv", "--clear", str(other))
    session.run(
        str(other / "bin" / "python"), "-m", "pip", "install", "-c", "constraints.txt", "rivet-cli", external=True
    )
    session.run("pytest", "tests/interop", *session.posargs, env={"RIVET_CLI": str(other / "bin" / "rivet")})


@nox.session(default=False)
def bench(session: nox.Session) -> None:
    """Measure the export of a large table beside the Rust tool's; it prints a table, and judges nothing."""
    install_all(session)
    ensure_servers(session)
    session.run("python", "benchmarks/bench.py", "--install-peers", *session.posargs)
