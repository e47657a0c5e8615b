"""What is written of each expression and statement: its operations, their order, and the names of values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fragments
from uses import BLOCKS, HEAD, STATEMENTS, USES, arguments

from freehold.dialects.cuda_tile.text import text_of


def test_what_is_written(part: Any, lowered: Callable[..., Any], golden: Callable[[Path, str], None]) -> None:
    def parts(line: str) -> tuple[list[str], list[str]]:
        """What stands before the line's own operations, and these."""
        text = text_of(lowered(fragments.kernel_of(*line.split("\n"), head=HEAD), *arguments(part)))
        lines = re.sub(r", #ownership\.layout<[^>]*>|!cuda_tile\.", "", text).splitlines()
        behind = next(n for n, line in enumerate(lines) if line.lstrip().startswith("%p = ")) + 1
        return lines[:behind], lines[behind:-4]  # braces

    before, behind = parts("pass")

    def written() -> Iterator[str]:
        yield from (*before, *behind)
        for line in (*(f"r = {use}" for use in USES), *STATEMENTS, *BLOCKS):
            first, own = parts(line)
            yield from (f"// {each}" for each in line.split("\n"))
            yield from (text for text in first if text not in before)
            yield from own[: -1 if own[-1:] == behind else None]

    golden(Path(__file__).with_name("written.mlir"), "\n".join(written()))
