"""Hostile bytecode into the audit: mutants of kernels, none of which may crash it, hold it up or pass for safe wrongly.

Half of the mutants have bytes changed and go into `tile-audit` as files, which ends in a report of each format or in a
refusal with a code; the others have operands and constants changed. What is called safe is run whole on the
interpreter, with races, order and bounds watched. Work is limited by the audit itself, which counts operations.

    python test/fuzz/fuzz_audit.py --cases 100000 --seed 0
    python test/fuzz/fuzz_audit.py --minutes 25 --seed 0
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import VerifyException

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "audit"))

from freehold.audit.facts import Launch, call_of, launch_from
from freehold.audit.replay import ending
from freehold.audit.verdict import audit
from freehold.backend.bytecode.reader import read_bytecode
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.dialects.cuda_tile.ops.shape import ConstantOp
from freehold.dialects.cuda_tile.text import print_module
from freehold.support.diagnostic import Rejected
from freehold.support.progress import progress
from freehold.support.span import SourceMap
from freehold.tools import tile_audit
from freehold.tools.tile_opt import verify

SLOW = 20.0
"""Seconds after which a case is told of."""


def seeds() -> list[tuple[bytes, Launch]]:
    """Bytecode to start from, with launches of it."""
    from planted import CASES

    return [(made.bytecode(), launch_from(made.facts)) for pair in CASES.values() for made in pair]


def mutated(data: bytes, rng: random.Random) -> bytes:
    """Some bytes changed."""
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        at = rng.randrange(len(found))
        match rng.randrange(4):
            case 0:
                found[at] = rng.randrange(256)
            case 1:
                found[at] = (found[at] + rng.choice((-2, -1, 1, 2))) % 256
            case 2:
                found[at] ^= 1 << rng.randrange(8)
            case _:
                found[at] = found[rng.randrange(len(found))]
    return bytes(found)


def change(module: ModuleOp, rng: random.Random) -> None:
    """Some operands replaced by others of their types, some constants by others."""
    ops = [op for op in module.walk() if op.operands or isinstance(op, ConstantOp)]
    values: dict[Attribute, list[SSAValue]] = {}
    for op in module.walk():
        for value in (*op.results, *(a for region in op.regions for block in region.blocks for a in block.args)):
            values.setdefault(value.type, []).append(value)
    for _ in range(rng.choice((1, 1, 2, 4))):
        op = rng.choice(ops)
        if isinstance(op, ConstantOp) and isinstance(op.result.type.element_type, IntegerType):
            type_ = op.result.type
            number = rng.choice((-1, 0, 1, 2, 3, 5, 8, 63, 64, 65, 4096))
            op.properties["value"] = DenseElementsAttr.splat(type_, number)
        elif op.operands:
            number = rng.randrange(len(op.operands))
            op.operands[number] = rng.choice(values[op.operands[number].type])


def attempt(data: bytes, launch: Launch, rng: random.Random) -> str:
    """What becomes of a module: a verdict, or where it was refused."""
    return hostile(mutated(data, rng), launch) if rng.random() < 0.5 else deep(data, launch, rng)


def hostile(data: bytes, launch: Launch) -> str:
    """What becomes of bytes as a file of `tile-audit`."""
    sources = SourceMap()
    try:
        found = tile_audit.audit_file(data, "hostile", launch, None, sources)
    except Rejected as rejected:
        rejected.sources = sources
        rejected.render()
        return f"refused {rejected.codes[0]}"
    for form in tile_audit.FORMATS:
        tile_audit.report([found], "hostile", form, sources)
    if found.verdict == "safe":
        module = read_bytecode(data)
        entry = next(op for op in module.walk() if isinstance(op, EntryOp))
        refute(module, entry, launch)
    return found.verdict


def deep(data: bytes, launch: Launch, rng: random.Random) -> str:
    """What becomes of a module with other operands and constants."""
    module = read_bytecode(data)
    change(module, rng)
    try:
        verify(module)
    except (Rejected, VerifyException):
        return "invalid"
    entries = [op for op in module.walk() if isinstance(op, EntryOp)]
    try:
        verdict = audit(module, entries[0], launch).verdict
    except Rejected:
        return "invalid"
    if verdict == "safe":
        refute(module, entries[0], launch)
    return verdict


def refute(module: ModuleOp, entry: EntryOp, launch: Launch) -> None:
    """Runs what is called safe. Raises `AssertionError` where it is not."""
    if error := ending(module, entry.sym_name.data, call_of(entry, launch), 200_000):
        raise AssertionError(f"called safe, and ends in {error}:\n{print_module(module)}")


def main() -> int:
    """The command; its exit status is 1 if a case crashed, or was called safe and is not."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--minutes", type=float, help="run as many cases as fit in this time")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    found: Counter[str] = Counter()
    start = seeds()
    bad, slowest = 0, 0.0
    end = time.monotonic() + 60 * (options.minutes or 1e9)
    cases = options.cases if options.minutes is None else 1 << 62
    for number in progress(range(cases), "cases", options.cases if options.minutes is None else None):
        if time.monotonic() > end:
            break
        data, launch = rng.choice(start)
        began = time.monotonic()
        try:
            found[attempt(data, launch, rng)] += 1
        except Exception:
            bad += 1
            print(f"case {number}:", file=sys.stderr)
            traceback.print_exc()
        took = time.monotonic() - began
        slowest = max(slowest, took)
        if took > SLOW:
            print(f"case {number} took {took:.1f} s", file=sys.stderr)
    print(dict(found), f"{found.total()} cases, slowest {slowest:.1f} s, {bad} bad")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
