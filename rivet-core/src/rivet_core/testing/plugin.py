"""The pytest plugin of the kit.

Pytest loads it before coverage starts, so it imports nothing but pytest.
"""

from __future__ import annotations
