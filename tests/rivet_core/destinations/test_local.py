"""The local destination: whole or absent, never replaced where refused, and never outside its folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from missing_servers import missing

from rivet_core.destinations.local.destination import LocalDestination
from rivet_core.destinations.local.options import LocalOptions
from rivet_core.destinations.local.plugin import rivet_destinations
from rivet_core.destinations.local.publish import _rename_exclusively
from rivet_core.errors import EnvironmentFailure, RefusalError, RivetError, UsageError
from rivet_core.protocols import Destination, RemovableDestination
from rivet_core.types import ObjectInfo, PutReceipt, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Another file system than the temporary folder's, on most machines.
SHARED_MEMORY = Path("/dev/shm")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "er" / "out"


@pytest.fixture
def local(root: Path) -> LocalDestination:
    return LocalDestination(LocalOptions(path=root))


@pytest.fixture
def part(local: LocalDestination) -> Path:
    folder = local.staging()
    assert folder is not None
    path = folder / "part"
    path.write_bytes(b"rows")
    return path


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Path]:
    if not SHARED_MEMORY.is_dir() or SHARED_MEMORY.stat().st_dev == tmp_path.stat().st_dev:
        missing("a second file system", "/dev/shm is not there, or holds the temporary folder as well")
    folder = SHARED_MEMORY / f"rivet-test-{os.getpid()}"
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)


def keys(destination: LocalDestination, prefix: str = "") -> list[str]:
    return [found.key for found in destination.list(prefix)]


def test_it_fulfils_its_protocols(root: Path) -> None:
    (declared,) = rivet_destinations()
    made = declared.factory(LocalOptions(path=root))
    assert isinstance(made, Destination)
    assert isinstance(made, RemovableDestination)
    assert declared.prefix == "path"
    assert not root.exists(), "the factory touches nothing"


def test_a_part_is_put_with_every_folder_above_it(local: LocalDestination, root: Path, part: Path) -> None:
    receipt = local.put("a/b/part-1.parquet", part, create=True)
    assert receipt == PutReceipt(key="a/b/part-1.parquet", size=4)
    assert (root / "a/b/part-1.parquet").read_bytes() == b"rows"
    assert not part.exists()


def test_a_put_from_the_staging_folder_is_a_rename(local: LocalDestination, root: Path, part: Path) -> None:
    inode = part.stat().st_ino
    local.put("k", part, create=False)
    assert (root / "k").stat().st_ino == inode


@pytest.mark.parametrize("create", [True, False])
def test_a_put_from_another_file_system_copies_beside_the_object_first(
    local: LocalDestination,
    root: Path,
    elsewhere: Path,
    create: bool,  # noqa: FBT001 - a parameter
) -> None:
    path = elsewhere / "part"
    path.write_bytes(b"rows")
    assert local.put("k", path, create=create).size == 4
    assert (root / "k").read_bytes() == b"rows"
    assert list((root / ".rivet_staging").iterdir()) == []


def test_create_refuses_a_taken_key_and_leaves_both_files(local: LocalDestination, root: Path, part: Path) -> None:
    local.put_bytes("k", b"first", create=True)
    for put in (lambda: local.put("k", part, create=True), lambda: local.put_bytes("k", b"third", create=True)):
        with pytest.raises(RefusalError) as caught:
            put()
        assert caught.value.code == "RIVET_DEST_OBJECT_EXISTS"
    assert (root / "k").read_bytes() == b"first"
    assert part.read_bytes() == b"rows"
    assert list((root / ".rivet_staging").iterdir()) == [part]


def test_create_across_file_systems_refuses_a_taken_key(local: LocalDestination, root: Path, elsewhere: Path) -> None:
    (elsewhere / "part").write_bytes(b"rows")
    local.put_bytes("k", b"first", create=True)
    with pytest.raises(RefusalError):
        local.put("k", elsewhere / "part", create=True)
    assert (root / "k").read_bytes() == b"first"


def test_where_there_are_no_links_a_rename_refuses_a_taken_name(tmp_path: Path) -> None:
    staged, final = tmp_path / "staged", tmp_path / "final"
    staged.write_bytes(b"rows")
    final.write_bytes(b"first")
    with pytest.raises(FileExistsError):
        _rename_exclusively(staged, final)
    assert final.read_bytes() == b"first"
    final.unlink()
    _rename_exclusively(staged, final)
    assert (final.read_bytes(), staged.exists()) == (b"rows", False)


def test_of_many_creators_one_wins(local: LocalDestination, root: Path) -> None:
    outcomes: list[object] = []
    barrier = threading.Barrier(8)

    def create(number: int) -> None:
        barrier.wait()
        try:
            outcomes.append(local.put_bytes("new/folder/k", str(number).encode() * 1000, create=True))
        except RefusalError as error:
            outcomes.append(error)

    threads = [threading.Thread(target=create, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(isinstance(outcome, PutReceipt) for outcome in outcomes) == 1
    assert len(outcomes) == 8
    assert len(set((root / "new/folder/k").read_bytes())) == 1


def test_a_reader_sees_the_old_or_the_new_object_and_nothing_between(local: LocalDestination) -> None:
    contents = {bytes([letter]) * 100_000 for letter in b"ab"}
    local.put_bytes("k", next(iter(contents)), create=False)
    stop = threading.Event()

    def replace() -> None:
        while not stop.is_set():
            for content in contents:
                local.put_bytes("k", content, create=False)

    writer = threading.Thread(target=replace)
    writer.start()
    try:
        assert all(local.get("k", 200_000) in contents for _ in range(300))
    finally:
        stop.set()
        writer.join()


def test_put_bytes_replaces_as_a_whole(local: LocalDestination) -> None:
    local.put_bytes("k", b"a longer first version", create=False)
    local.put_bytes("k", b"second", create=False)
    assert local.get("k", 100) == b"second"
    assert local.stat("k") == ObjectInfo(key="k", size=6)


def test_what_is_absent_is_none(local: LocalDestination) -> None:
    assert local.get("k", 100) is None
    assert local.stat("k") is None
    assert local.stat("a/b/c") is None
    assert keys(local) == []
    local.move("k", "q")
    local.remove("k")
    local.put_bytes("file", b"", create=True)
    assert local.stat("file/below") is None
    local.put_bytes("folder/k", b"", create=True)
    assert local.get("folder", 10) is None


def test_a_control_object_beyond_the_limit_is_refused(local: LocalDestination) -> None:
    local.put_bytes("manifest.json", b"x" * 101, create=False)
    assert local.get("manifest.json", 101) == b"x" * 101
    with pytest.raises(RefusalError) as caught:
        local.get("manifest.json", 100)
    assert caught.value.code == "RIVET_DEST_CONTROL_ARTIFACT_INVALID"


def test_download_copies_to_a_new_file(local: LocalDestination, tmp_path: Path) -> None:
    local.put_bytes("a/k", b"rows", create=True)
    local.download("a/k", tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == b"rows"
    with pytest.raises(EnvironmentFailure):
        local.download("absent", tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_move_makes_the_folders_of_the_quarantine(local: LocalDestination) -> None:
    local.put_bytes("part", b"rows", create=True)
    local.move("part", "_quarantine/run/part")
    assert keys(local) == ["_quarantine/run/part"]
    local.remove("_quarantine/run/part")
    assert keys(local) == []


names = st.sampled_from(["a", "ab", "a.b", "a-b", "b", "B", "é", "_q"])
key_sets = st.lists(st.lists(names, min_size=1, max_size=3).map("/".join), max_size=8, unique=True)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
    max_examples=min(50, settings().max_examples),
)
@given(wanted=key_sets, prefix=st.lists(names, max_size=2).map("/".join))
def test_a_listing_is_sorted_and_a_prefix_is_no_substring(tmp_path: Path, wanted: list[str], prefix: str) -> None:
    root = tmp_path / "out"
    shutil.rmtree(root, ignore_errors=True)
    local = LocalDestination(LocalOptions(path=root))
    put = []
    for key in wanted:
        try:
            local.put_bytes(key, b"", create=True)
        except RivetError:  # a key below another object, or an object where a folder is
            continue
        put.append(key)
    assert keys(local) == sorted(put)
    assert keys(local, prefix) == sorted(
        key for key in put if not prefix or key == prefix or key.startswith(f"{prefix}/")
    )


def test_staging_and_links_are_no_objects(local: LocalDestination, root: Path, part: Path, tmp_path: Path) -> None:
    assert part.exists()
    (tmp_path / "secret").write_bytes(b"secret")
    (root / "link").symlink_to(tmp_path / "secret")
    (root / "folder").symlink_to(tmp_path)
    assert keys(local) == []
    assert local.stat("link") is None
    assert local.get("link", 100) is None


@pytest.mark.parametrize(
    "key", ["", "/etc/passwd", "../x", "a/../../x", "a//b", "./a", "a/.", "a\0b", ".rivet_staging/x", "a/"]
)
def test_a_key_never_leaves_the_folder(local: LocalDestination, key: str) -> None:
    uses: list[Any] = [
        lambda: local.put_bytes(key, b"", create=False),
        lambda: local.get(key, 1),
        lambda: local.stat(key),
        lambda: local.move("a", key),
        lambda: local.remove(key),
    ]
    for use in uses:
        with pytest.raises(UsageError) as caught:
            use()
        assert caught.value.code == "RIVET_CONFIG_PATH_UNSAFE"


def test_a_link_does_not_lead_out_of_the_folder(local: LocalDestination, root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    local.put_bytes("a", b"", create=True)
    (root / "out").symlink_to(outside)
    with pytest.raises(UsageError):
        local.put_bytes("out/k", b"rows", create=True)
    assert list(outside.iterdir()) == []


def test_one_place_has_one_address(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "out é")
    spellings = [tmp_path / "out é", tmp_path / "x" / ".." / "out é", tmp_path / "link"]
    found = {LocalDestination(LocalOptions(path=path)).uri() for path in spellings}
    assert found == {f"file://{tmp_path}/out%20%C3%A9/"}
    assert LocalDestination(LocalOptions(path=Path("/"))).uri() == "file:///"


def test_a_file_in_place_of_the_folder_is_a_matter_of_configuration(tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"")
    for path in (tmp_path / "out", tmp_path / "out" / "below"):
        local = LocalDestination(LocalOptions(path=path))
        with pytest.raises(EnvironmentFailure) as caught:
            local.put_bytes("k", b"rows", create=True)
        assert caught.value.code == "RIVET_DEST_NOT_WRITABLE"
        assert local.verdict(caught.value) is Verdict.CONFIG


def test_a_folder_in_place_of_the_object_is_not_replaced(local: LocalDestination, part: Path) -> None:
    local.put_bytes("k/below", b"rows", create=True)
    with pytest.raises(EnvironmentFailure) as caught:
        local.put("k", part, create=False)
    assert caught.value.code == "RIVET_DEST_NOT_WRITABLE"


#: Puts in a process of its own, since a limit of the process holds for all of its files.
FULL_DISK = """
import resource, sys
from pathlib import Path
from rivet_core.destinations.local.destination import LocalDestination
from rivet_core.destinations.local.options import LocalOptions
local = LocalDestination(LocalOptions(path=Path(sys.argv[1])))
local.put_bytes("first", b"x" * 1000, create=True)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
try:
    local.put_bytes("k", b"x" * 200_000, create=False)
