"""
Random kernels that read and write their own regions again and again: what they leave behind, after each pass.

`python test/fuzz/fuzz_memory.py --cases 1000 --seed 0` ends with one line of figures, and with status 1 if there was a
finding. Python runs each kernel, and the arrays are compared to the bit with those of

- the kernel as it was verified, and with its loops cut;
- what it is lowered to, without any pass of the optimiser, with all in their order, and with some in another order;
- each of these with the operations of every block in an order that operands and tokens allow, and no other: in Tile IR
  that is all that orders accesses.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

sys.path.insert(0, str(Path(__file__).parent))

from fuzz_meaning import HOST, names_of
from mutable_programs import REGIONS, program
from written_cases import Outcome, Outcomes, attempted, outcomes, search

from freehold.dialects.classes import blocks_in, of_kind, operands_of, ops_of, walk
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.frontend.lower import lower
from freehold.frontend.schedule import PartitionSpec
from freehold.frontend.signature import ScalarSpec, Specialisation, TensorSpec
from freehold.frontend.source import KernelFunction
from freehold.passes import lowering
from freehold.passes.canonicalize import canonicalize
from freehold.passes.contract_multiply_add import contract_multiply_add
from freehold.passes.cse import merge_common_subexpressions
from freehold.passes.hoist_assertions import hoist_assertions
from freehold.passes.hoist_invariants import hoist_invariants
from freehold.passes.launch_contract import contract
from freehold.passes.pipeline import convert, verify
from freehold.passes.rewriting import may_leave
from freehold.passes.split_loops import split_loops
from freehold.runtime.interpreter.launch import Kernel, Lowered
from freehold.support import dtypes

Array = np.ndarray[Any, Any]
Pass = Callable[[Operation], None]

SECONDS = 60.0
"""What a case may take of a processor."""
BATCH = 20
"""Cases that a process takes at a time."""
TILE: Final = 4
ROWS: Final = 2
PASSES: Final[tuple[Pass, ...]] = (
    canonicalize,
    hoist_invariants,
    merge_common_subexpressions,
    contract_multiply_add,
    hoist_assertions,
)
"""The optimiser's, in its order."""


_REORDERED: Final = ", in another order"


def specialisation() -> Specialisation:
    """The arguments of a kernel."""
    tile = (1, TILE)
    return Specialisation(
        (
            TensorSpec.plain(dtypes.f32, 2, PartitionSpec(tile, tile, owned=(1,))),
            TensorSpec.plain(dtypes.f32, 2, PartitionSpec(tile, tile)),
            TensorSpec.plain(dtypes.f32, 2),
            ScalarSpec(dtypes.i32),
            ScalarSpec(dtypes.i32),
        )
    )


# --- What Python runs a kernel with ----------------------------------------------------------------------------------


@dataclass
class Region:
    """A region of a block."""

    array: Array

    def load(self) -> Array:
        return self.array.copy()

    def store(self, value: Array | float) -> None:
        self.array[:] = value

    def load_like(self, other: Region) -> Array:
        del other
        return self.load()


@dataclass
class Row:
    """A row of regions."""

    array: Array

    def at(self, number: int) -> Region:
        return Region(self.array[number * TILE : (number + 1) * TILE])


def python(kernel: Callable[..., None], y: Array, z: Array, x: Array, a: int, b: int) -> None:
    """What Python computes, in place."""
    for row in range(ROWS):
        kernel(Row(y[row]), Region(z[row]), Region(x[row]), a, b)


# --- Other orders ----------------------------------------------------------------------------------------------------


def reordered(module: ModuleOp, rng: random.Random) -> ModuleOp:
    """A copy of a lowered kernel with the operations of its blocks in any order that operands allow, tokens included.
    What may leave a block stays between what was in front of it and what is behind."""
    found = module.clone()
    for op in of_kind(found, EntryOp)[0].walk():
        for block in blocks_in(op):
            _reorder(block, rng)
    return found


