"""The server's own operators, whichever schema comes first in the search path.

A user's schema may hold a function, an operator or a type that fits better than the server's own, and it would run with
the rights of whoever reads. So nothing of ours is called without its schema; the search path itself stays as it is,
since it decides what the names in a user's own query mean.
"""

from __future__ import annotations

import re
from typing import Final

OWN: Final = "pg_catalog"
#: Texts and names first, so that nothing in them is taken for an operator.
_TOKEN: Final = re.compile(r"""'[^']*'|"[^"]*"|(?<=\s)(?P<operator>=|<>|<=|>=|<|>|!~|\|\||\+|-|\*)(?=\s)""")


def operator(name: str, schema: str = '"pg_catalog"') -> str:
    """Return an operator as it is written between two operands.

    :param schema: quoted.
    """
    return f"OPERATOR({schema}.{name})"


def pinned(sql: str) -> str:
    """Return SQL of ours with its operators pinned, those that have blanks around them.

    They all get the same rank then, so one inside another stands in brackets.

    :param sql: without anything of a user's.
    """
    return _TOKEN.sub(lambda match: operator(match[0], OWN) if match["operator"] else match[0], sql)
