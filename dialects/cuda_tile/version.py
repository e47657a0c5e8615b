"""Versions of the Tile IR bytecode, by which every operation, field, type and enum value says when it came in."""

from __future__ import annotations

from typing import Final, NamedTuple


class Version(NamedTuple):
    """A bytecode version. Ordered, so that `op.since <= target` reads as it should."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"

    @classmethod
    def parse(cls, text: str) -> Version:
        """Read `13.4`. Raises `ValueError` on anything that is not one of `VERSIONS`."""
        for version in VERSIONS:
            if str(version) == text:
                return version
        known = ", ".join(str(version) for version in VERSIONS)
        raise ValueError(f"no Tile IR version {text!r}; known versions are {known}")


V13_1: Final = Version(13, 1)
V13_2: Final = Version(13, 2)
V13_3: Final = Version(13, 3)
V13_4: Final = Version(13, 4)
V13_5: Final = Version(13, 5)

VERSIONS: Final = (V13_1, V13_2, V13_3, V13_4, V13_5)
LATEST: Final = V13_5