def _reorder(block: Block, rng: random.Random) -> None:
    ops = list(ops_of(block))
    places = {op: number for number, op in enumerate(ops)}
    needs: list[set[int]] = []
    barrier = -1
    for number, op in enumerate(ops):
        needed = {barrier} - {-1}
        for inner in walk(op):
            for operand in operands_of(inner):
                owner: Any = operand.owner
                while isinstance(owner, Operation) and owner.parent is not block and owner.parent_op() is not None:
                    owner = owner.parent_op()
                if isinstance(owner, Operation) and places.get(owner, number) != number:
                    needed.add(places[owner])
        if may_leave(op) or number == len(ops) - 1:
            needed |= set(range(number))
            barrier = number
        needs.append(needed)
    waiting, done = list(range(len(ops))), set[int]()
    order: list[Operation] = []
    while waiting:
        number = rng.choice([n for n in waiting if needs[n] <= done])
        waiting.remove(number)
        done.add(number)
        order.append(ops[number])
    for op in ops:
        op.detach()
    for op in order:
        block.add_op(op)


# --- Cases -----------------------------------------------------------------------------------------------------------


@contextmanager
def optimised_by(passes: Sequence[Pass]):
    """Has `convert` run some passes instead of its own."""

    def optimise(module: ModuleOp, *, contract: bool = True) -> None:
        del contract
        for each in passes:
            each(module)
        module.verify()

    with patch.object(lowering, "optimize", optimise):
        yield


def pipelines(rng: random.Random) -> list[tuple[Pass, ...]]:
    """Passes, as they follow one another."""
    some = tuple(rng.choice(PASSES) for _ in range(rng.randint(1, 6)))
    return [(), PASSES, some]


def outcome_of(text: str, file: str, rng: random.Random) -> str:
    """`same`. Raises on a finding."""
    names = names_of(text, file)
    module = lower(KernelFunction(names["kernel"]), specialisation())
    module.verify()
    verify(module)
    cut = split_loops(module)
    lowered: dict[str, ModuleOp] = {}
    for passes in pipelines(rng):
        name = ", ".join(each.__name__ for each in passes) or "no pass"
        with optimised_by(passes):
            lowered[name] = convert(cut)
        lowered[f"{name}{_REORDERED}"] = reordered(lowered[name], rng)
    runs: dict[str, Callable[[Sequence[object]], None]] = {
        "as it was verified": Kernel.of(module, checked=True).run,
        "with its loops cut": Kernel.of(cut, checked=True).run,
    }
    for name, what in lowered.items():  # in another order it is the result that tells, and not the interpreter's checks
        runs[name] = Lowered(what, contract(cut), checked=_REORDERED not in name).run
    names["fh"] = HOST
    data = np.random.default_rng(rng.randrange(1 << 30))
    for _ in range(2):
        a, b = rng.randint(-3, 7), rng.randint(-3, 7)
        arrays = [data.integers(0, 32, (ROWS, TILE * n)).astype(np.float32) for n in (REGIONS, 1, 1)]
        wanted = [array.copy() for array in arrays]
        y, z, x = wanted
        python(names["kernel"], y, z, x, a, b)
        for name, call in runs.items():
            found = [array.copy() for array in arrays]
            call([*found, a, b])
            for which, one, other in zip("yz", found, wanted, strict=False):
                if not np.array_equal(one, other):
                    raise AssertionError(
                        f"{name}: of a={a}, b={b} `{which}` is {one.tolist()}, and Python says {other.tolist()}"
                    )
    return "same"


def program_of(seed: int, number: int) -> tuple[str, random.Random]:
    """The program of a case, and what its arguments are drawn from."""
    rng = random.Random(f"memory {seed} {number}")
    return program(rng), rng


def attempt(seed: int, number: int) -> Outcome:
    """What became of a case, and what is wrong with it, if anything."""
    text, rng = program_of(seed, number)
    file = f"<memory {seed} {number}>"
    return attempted(text, file, SECONDS, lambda: (outcome_of(text, file, rng), ""))


def run(seed: int, numbers: range) -> Outcomes:
    """How often each outcome came, and what was found."""
    return outcomes(attempt, seed, numbers)


def told(figures: Counter[str]) -> str:
    """What the last line says of cases that are not findings."""
    return f"{figures['same']} as in Python"


def main() -> int:
    """The command line."""
    return search(__doc__, lambda seed, number: program_of(seed, number)[0], run, BATCH, told)


if __name__ == "__main__":
    sys.exit(main())