except Exception as error:
    print(error.code, local.verdict(error).name)
"""


def test_no_room_is_named_and_nothing_is_visible(root: Path) -> None:
    found = subprocess.run([sys.executable, "-c", FULL_DISK, str(root)], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["RIVET_DEST_FULL", "FATAL"]
    local = LocalDestination(LocalOptions(path=root))
    assert keys(local) == ["first"]
    assert list((root / ".rivet_staging").iterdir()) == []


def test_a_full_file_system_is_named_and_nothing_is_visible(tmp_path: Path) -> None:
    mounted = tmp_path / "small"
    mounted.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(mounted)], capture_output=True, check=False
    )
    if made.returncode:
        missing("a small file system", "only root can mount one")
    try:
        local = LocalDestination(LocalOptions(path=mounted / "out"))
        (tmp_path / "part").write_bytes(b"x" * 1_000_000)
        with pytest.raises(EnvironmentFailure) as caught:
            local.put("k", tmp_path / "part", create=True)
        assert caught.value.code == "RIVET_DEST_FULL"
        assert keys(local) == []
        assert (tmp_path / "part").exists()
        local.put_bytes("small", b"x", create=True)
        assert keys(local) == ["small"]
    finally:
        subprocess.run(["umount", str(mounted)], check=True)


#: As a user who owns nothing here; root may write everywhere.
AS_NOBODY = """
import os, sys
from pathlib import Path
from rivet_core.destinations.local.destination import LocalDestination
from rivet_core.destinations.local.options import LocalOptions
os.setgid(65534)
os.setuid(65534)
local = LocalDestination(LocalOptions(path=Path(sys.argv[1])))
try:
    local.put_bytes("k", b"", create=True)
