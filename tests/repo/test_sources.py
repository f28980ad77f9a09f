from __future__ import annotations

import re
from pathlib import Path

LONGEST = 400
# One letter of each in brackets, so that this file does not name one itself.
REGISTRIES = re.compile(
    rb"pypi[.]org|pythonhoste[d]|registry[.]npmjs|[.]debian[.]org|archive[.]ubuntu|conda[.]anaconda|proxy[.]golang",
    re.IGNORECASE,
)


def test_no_module_is_longer_than_a_subject_takes(files: tuple[Path, ...]) -> None:
    modules = [path for path in files if path.suffix == ".py" and "src" in path.parts]
    assert modules
    lengths = {str(path): len(path.read_text().splitlines()) for path in modules}
    assert {path: length for path, length in lengths.items() if length > LONGEST} == {}


def test_no_file_names_a_package_registry(files: tuple[Path, ...]) -> None:
    assert [str(path) for path in files if REGISTRIES.search(path.read_bytes())] == []


def test_no_file_is_left_over_from_a_merge(files: tuple[Path, ...]) -> None:
    left = re.compile(rb"^(<{7} |>{7} |={7}$)", re.MULTILINE)
    assert [str(path) for path in files if left.search(path.read_bytes())] == []
