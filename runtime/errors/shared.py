"""Words that several errors share."""

from __future__ import annotations

from typing import Final

NOTHING_LAUNCHED: Final = "nothing was launched"
