"""The rooms are parts of one package: under any other name a room refuses to be imported."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ["audit", "backend", "dialects", "engine", "frontend", "kernels", "passes", "runtime", "support", "tools"]


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("name", ["{}", "other.{}"])
def test_a_room_by_another_name_is_refused(room: str, name: str) -> None:
    """As where the root of the checkout stands on the path: there would be two of every class."""
    path = ROOT / room / "__init__.py"
    with pytest.raises(ImportError, match=f"^import freehold.{room}, not "):
        exec(compile(path.read_bytes(), str(path), "exec"), {"__name__": name.format(room), "__path__": []})
