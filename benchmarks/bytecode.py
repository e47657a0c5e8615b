"""
How fast bytecode is written and read: `python -m benchmarks.bytecode [--json FILE]`.

Modules of 300, 3,000 and 30,000 operations, a mixture as in real kernels (loads, arithmetic, loops, stores), every
operation with a source span. The best of several runs, in CPU time, without the cyclic garbage collector (as `timeit`
does it). No GPU and no assembler.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp, f32, i32
from xdsl.ir import Block, Operation, Region, SSAValue

from freehold.backend.bytecode.reader import read_bytecode
from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.cuda_tile import (
    DYNAMIC,
    AddFOp,
    AddIOp,
    ConstantOp,
    ContinueOp,
    EntryOp,
    ForOp,
    GetTileBlockIdOp,
    LoadViewTkoOp,
    MakePartitionViewOp,
    MakeTensorViewOp,
    MaxFOp,
    MulFOp,
    PartitionViewType,
    PointerType,
    ReturnOp,
    StoreViewTkoOp,
    TensorViewType,
    TileModuleOp,
    tile,
)
from freehold.dialects.location import location_of
from freehold.support.span import Span

SIZES = (300, 3_000, 30_000)
MARKS = {"write": 60.0, "read": 150.0}
"""Milliseconds for 3,000 operations."""


def module_of(size: int) -> ModuleOp:
    """A module with one kernel of about `size` operations."""
    count = 0

    def add(block: Block, op: Operation) -> SSAValue:
        nonlocal count
        line = 10 + count // 3
        op.location = location_of(Span("kernels.py", line, 4 + count % 3 * 8, line, 10 + count % 3 * 8))
        block.add_op(op)
        count += 1
        return op.results[0]

    pointer, number = tile((), PointerType(f32)), tile((), i32)
    block = Block(arg_types=(pointer, number, number))
    type_ = TensorViewType(f32, (DYNAMIC, DYNAMIC), (DYNAMIC, 1))
    rows, columns = block.args[1], block.args[2]
    tensor = add(block, MakeTensorViewOp(block.args[0], type_, (rows, columns), (columns,)))
    view = add(block, MakePartitionViewOp(tensor, PartitionViewType((64, 64), type_)))
    here = add(block, GetTileBlockIdOp())
    one = add(block, ConstantOp.scalar(1, i32))
    while count < size - 10:
        first = add(block, LoadViewTkoOp(view, (here, one)))
        body = Block(arg_types=(number, first.type))
        value: SSAValue = body.args[1]
        for _ in range(4):
            following = add(body, AddIOp(body.args[0], one))
            loaded = add(body, LoadViewTkoOp(view, (here, following)))
            value = add(body, AddFOp(value, loaded))
            value = add(body, MaxFOp(value, add(body, MulFOp(value, loaded))))
        body.add_op(ContinueOp((value,)))
        last = add(block, ForOp(one, rows, one, (first,), Region(body)))
        add(block, StoreViewTkoOp(last, view, (here, one)))
    block.add_op(ReturnOp())
    entry = EntryOp("kernel", tuple(block.arg_types), Region(block))
    entry.location = location_of(Span("kernels.py", 9, 0, 9, 10))
    return ModuleOp([TileModuleOp("kernels", [entry])])


def best(work: Callable[[], object], runs: int) -> float:
    """The least CPU time of several runs, in milliseconds."""
    times: list[float] = []
    for _ in range(runs):
        gc.collect()
        gc.disable()
        try:
            start = time.process_time()
            work()
            times.append((time.process_time() - start) * 1e3)
        finally:
            gc.enable()
    return min(times)


IMPORT = """
import time, xdsl.irdl, xdsl.dialects.builtin, xdsl.traits
began = time.process_time()
import freehold.dialects.cuda_tile
print(time.process_time() - began)
"""


def importing() -> float:
    """Milliseconds of CPU time that importing the dialect takes in a new process that has xDSL: the best of five."""
    command = (sys.executable, "-c", IMPORT)
    return min(float(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(5)) * 1e3


def main() -> None:
    """Prints the table, and writes it where `--json` says."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--json", type=Path, help="write the rows to this file, too")
    rows: list[dict[str, object]] = []
    target: Path | None = arguments.parse_args().json
    print(f"{'operations':>10} {'bytes':>9} {'write ms':>9} {'us/op':>6} {'read ms':>9} {'us/op':>6}")
    for size in SIZES:
        module = module_of(size)
        number = sum(1 for _ in module.walk())
        data = write_bytecode(module)
        runs = 15 if size < 30_000 else 3
        took = {
            "write": best(lambda module=module: write_bytecode(module), runs),
            "read": best(lambda data=data: read_bytecode(data), runs),
        }
        print(
            f"{number:>10} {len(data):>9} {took['write']:>9.2f} {took['write'] / number * 1e3:>6.2f}"
            f" {took['read']:>9.2f} {took['read'] / number * 1e3:>6.2f}"
        )
        for work, ours in took.items():
            mark = MARKS[work] * size / 3_000
            rows.append(
                {
                    "work": f"{work} bytecode, {size} operations",
                    "ours": round(ours, 3),
                    "rival": mark,
                    "rival_name": "mark",
                    "unit": "ms",
                    "ratio": round(ours / mark, 4),
                    "spread": None,
                }
            )
    imported = importing()
    print(f"importing the dialect, over xDSL's irdl, builtin and traits: {imported:.1f} ms")
    rows.append(
        {
            "work": "import freehold.dialects.cuda_tile, over xDSL",
            "ours": round(imported, 3),
            "rival": None,
            "rival_name": None,
            "unit": "ms",
            "ratio": None,
            "spread": None,
        }
    )
    if target is not None:
        target.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
