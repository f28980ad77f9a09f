"""The documentation against the code: generated pages, codes, hooks, links, words."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import re
from collections import defaultdict
from pathlib import Path
from types import ModuleType
from typing import get_args

import pytest

from rivet_core import errors
from rivet_core.errors import CODES, RivetError
from rivet_core.events import Event
from rivet_core.hookspecs import PROJECT, specs
from rivet_core.ledger.points import POINTS
from rivet_core.manifest.report import FailureKind
from rivet_core.plugins.ours import PLANNED
from rivet_core.state.schema import TABLES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(str(path.relative_to(ROOT)) for path in (*DOCS.rglob("*.md"), *ROOT.glob("*.md")))
#: Variables of the environment, which look like codes.
VARIABLES = frozenset(
    {
        "RIVET_DEBUG",
        "RIVET_LOCK_WAIT",
        "RIVET_LOG",
        "RIVET_PLUGINS",
        "RIVET_STAGING",
        "RIVET_STATE_URL",
        "RIVET_TRACE_PLUGINS",
    }
)
#: Which kind the registry says of what is raised as a class.
KINDS = {
    "UsageError": "usage",
    "EnvironmentFailure": "environment",
    "SnapshotGone": "environment",
    "BusyError": "busy",
    "StaleWriter": "busy",
    "IntegrityError": "integrity",
    "DriftError": "drift",
    "RefusalError": "refusal",
    "InternalError": "internal",
    "Warned": "warning",
}


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def sources() -> dict[str, ast.Module]:
    """Every module of every distribution, parsed; the registry itself left out."""
    paths = sorted(path for path in ROOT.glob("rivet-*/src/**/*.py") if path.name != "registry.py")
    return {str(path.relative_to(ROOT)): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


@pytest.fixture(scope="module")
def used(sources: dict[str, ast.Module]) -> dict[str, set[str]]:
    """Every string in the sources that looks like a code, and where it stands."""
    found = defaultdict(set)
    for name, tree in sources.items():
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and re.fullmatch(r"RIVET_[A-Z0-9]+(_[A-Z0-9]+)*", node.value)
            ):
                found[node.value].add(name)
    return dict(found)


def headings(page: str) -> list[str]:
    return re.findall(r"^#+ (.+)$", (DOCS / page).read_text(encoding="utf-8"), flags=re.MULTILINE)


# -- generated pages ----------------------------------------------------------


def test_a_generated_page_is_what_the_code_says_now(generator: ModuleType) -> None:
    stale = [name for name, page in generator.PAGES.items() if (DOCS / name).read_text(encoding="utf-8") != page()]
    assert stale == [], "write them anew: nox -s docs"


# -- error codes --------------------------------------------------------------


def test_every_code_in_the_sources_is_registered(used: dict[str, set[str]]) -> None:
    verification = {kind.code for kind in FailureKind}
    unknown = {code: where for code, where in used.items() if code not in {*CODES, *VARIABLES, *verification}}
    assert unknown == {}, "register them in rivet_core.errors.registry"


def test_every_registered_code_is_used_or_reserved(used: dict[str, set[str]], generator: ModuleType) -> None:
    unused = set(CODES) - set(used)
    assert unused == set(generator.RESERVED)


def test_the_registry_knows_the_kind_of_every_raised_code(sources: dict[str, ast.Module]) -> None:
    wrong = []
    for name, tree in sources.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            kind = KINDS.get(ast.unparse(node.func))
            words = {word.arg: word.value for word in node.keywords}
            codes = [code.value for code in (words.get("code"),) if isinstance(code, ast.Constant)]
            wrong += [
                f"{name}:{node.lineno} {code}" for code in codes if kind and code in CODES and CODES[code].kind != kind
            ]
    assert wrong == []


def test_every_error_class_has_its_kind_in_the_table_of_kinds() -> None:
    values = vars(errors).items()
    classes = {name for name, value in values if isinstance(value, type) and issubclass(value, RivetError)}
    assert classes - {"RivetError"} == set(KINDS) - {"Warned"}
    text = (DOCS / "errors.md").read_text(encoding="utf-8")
    assert [name for name in sorted(classes - {"RivetError"}) if f"`{name}`" not in text] == []


def test_contributing_names_every_error_class() -> None:
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("\n## Which error to raise\n")[2]
    assert [name for name in KINDS if name != "Warned" and f"| `{name}` |" not in section] == []


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_no_code_that_does_not_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    known = {*CODES, *(kind.code for kind in FailureKind)}
    named = set(re.findall(r"`(RIVET_(?:CLI|CONFIG|DEST|INTERNAL|PLAN|RUN|SOURCE|STATE|TYPE|VALIDATE)_[A-Z_]+)`", text))
    assert named - known - VARIABLES == set()


def test_every_variable_is_used_and_explained(sources: dict[str, ast.Module]) -> None:
    words = {node.value for tree in sources.values() for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    pages = "".join((ROOT / page).read_text(encoding="utf-8") for page in PAGES)
    assert [name for name in sorted(VARIABLES) if name not in words or f"`{name}" not in pages] == []


# -- hooks --------------------------------------------------------------------


def hooks() -> dict[str, str]:
    """Each hook with its signature as it is written, argument by argument."""
    found = {}
    for name, value in vars(specs).items():
        if getattr(value, f"{PROJECT}_spec", None) is not None:
            found[name] = f"{name}{inspect.signature(value)}".replace("'", "")
    return found


def test_there_are_hooks_to_document() -> None:
    assert "rivet_sources" in hooks()


@pytest.mark.parametrize("name", sorted(hooks()))
def test_a_hook_has_a_heading_with_its_exact_signature(name: str) -> None:
    assert f"`{hooks()[name]}`" in headings("hooks.md")


def test_the_hooks_page_has_no_heading_for_a_hook_that_does_not_exist() -> None:
    documented = [heading for heading in headings("hooks.md") if heading.startswith("`rivet_")]
    assert sorted(documented) == sorted(f"`{signature}`" for signature in hooks().values())


def test_the_hooks_page_explains_every_event() -> None:
    text = (DOCS / "hooks.md").read_text(encoding="utf-8")
    kinds = [kind.__name__ for kind in get_args(Event)]
    assert re.findall(r"^\| `([A-Z]\w+)` \|", text, flags=re.MULTILINE) == kinds


# -- the order of durable steps -----------------------------------------------


def test_every_kill_point_has_a_row_in_their_order() -> None:
    text = (DOCS / "ordering.md").read_text(encoding="utf-8")
    section = text.partition("\n## What a crash leaves\n")[2].partition("\n## ")[0]
    assert tuple(re.findall(r"^\| `([a-z_]+)` \|", section, flags=re.MULTILINE)) == POINTS


def test_every_step_names_functions_that_exist(sources: dict[str, ast.Module]) -> None:
    text = (DOCS / "ordering.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:ledger|engine|state|manifest)(?:/\w+)+\.py)`: `([\w.]+)`", text)
    assert len(named) >= 11
    missing = []
    for path, name in named:
        tree = sources.get(f"rivet-core/src/rivet_core/{path}")
        scope: list[ast.stmt] = tree.body if tree else []
        for word in name.split("."):
            found = [node for node in scope if getattr(node, "name", None) == word]
            scope = getattr(found[0], "body", []) if found else []
            if not found:
                missing.append(f"{path}: {name}")
                break
    assert missing == []


def test_the_state_page_explains_every_table() -> None:
    tables = [match[1] for statement in TABLES if (match := re.search(r"CREATE TABLE (\w+)", statement))]
    listed = re.findall(r"^\| `(\w+)` \|", (DOCS / "state.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert listed == tables


# -- paths and links ----------------------------------------------------------


@pytest.mark.parametrize("page", PAGES)
def test_a_link_to_a_file_leads_to_one(page: str) -> None:
    path = ROOT / page
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = [target.partition("#") for target in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in target]
    broken = [file for file, _, _ in targets if file and not (path.parent / file).exists()]
    assert broken == []


@pytest.mark.parametrize("page", PAGES)
def test_a_link_to_a_heading_leads_to_one(page: str) -> None:
    path = ROOT / page
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        file, _, anchor = target.partition("#")
        if "://" in target or not anchor:
            continue
        there = (path.parent / file if file else path).read_text(encoding="utf-8")
        titles = re.findall(r"^#+ (.+)$", there, flags=re.MULTILINE)
        anchors = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
        if anchor not in anchors:
            broken.append(target)
    assert broken == []


@pytest.mark.parametrize("page", PAGES)
def test_a_path_that_a_page_names_exists(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    core = ROOT / "rivet-core" / "src" / "rivet_core"
    tops = "|".join(path.name for path in core.iterdir() if path.is_dir())
    outer = re.findall(r"`((?:tests|docs|examples|benchmarks|changelog\.d|rivet-[a-z-]+)/[\w./-]*)`", text)
    inner = re.findall(rf"`((?:{tops})/[\w./]*)`", text)
    missing = [name for name in outer if not (ROOT / name).exists()]
    missing += [name for name in inner if not (core / name).exists()]
    assert missing == []


def test_the_index_of_the_documentation_links_every_page() -> None:
    text = (DOCS / "README.md").read_text(encoding="utf-8")
    pages = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")} - {"README.md"}
    assert [page for page in sorted(pages) if f"]({page})" not in text and "smallest/" not in page] == []


# -- the glossary -------------------------------------------------------------


def test_the_glossary_defines_its_words_in_alphabetical_order() -> None:
    words = headings("glossary.md")[1:]
    assert words == sorted(words)


def test_the_page_of_compatibility_lists_the_kinds_that_are_meant_to_come() -> None:
    page = (DOCS / "compatibility.md").read_text("utf-8").partition("### What is not built yet")[2].partition("###")[0]
    rows = re.findall(r"^\| (sources|destinations) ([^|]*)", page, flags=re.MULTILINE)
    listed = {(seam, kind) for seam, kinds in rows for kind in re.findall(r"`([a-z0-9]+)`", kinds)}
    modes = {("runners", mode) for mode in re.findall(r"^\| `mode: ([a-z_]+)`", page, flags=re.MULTILINE)}
    assert listed | modes == {(f"{seam}s", kind) for seam, kind in PLANNED}
