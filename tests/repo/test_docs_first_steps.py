"""The README's first steps, as a reader takes them: its file, its commands, in their order."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
RIVET = Path(sys.executable).with_name("rivet")
SHOP = ROOT / "examples" / "shop"
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\| `rivet ([^`]+)` \|", README, flags=re.MULTILINE)


@pytest.fixture
def configuration() -> str:
    (block,) = re.findall(r"^```yaml\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
    return str(block)


def test_the_readmes_file_is_the_examples_with_one_export(configuration: str) -> None:
    whole = yaml.safe_load((SHOP / "rivet.yaml").read_text(encoding="utf-8"))
    shown = yaml.safe_load(configuration)
    assert shown["source"] == whole["source"]
    assert shown["exports"] == whole["exports"][:1]


@pytest.mark.slow
def test_the_readmes_commands_work_in_their_order(configuration: str, tmp_path: Path) -> None:
    shutil.copy(SHOP / "build.py", tmp_path)
    subprocess.run([sys.executable, "build.py"], cwd=tmp_path, check=True)
    (tmp_path / "rivet.yaml").write_text(configuration, encoding="utf-8")
    assert [command.split()[0] for command in COMMANDS] == ["check", "doctor", "run", "validate"]
    for command in COMMANDS:
        done = subprocess.run([RIVET, *command.split()], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    names = {path.name for path in (tmp_path / "out" / "countries").iterdir() if path.is_file()}
    assert {"manifest.json", "_SUCCESS"} < names
    assert [name for name in names if name.startswith("manifest-")]