except Exception as error:
    print(error.code, local.verdict(error).name)
"""


def test_a_folder_that_may_not_be_written_is_named() -> None:
    if os.getuid() != 0:
        missing("another user", "only root can become one")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        found = subprocess.run(
            [sys.executable, "-c", AS_NOBODY, f"{folder}/out"], capture_output=True, text=True, check=True
        )
    assert found.stdout.split() == ["RIVET_DEST_NOT_WRITABLE", "CONFIG"]


def test_an_unknown_error_is_fatal(local: LocalDestination) -> None:
    assert local.verdict(ValueError()) is Verdict.FATAL


def test_closing_twice_is_harmless(local: LocalDestination) -> None:
    local.close()
    local.close()


def test_every_new_name_is_synced_before_put_returns(root: Path) -> None:
    """Watched from outside: the file before its rename, then its folder, and the folders above that were made."""
    if shutil.which("strace") is None:
        missing("strace", "install the package strace")
    code = (
        "import sys; from pathlib import Path; from rivet_core.destinations.local.destination import LocalDestination;"
        "from rivet_core.destinations.local.options import LocalOptions;"
        "LocalDestination(LocalOptions(path=Path(sys.argv[1]))).put_bytes('a/k', b'rows', create=True)"
    )
    found = subprocess.run(
        ["strace", "-f", "-y", "-e", "trace=fsync,link,linkat,rename,renameat2", sys.executable, "-c", code, str(root)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    calls = [line for line in found.stderr.splitlines() if str(root.parent) in line]
    link = next(at for at, line in enumerate(calls) if "link" in line)
    assert ".rivet_staging" in calls[link - 1]
    assert f"<{root}/a>" in calls[link + 1]
    synced = {line.split("<")[1].split(">")[0] for line in calls[:link] if "fsync" in line}
    assert {str(root), str(root.parent)} <= synced
