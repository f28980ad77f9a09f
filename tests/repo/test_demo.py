"""The demo removes what an earlier demo made, and nothing else."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

SHOP = Path(__file__).parents[2] / "examples" / "shop"


@pytest.fixture(scope="module")
def demo() -> ModuleType:
    spec = spec_from_file_location("shop_demo", SHOP / "demo.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A file in a folder `demo` of somebody else's."""
    file = tmp_path / "demo" / "talk.txt"
    file.parent.mkdir()
    file.write_text("mine")
    return file


def test_a_foreign_folder_named_demo_is_left_alone(foreign: Path, tmp_path: Path) -> None:
    copied = tmp_path / "copied" / "shop"
    shutil.copytree(SHOP, copied, ignore=shutil.ignore_patterns("__pycache__"))
    done = subprocess.run([sys.executable, copied / "demo.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"{foreign.parent} is there already")
    assert [(path.name, path.read_text()) for path in foreign.parent.iterdir()] == [("talk.txt", "mine")]


def test_what_an_earlier_demo_made_is_made_anew(demo: ModuleType, tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    demo.begin_anew(folder)
    (folder / "shop.db").write_text("old")
    demo.begin_anew(folder)
    assert [path.name for path in folder.iterdir()] == [demo.MARK]


def test_an_empty_folder_is_taken(demo: ModuleType, tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    folder.mkdir()
    demo.begin_anew(folder)
    assert [path.name for path in folder.iterdir()] == [demo.MARK]


def test_what_a_link_leads_to_is_left_alone(demo: ModuleType, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    demo.begin_anew(elsewhere)
    (tmp_path / "demo").symlink_to(elsewhere)
    with pytest.raises(SystemExit, match="left as it is"):
        demo.begin_anew(tmp_path / "demo")
    assert (elsewhere / demo.MARK).is_file()
