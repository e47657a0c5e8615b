"""
Mutation testing of the verifiers: every kernel of the corpus, damaged in one place by each operator in turn.

A mutant is refused, or it runs in the interpreter's checked mode: on the kernel's own arguments, and on random ones of
small shapes, each in three orders of blocks. The launcher may refuse it there (*at launch*). Two oracles look at what
runs: the interpreter's, and one that knows nothing of the verifiers or of the interpreter's watch, but compares the
sets of elements that blocks touched. A mutant that either of them objects to is a finding, and ends the run with
status 1.

What is left is safe in all these launches, which is what the verifiers promise, and is listed with the reason. Either
it is *equivalent*: each block touches the same elements, and the results are the same. Or it has the *same results*, by
other accesses. Or it *survives* with other results: another program, which races nowhere, stays in bounds and leaves
no output unwritten; no verifier can know which program was meant.

`python test/fuzz/mutants.py --seconds 60 --seed 0` takes some mutants of kernels in random order, and stops after a
minute.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

sys.path.insert(0, str(Path(__file__).parent))

from fuzz_ownership import REFUSED_AT_LAUNCH, TooSlow, limited
from mutant_corpus import Case, corpus
from mutation_operators import NONE, OPERATORS

from freehold.dialects.ownership import Access, KernelOp, LoadOp, PartitionOp, TensorType, TilesOp, tensor_type
from freehold.passes.pipeline import verify
from freehold.runtime.interpreter import Order
from freehold.runtime.interpreter import launch as runs
from freehold.runtime.interpreter.elements import Array
from freehold.runtime.interpreter.launch import Kernel
from freehold.runtime.interpreter.machine import Buffer
from freehold.runtime.interpreter.watch import Watch
from freehold.support.diagnostic import Rejected
from freehold.support.progress import progress
from freehold.support.terms import Term

COUNTS: Final = ((2, 3, 1), (1, 2, 4), (3, 3, 3))
"""Tiles of the symbols of a launch: the first with whole tiles, the others ragged."""
UNSAFE: Final = ("O520", "O532", "O521", "O522", "O523", "O524", "unsafe")
"""A run that breaks a promise: an access out of bounds or unordered, a race, a read of what nobody wrote, a gap."""
VALUES: Final = {"O535": "a fold that breaks its laws", "O536": "padding that changes what is stored"}
"""A run that checked mode ends for what is computed, wherever that goes: another program, and no promise broken."""
ORDERS: Final[tuple[Order, ...]] = ("increasing", "decreasing", 7)


@dataclass
class Recorder(Watch):
    """The watch of checked mode, which keeps what is accessed: by block, array and kind, the grains."""

    seen: dict[tuple[str, str, str], set[int]] = field(
        default_factory=lambda: defaultdict[tuple[str, str, str], set[int]](set)
    )

    def access(
        self,
        op: Operation,
        kind: str,
        buffer: Buffer,
        addresses: Array,
        size: int,
        *,
        strong: bool = False,
        token: int = 0,
    ) -> int:
        """Notes an access."""
        name = buffer.parts[0].name
        self.seen[self.label, name, kind].update(((addresses.reshape(-1) - buffer.start) // size).tolist())
        return super().access(op, kind, buffer, addresses, size, strong=strong, token=token)


@dataclass(frozen=True)
class Outcome:
    """How a launch ended: with which error, and what it accessed."""

    code: str
    text: str
    map: Mapping[tuple[str, str, str], frozenset[int]]
    results: tuple[bytes, ...] = ()
    """What the arrays hold in the end."""

    @property
    def at_launch(self) -> bool:
        """Whether a check refused it."""
        return self.code in (*REFUSED_AT_LAUNCH, "O530")


def symbols(kernel: KernelOp) -> dict[str, int]:
    """The symbols of a kernel's extents, each with the tile that its axis is cut into."""
    found: dict[str, int] = {}

    def note(extent: Term, size: int) -> None:
        for name in extent.symbols():
            found[name] = max(found.get(name, 1), size)

    for op in kernel.walk():
        if isinstance(op, PartitionOp):
            for axis, step in enumerate(op.result.type.tile_shape):
                note(op.result.type.tensor.extent(axis), step)
        elif isinstance(op, TilesOp):
            note(_extent(op.source, op.axis.data), op.size.data)
        elif isinstance(op, LoadOp) and op.coordinates:
            for axis, size in enumerate(op.result.type.dims):
                note(_extent(op.source, axis), size)
    for argument in kernel.body.block.args:
        if isinstance(argument.type, TensorType):
            for axis in range(argument.type.rank):
                note(argument.type.extent(axis), 1)
    return found


def _extent(source: Any, axis: int) -> Term:
    return tensor_type(source).extent(axis)


def launches(kernel: KernelOp) -> Iterator[dict[str, int]]:
    """Extents of some small launches."""
    tiles = symbols(kernel)
    names = sorted(tiles)
    for ragged, counts in enumerate(COUNTS):
        yield {
            name: max(1, counts[n % len(counts)] * tiles[name] - (ragged > 0 and tiles[name] > 2))
            for n, name in enumerate(names)
        }


