"""
Mutation testing of the verifiers: every kernel of the corpus, damaged in one place by each operator in turn.

A mutant is refused, or it runs in the interpreter's checked mode on small launches. There the launcher may refuse it
(*at launch*); it may do exactly what the kernel did (*equivalent*: one access map); or it may do something else
(*survives*). A survivor is wrong as a program, and safe: it races nowhere, stays in bounds and leaves no output
unwritten in any of the launches, which is what the verifiers promise. They are listed by name and by what they do
differently. A mutant that breaks a promise is a finding, and ends the run with status 1.

`python test/fuzz/mutants.py --seconds 60 --seed 0` takes some mutants of kernels in random order, and stops after a
minute.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
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
from freehold.support.terms import Term

COUNTS: Final = ((2, 3, 1), (1, 2, 4), (3, 3, 3))
"""Tiles of the symbols of a launch: the first with whole tiles, the others ragged."""
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


def zeros(kernel: Kernel, extents: Mapping[str, int]) -> list[Any]:
    """Arrays of zeros for a kernel, and 1 for scalars. An extent that comes out as 0 is 1."""
    values: list[Any] = []
    for p in kernel.parameters:
        shape = None if p.dims is None else [max(1, d.evaluate(extents)) for d in p.dims]
        values.append(1 if shape is None else np.zeros(shape, p.element.dtype))
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
        for n in sorted(_covered(kernel.op)):
            name = kernel.parameters[n].name
            written: set[int] = set()
            for (_, array, kind), grains in recorder.seen.items():
                written |= grains if (array, kind) == (name, "write") else set()
            if len(written) < values[n].size:
                code, text = "uncovered", f"`{name}` is not written everywhere"
    return Outcome(code, text, {key: frozenset(found) for key, found in recorder.seen.items()})


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
    """Runs a kernel as it should be: on its own arguments, and on zeros of other extents where it takes them."""
    module = case.make()
    plain = module.clone()
    verify(module)
    kernel = Kernel.of(module, checked=True)
    values: list[list[Any]] = [] if case.arguments is None else [case.arguments()]
    for extents in launches(kernel.op) if case.arguments is None else ():
        values.append(zeros(kernel, extents))
    found = [(given, [run(kernel, given, order) for order in ORDERS]) for given in values]
    for _, outcomes in found:
        assert all(not o.code or o.at_launch for o in outcomes), (case.name, [o.text for o in outcomes])
    return Original(plain, found)


def judge(mutant: Mutant, known: Original) -> tuple[str, str]:
    """What becomes of a mutant: how it ends, and why."""
    module = known.module.clone()
    changes = list(OPERATORS[mutant.operator](module))
    changes[mutant.site]()
    try:
        module.verify()
    except VerifyException as broken:
        return "ill-formed", str(broken)
    try:
        verify(module)
    except Rejected as refused:
        return "refused", " ".join(refused.codes)
    kernel = Kernel.of(module, checked=True)
    differs = at_launch = 0
    what: set[str] = set()
    for given, before in known.outcomes:
        for order, old in zip(ORDERS, before, strict=True):
            new = run(kernel, given, order)
            if new.at_launch:
                at_launch += not old.at_launch
                continue
            if new.code:
                return "broken", f"{new.text}\nat {[np.shape(v) or v for v in given]}, order {order}"
            if not old.at_launch and new.map != old.map:
                differs += 1
                changed = (k for k in new.map.keys() | old.map.keys() if new.map.get(k) != old.map.get(k))
                what |= {f"{kind}s of `{name}`" for _, name, kind in changed}
    if differs:
        return "survives", "other " + " and ".join(sorted(what))
    return ("at launch" if at_launch else "equivalent"), ""


def mutants(seed: int, most: int) -> Iterator[tuple[Mutant, Original]]:
    """Mutants, kernel after kernel in random order; of each kernel all, or `most` of them."""
    chosen = random.Random(seed)
    kernels = list(corpus())
    chosen.shuffle(kernels)
    for case in kernels:
        known = original(case)
        found = [
            Mutant(case.name, operator, site)
            for operator, sites in OPERATORS.items()
            for site in range(sum(1 for _ in sites(known.module.clone())))
        ]
        chosen.shuffle(found)
        for mutant in found[: most or len(found)]:
            yield mutant, known


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.0, help="stop after this long; 0: when all are done")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--survivors", action="store_true", help="list each survivor by name")
    chosen = parser.parse_args()
    start = time.process_time()
    table: dict[str, Counter[str]] = {name: Counter() for name in OPERATORS}
    survivors: Counter[str] = Counter()
    listed: list[str] = []
    total: Counter[str] = Counter()
    for mutant, known in mutants(chosen.seed, 25 if chosen.seconds else 0):
        try:
            with limited(4.0):
                verdict, why = judge(mutant, known)
        except TooSlow:
            verdict, why = "slow", ""
        table[mutant.operator][verdict] += 1
        total[verdict] += 1
        if verdict == "broken":
            print(f"BROKEN {mutant.name}\n{why}\n")
        elif verdict == "survives":
            survivors[f"{mutant.operator}: {why}"] += 1
            listed.append(f"{mutant.name}: {why}")
        if chosen.seconds and time.process_time() - start > chosen.seconds:
            break
    columns = ("refused", "at launch", "equivalent", "survives", "broken", "ill-formed", "slow")
    print(f"{'':36}" + "".join(f"{c:>12}" for c in columns))
    for name, row in table.items():
        print(f"{name:36}" + "".join(f"{row[c]:12}" for c in columns))
    for name, why in NONE.items():
        print(f"{name:36}  no form in the dialect: {why}")
    print("\nSurvivors, which are safe and do something else:")
    for text, count in sorted(survivors.items()):
        print(f"  {count:4} x {text}")
    if chosen.survivors:
        print("\n".join(["", *sorted(listed)]))
    done = sum(total.values())
    print(
        f"{done} mutants of seed {chosen.seed}: {', '.join(f'{total[c]} {c}' for c in columns)}; "
        f"{done / (time.process_time() - start):.0f} a second of one core"
    )
    return int(total["broken"] > 0)


if __name__ == "__main__":
    sys.exit(main())
