"""Hostile bytecode into the audit: mutants of kernels, none of which may crash it, hold it up or pass for safe wrongly.

Half of the mutants have bytes changed and go into `tile-audit` as files, which ends in a report of each format or in a
refusal with a code; the others have operands and constants changed. What is called safe is run whole on the
interpreter, with races, order and bounds watched. Work is limited by the audit itself, which counts operations. Case
`n` of a seed is the same in every run.

    python test/fuzz/fuzz_audit.py --cases 100000 --seed 0
    python test/fuzz/fuzz_audit.py --cases 1000000 --kinds bytes
    python test/fuzz/fuzz_audit.py --first 2342 --cases 1 --seed 11
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import VerifyException

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "audit"))

from fuzz_ownership import TooSlow, command_line, limited

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

SLOW = 10.0
"""Seconds after which a case is told of."""
HANGS = 120
"""Seconds after which it is taken to hang."""
BATCH = 500

Start = list[tuple[bytes, Launch]]


@cache
def seeds() -> Start:
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


def attempt(start: Start, seed: int, number: int, kinds: str) -> str:
    """What becomes of a case: a verdict, or where it was refused."""
    rng = random.Random(f"{seed} {number}")
    data, launch = rng.choice(start)
    if kinds == "bytes" or (kinds == "both" and rng.random() < 0.5):
        return hostile(mutated(data, rng), launch)
    return deep(data, launch, rng)


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


Found = tuple[Counter[str], list[str], float]
"""How often each outcome came, what was found wrong, and the seconds of a processor that it took."""


def run(task: tuple[int, range, str]) -> Found:
    """Some cases of a seed."""
    seed, numbers, kinds = task
    start = seeds()
    outcomes: Counter[str] = Counter()
    wrong: list[str] = []
    began = time.process_time()
    for number in numbers:
        before = time.process_time()
        try:
            with limited(HANGS):
                outcomes[attempt(start, seed, number, kinds)] += 1
        except TooSlow:
            wrong.append(f"case {number} of seed {seed} takes more than {HANGS} s")
        except Exception:
            wrong.append(f"case {number} of seed {seed}:\n{traceback.format_exc()}")
        if (took := time.process_time() - before) > SLOW:
            print(f"case {number} of seed {seed} took {took:.1f} s", file=sys.stderr, flush=True)
    return outcomes, wrong, time.process_time() - began


def batches(chosen: argparse.Namespace) -> Iterator[Found]:
    """All cases, in batches."""
    end = chosen.first + chosen.cases
    firsts = range(chosen.first, end, BATCH)
    tasks = [(chosen.seed, range(first, min(first + BATCH, end)), chosen.kinds) for first in firsts]
    if chosen.jobs == 1:
        yield from map(run, tasks)
        return
    with multiprocessing.Pool(chosen.jobs) as pool:
        yield from pool.imap_unordered(run, tasks)


def main() -> int:
    """The command; its exit status is 1 if a case crashed, hung, or was called safe and is not."""
    parser = command_line((__doc__ or "").splitlines()[0], 2000)
    parser.add_argument("--kinds", choices=("both", "bytes", "operands"), default="both", help="of mutants")
    parser.add_argument("--minutes", type=float, help="begin no batch after this time")
    chosen = parser.parse_args()
    outcomes: Counter[str] = Counter()
    bad, taken = 0, 0.0
    end = time.monotonic() + 60 * (chosen.minutes or 1e9)
    for some, wrong, seconds in progress(batches(chosen), "batches", -(-chosen.cases // BATCH)):
        outcomes += some
        taken += seconds
        bad += len(wrong)
        for each in wrong:
            print(each, file=sys.stderr, flush=True)
        if time.monotonic() > end:
            break
    refused = sum(n for what, n in outcomes.items() if what.startswith("refused"))
    print(dict(outcomes.most_common()))
    print(
        f"{outcomes.total()} cases of seed {chosen.seed}: {refused} refused with a code, {bad} findings, "
        f"{1000 * taken / max(1, outcomes.total()):.1f} ms of one core a case"
    )
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