def inputs(kernel: Kernel, extents: Mapping[str, int], seed: int) -> list[Any]:
    """Random arrays for a kernel, and 1 for scalars. Integers, which may be indices, are 0 or 1.

    An extent that comes out as 0 is 1.
    """
    values: list[Any] = []
    chosen = np.random.default_rng(seed)
    for p in kernel.parameters:
        shape = None if p.dims is None else [max(1, d.evaluate(extents)) for d in p.dims]
        if shape is None:
            values.append(1)
        elif np.issubdtype(p.element.dtype, np.integer) or p.element.dtype == np.bool_:
            values.append(chosen.integers(0, 2, shape).astype(p.element.dtype))
        else:
            values.append(chosen.standard_normal(shape).astype(p.element.dtype))
    return values


def run(kernel: Kernel, values: list[Any], order: Order) -> Outcome:
    """Runs a kernel on copies of its arguments."""
    recorder = Recorder(tokens=False)
    values = [v.copy() if isinstance(v, np.ndarray) else v for v in values]
    code = text = ""
    with patch.object(runs, "Watch", return_value=recorder):
        try:
            kernel.run(values, blocks=2, order=order)
        except Rejected as refused:
            code, text = refused.codes[0], str(refused)
    if not code:
        text = objection(kernel, values, recorder)
        code = "unsafe" if text else ""
    seen = {key: frozenset(found) for key, found in recorder.seen.items()}
    return Outcome(code, text, seen, tuple(v.tobytes() for v in values if isinstance(v, np.ndarray)))


def promised(kernel: Kernel, values: Sequence[Any]) -> bool:
    """Whether extents are multiples of what the layouts of a kernel say: for others the launcher makes another one."""
    return all(
        extent % divisor.data == 0
        for argument, value in zip(kernel.op.body.block.args, values, strict=True)
        if isinstance(argument.type, TensorType)
        for extent, divisor in zip(value.shape, argument.type.layout.extent_divs, strict=True)
    )


def objection(kernel: Kernel, values: Sequence[Any], recorder: Recorder) -> str:
    """What is wrong with the elements that blocks touched, by their sets alone."""
    writers: dict[tuple[str, int], str] = {}
    for (block, array, kind), grains in recorder.seen.items():
        for grain in grains if kind == "write" else ():
            if writers.setdefault((array, grain), block) != block:
                return f"blocks {writers[array, grain]} and {block} write element {grain} of `{array}`"
    for (block, array, kind), grains in recorder.seen.items():
        for grain in grains:
            if kind != "write" and writers.get((array, grain), block) != block:
                return f"block {block} reads element {grain} of `{array}`, which {writers[array, grain]} writes"
    for n in sorted(_covered(kernel.op)):
        name = kernel.parameters[n].name
        if sum(array == name for array, _ in writers) < values[n].size:
            return f"`{name}` is not written everywhere"
    return ""


def _covered(op: KernelOp) -> set[int]:
    return {
        n
        for n, argument in enumerate(op.body.block.args)
        for use in argument.uses
        if isinstance(use.operation, PartitionOp) and use.operation.result.type.access.data is Access.OUT
    }


@dataclass(frozen=True)
class Mutant:
    """A kernel with one change."""

    kernel: str
    operator: str
    site: int

    @property
    def name(self) -> str:
        """How it is listed."""
        return f"{self.kernel}: {self.operator}, place {self.site}"


@dataclass
class Original:
    """A kernel as it should be, with what it does in each launch."""

    module: ModuleOp
    outcomes: list[tuple[list[Any], list[Outcome]]]
    """By arguments, the runs in each order."""


def original(case: Case) -> Original:
    """Runs a kernel as it should be: on its own arguments, and on random ones of other extents where it takes them."""
    module = case.make()
    plain = module.clone()
    verify(module)
    kernel = Kernel.of(module, checked=True)
    values: list[list[Any]] = [] if case.arguments is None else [case.arguments()]
    values += (inputs(kernel, extents, n) for n, extents in enumerate(launches(kernel.op)))
    found = [(given, [run(kernel, given, order) for order in ORDERS]) for given in values]
    for n, (_, outcomes) in enumerate(found):
        own = n == 0 and case.arguments is not None
        wrong = [o.text for o in outcomes if o.code and (own or o.code in UNSAFE) and not o.at_launch]
        assert not wrong, (case.name, wrong)
    # Random integers may be no indices or offsets: where the kernel's own checks fail there is nothing to compare with.
    return Original(plain, [(given, outcomes) for given, outcomes in found if not any(o.code for o in outcomes)])


