"""
How fast the toolkit is on large modules: `python -m benchmarks.toolkit [--sizes 10000,100000] [--json FILE]`.

Modules as `benchmarks.bytecode` makes them, through every step that the tools take: text read with a location for each
operation, verified, printed, and bytecode written and read. CPU time of one run each, as a tool would take it. Then
how deep regions may stand in one another, and a constant of many elements. No GPU and no assembler.
"""

from __future__ import annotations

import argparse
import gc
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from benchmarks.bytecode import module_of
from freehold.backend.bytecode.reader import read_bytecode
from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.cuda_tile.text import print_module
from freehold.support.large import MAX_NESTING
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module
from freehold.tools.tile_opt import verify

MARKS = {"parse": 20.0, "verify": 4.0, "print": 4.0, "write": 0.6, "read": 3.0}
"""Seconds for 100,000 operations."""

T = TypeVar("T")


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """The CPU time of a call in seconds, and its result."""
    gc.collect()
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def steps(size: int) -> dict[str, float]:
    """The seconds that each step takes on a module of about `size` operations."""
    text = print_module(module_of(size))
    took: dict[str, float] = {}
    took["parse"], module = timed(lambda: parse_module(make_context(), text, "large.mlir"))
    took["verify"], _ = timed(lambda: verify(module))
    took["print"], _ = timed(lambda: print_module(module))
    took["write"], data = timed(lambda: write_bytecode(module))
    took["read"], _ = timed(lambda: read_bytecode(data))
    return took


def nested(depth: int) -> str:
    """A kernel of `if`s in one another."""
    return "cuda_tile.module @m { entry @k(%c: tile<i1>) {\n" + "if %c {\n" * depth + "}\n" * depth + "}}"


def constant(number: int) -> str:
    """A kernel with a constant of that many elements."""
    values = ", ".join(f"{index}.5" for index in range(number))
    return f"cuda_tile.module @m {{ entry @k() {{\n%0 = constant <f32: [{values}]> : tile<{number}xf32>\n}}}}"


def through(text: str) -> None:
    """Text to a module, bytecode, a module, text."""
    module = parse_module(make_context(), text, "deep.mlir")
    verify(module)
    print_module(read_bytecode(write_bytecode(module)))


def main() -> None:
    """Prints the table, and writes it where `--json` says."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--sizes", default="10000,100000", help="numbers of operations")
    arguments.add_argument("--json", type=Path, help="write the rows to this file, too")
    given = arguments.parse_args()
    rows: list[dict[str, object]] = []
    print(f"{'operations':>10}" + "".join(f"{name + ' s':>12}{'us/op':>8}" for name in MARKS))
    for size in map(int, given.sizes.split(",")):
        took = steps(size)
        print(f"{size:>10}" + "".join(f"{took[name]:>12.2f}{took[name] / size * 1e6:>8.1f}" for name in MARKS))
        for name, mark in MARKS.items():
            rows.append({"work": f"{name}, {size} operations", "ours": took[name], "rival": mark * size / 1e5})
    for what, text in ((f"{MAX_NESTING} nested regions", nested(MAX_NESTING)), ("65,536 elements", constant(65_536))):
        seconds, _ = timed(lambda text=text: through(text))
        print(f"{what}: {seconds:.2f} s from text to bytecode and back")
        rows.append({"work": what, "ours": seconds, "rival": None})
    if given.json is not None:
        given.json.write_text(json.dumps([{"unit": "s", "rival_name": "mark", **row} for row in rows], indent=1) + "\n")


if __name__ == "__main__":
    main()
