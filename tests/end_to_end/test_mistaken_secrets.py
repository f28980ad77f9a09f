"""Passwords that were put into the configuration in a wrong way: the real command tells where, and not what."""

from __future__ import annotations

import pytest
from e2e_command import Place

# Each case is a process, or many files: not for the inner loop.
pytestmark = pytest.mark.slow

WORD = "Zq7secretW"
EXPORTS = "exports:\n  - {name: a, table: t, format: csv, destination: {type: local, path: out}}\n"
PARTS = "  type: postgres\n  host: localhost\n  user: u\n  database: d\n"
BLOCKS = {
    "an alias": PARTS + f"  password: *{WORD}\n",
    "a tag": PARTS + f"  password: !{WORD}\n",
    "a tag of YAML": PARTS + f"  password: !!{WORD}\n",
    "a directive": PARTS + f"  password: %{WORD}\n",
    "a block": PARTS + f"  password: |{WORD}\n",
    "an open quote": PARTS + f"  password: '{WORD}\n",
    "a URL as a file": f"  type: postgres\n  url_file: 'postgresql://u:{WORD}@h/db'\n",
    "a URL as a variable": f"  type: postgres\n  url_env: 'postgresql://u:{WORD}@h/db'\n",
    "half a URL as a file": f"  type: postgres\n  url_file: 'u:{WORD}@h/db'\n",
    "a URL as authorities": f"{PARTS}  tls: {{ca_file: 'postgresql://u:{WORD}@h/db'}}\n",
    "a URL as a mode": f"{PARTS}  tls: {{mode: 'postgresql://u:{WORD}@h/db'}}\n",
    "a URL as a type": f"  type: 'postgresql://u:{WORD}@h/db'\n",
    "a password as a variable": PARTS + f"  password_env: {WORD}\n",
    "a URL that cannot be read": f"  type: postgres\n  url: 'postgresql://u:{WORD}@h:port/db'\n",
    "a comma": f"  {{type: postgres, host: h, user: u, database: d, password: ab,{WORD}}}\n",
}


@pytest.mark.parametrize("form", ["text", "--json-errors"])
@pytest.mark.parametrize("block", BLOCKS.values(), ids=BLOCKS)
def test_a_mistaken_secret_is_told_by_its_line_alone(place: Place, block: str, form: str) -> None:
    (place.folder / "rivet.yaml").write_text(f"source:\n{block}{EXPORTS}")
    asked = () if form == "text" else (form,)
    done = place.rivet("run", "-c", "rivet.yaml", *asked, RIVET_DEBUG="1")
    assert done.code == 1
    assert WORD not in done.out + done.err
    assert "Traceback" not in done.err or "yaml" not in done.err.lower().replace("rivet.yaml", "")