def judge(mutant: Mutant, known: Original) -> tuple[str, str]:
    """What becomes of a mutant: how it ends, and why."""
    module = known.module.clone()
    changes = list(OPERATORS[mutant.operator](module))
    try:
        changes[mutant.site]()
    except VerifyException as impossible:  # the changed type says itself that there is none such
        return "refused", str(impossible)
    try:
        module.verify()
    except VerifyException as broken:
        return "ill-formed", str(broken)
    try:
        verify(module)
    except Rejected as refused:
        return "refused", " ".join(refused.codes)
    kernel = Kernel.of(module, checked=True)
    at_launch = other_results = 0
    what: set[str] = set()
    for given, before in known.outcomes:
        for order, old in zip(ORDERS, before, strict=True):
            new = run(kernel, given, order)
            if new.at_launch or (new.code and not promised(kernel, given)):
                at_launch += 1
                continue
            if new.code in VALUES:
                return "survives", VALUES[new.code]
            if new.code:
                return "broken", f"{new.text}\nat {[np.shape(v) or v for v in given]}, order {order}"
            other_results += new.results != old.results
            changed = (k for k in new.map.keys() | old.map.keys() if new.map.get(k) != old.map.get(k))
            what |= {f"{kind}s of `{name}`" for _, name, kind in changed}
    where = "other " + " and ".join(sorted(what)) if what else "other values at the same places"
    if other_results:
        return "survives", where
    if at_launch:
        return "at launch", ""
    return ("same results", where) if what else ("equivalent", "")


def mutants(cases: Sequence[Case], seed: int, most: int) -> Iterator[tuple[Mutant, Original]]:
    """Mutants, kernel after kernel in random order; of each kernel all, or `most` of them."""
    chosen = random.Random(seed)
    for case in cases:
        known = original(case)
        found = [
            Mutant(case.name, operator, site)
            for operator, sites in OPERATORS.items()
            for site in range(sum(1 for _ in sites(known.module.clone())))
        ]
        chosen.shuffle(found)
        for mutant in found[: most or len(found)]:
            yield mutant, known


Judged = list[tuple[Mutant, str, str]]


def judged(names: Sequence[str], seed: int, seconds: float = 0.0, operators: Sequence[str] = ()) -> Judged:
    """Mutants of some kernels, each with how it ends and why: all, or some in so many seconds of a processor. Of all
    operators, or of some."""
    start = time.process_time()
    cases = {case.name: case for case in corpus()}
    found: Judged = []
    for mutant, known in mutants([cases[name] for name in names], seed, 25 if seconds else 0):
        if operators and mutant.operator not in operators:
            continue
        try:
            with limited(8.0):
                found.append((mutant, *judge(mutant, known)))
        except TooSlow:
            found.append((mutant, "slow", ""))
        if seconds and time.process_time() - start > seconds:
            break
    return found


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.0, help="stop after this long; 0: when all are done")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="processes; one where the time is limited"
    )
    parser.add_argument("--operator", action="append", choices=[*OPERATORS], help="of this one alone; may be repeated")
    parser.add_argument("--kernels", default="", help="of kernels whose names contain this")
    parser.add_argument("--survivors", action="store_true", help="list each mutant that is not refused, by name")
    chosen = parser.parse_args()
    start = time.perf_counter()
    names = [case.name for case in corpus() if chosen.kernels in case.name]
    operators = chosen.operator or ()
    random.Random(chosen.seed).shuffle(names)
    if chosen.seconds:
        found = judged(names, chosen.seed, chosen.seconds, operators)
    else:
        work = partial(judged, seed=chosen.seed, operators=operators)
        with multiprocessing.Pool(chosen.jobs) as pool:
            done = progress(pool.imap_unordered(work, [[n] for n in names]), "kernels", len(names))
            found = [*chain.from_iterable(done)]
    table: dict[str, Counter[str]] = {name: Counter() for name in OPERATORS}
    why: Counter[str] = Counter()
    for mutant, verdict, reason in found:
        table[mutant.operator][verdict] += 1
        if verdict == "broken":
            print(f"BROKEN {mutant.name}\n{reason}\n")
        elif verdict in _LISTED:
            why[f"{mutant.operator}: {_LISTED[verdict]}{reason}"] += 1
    total = sum(table.values(), Counter[str]())
    print(f"{'':36}" + "".join(f"{c:>13}" for c in COLUMNS))
    for name, row in table.items():
        print(f"{name:36}" + "".join(f"{row[c]:13}" for c in COLUMNS))
    for name, reason in NONE.items():
        print(f"{name:36}  no form in the dialect: {reason}")
    print("\nNot refused, and safe in every launch, by both oracles:")
    for text, count in sorted(why.items()):
        print(f"  {count:4} x {text}")
    if chosen.survivors:
        listed = [f"{mutant.name}: {_LISTED[v]}{reason}" for mutant, v, reason in found if v in _LISTED]
        print("\n".join(["", *sorted(listed)]))
    done = sum(total.values())
    print(
        f"{done} mutants of {len({m.kernel for m, _, _ in found})} kernels, seed {chosen.seed}: "
        f"{', '.join(f'{total[c]} {c}' for c in COLUMNS)}; {done / (time.perf_counter() - start):.0f} a second"
    )
    return int(total["broken"] + total["ill-formed"] > 0)


COLUMNS: Final = ("refused", "at launch", "equivalent", "same results", "survives", "broken", "ill-formed", "slow")
_LISTED: Final = {
    "equivalent": "equal: each block touches the same elements, and the results are the same",
    "same results": "equal results, by ",
    "survives": "another program: ",
}
"""What is listed by name, and how the reason begins."""


if __name__ == "__main__":
    sys.exit(main())
