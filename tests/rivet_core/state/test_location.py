"""Where the state file lies, and where it may not lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from rivet_core.errors import Exit, RefusalError, UsageError
from rivet_core.state.location import STATE_FILE, filesystem_type, refuse_network_filesystem, state_path

_MOUNTS = """\
/dev/vda / ext4 rw 0 0
server:/export /srv/share nfs4 rw 0 0
/dev/vdb /srv/share/local xfs rw 0 0
//host/files /mnt/two\\040words cifs rw 0 0
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/state", "ext4"),
        ("/srv/share/state", "nfs4"),
        ("/srv/share/local/state", "xfs"),
        ("/srv/shared/state", "ext4"),
        ("/mnt/two words/state", "cifs"),
    ],
)
def test_the_innermost_mount_holds_a_path(path: str, kind: str) -> None:
    assert filesystem_type(Path(path), _MOUNTS) == kind


@pytest.mark.parametrize("path", ["/srv/share/state", "/mnt/two words/state"])
def test_a_state_file_on_a_network_file_system_is_refused(path: str) -> None:
    with pytest.raises(RefusalError, match="network file system") as caught:
        refuse_network_filesystem(Path(path), _MOUNTS)
    assert caught.value.code == "RIVET_STATE_NETWORK_FILESYSTEM"
    assert caught.value.exit is Exit.REFUSED


def test_a_state_file_on_a_local_disk_is_accepted() -> None:
    refuse_network_filesystem(Path("/srv/share/local/state"), _MOUNTS)


def test_the_state_lies_beside_the_configuration(tmp_path: Path) -> None:
    assert state_path(tmp_path / "rivet.yaml", {}) == tmp_path / STATE_FILE


def test_the_variable_leads_elsewhere_and_knows_one_scheme() -> None:
    assert state_path(Path("rivet.yaml"), {"RIVET_STATE_URL": "sqlite:/var/state.db"}) == Path("/var/state.db")
    with pytest.raises(UsageError, match="postgres"):
        state_path(Path("rivet.yaml"), {"RIVET_STATE_URL": "postgres://u:p@h/db"})
