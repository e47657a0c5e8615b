"""What holds in every launch, and not in the one alone that was audited: that tile blocks are apart in an array.

The numbers of the launch are symbols here, but for axes of the grid of which it has one: whatever the other extents of
the grid, the extents and strides of arrays and the integers are, two tile blocks that access one element are one. It
rests on strides that do not overlap, for tiles of one view are apart if their indices are, and on arrays that do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

from xdsl.ir import Operation, SSAValue

from freehold.audit.accesses import Access, strong_between_blocks
from freehold.audit.facts import Call
from freehold.audit.terms import GridValues, InBounds, holds, made_view
from freehold.dialects.cuda_tile.ops.control_flow import ForOp
from freehold.dialects.cuda_tile.ops.module import EntryOp, GetNumTileBlocksOp, GetTileBlockIdOp
from freehold.dialects.cuda_tile.types import PartitionViewType, TileType
from freehold.passes.analysis.tile_values import NotFollowedError
from freehold.passes.prover.hypotheses import Hypotheses
from freehold.passes.prover.prove import prove
from freehold.passes.prover.smt import QUICK
from freehold.passes.rewriting import walk
from freehold.runtime.interpreter.access import element
from freehold.support import terms
from freehold.support.integers import contents
from freehold.support.terms import Term

_MOST_EACH: Final = (1 << 24) - 1
"""Tile blocks along an axis of a grid."""
_MOST_OPS: Final = 12
"""Operations on an array of which every two are asked about."""


class _Grids(GridValues):
    """Values in launches of any grid with as many axes."""

    def _grid(self, op: GetTileBlockIdOp | GetNumTileBlocksOp) -> tuple[Term, Term, Term]:
        block = isinstance(op, GetTileBlockIdOp)
        x, y, z = (
            terms.const(not block)
            if extent == 1
            else self.integers.symbol(f"block_{axis}", 0, _MOST_EACH - 1)
            if block
            else self.integers.symbol(f"grid_{axis}", 1, _MOST_EACH)
            for axis, extent in zip("xyz", self.call.launch.grid, strict=True)
        )
        return x, y, z


class Everywhere(InBounds):
    """Asks of the arrays of one entry whether tile blocks are apart in them in every launch."""

    def __init__(self, entry: EntryOp, call: Call):
        self.uniform: set[str] = set()
        """Symbols that are the same for all tile blocks."""
        super().__init__(entry, call)
        self.axes = [axis for axis, extent in zip("xyz", call.launch.grid, strict=True) if extent > 1]
        self.uniform |= {f"grid_{axis}" for axis in self.axes}
        for op in walk(entry):
            if isinstance(op, ForOp) and op.unsignedCmp is None:
                self._counter(op)

    def made_values(self, call: Call) -> GridValues:
        """Values in any grid."""
        return _Grids(call)

    def number(self, argument: SSAValue, value: int) -> None:
        """A parameter that is a number: any of its width."""
        del value
        name = f"parameter_{len(self.uniform)}"
        low, high = contents(element(argument).bits)
        self.values.define(argument, self.values.integers.symbol(name, low, high))
        self.uniform.add(name)

    def _counter(self, op: ForOp) -> None:
        """The counter of a loop: where it begins, and a number of steps. It never wraps, being below the end."""
        i = self.values.integers
        try:
            turn = i.symbol(f"turn_{len(i.bounds)}", 0, (1 << 31) - 1)
            counter = i.plus(self.scalar(op.lowerBound), i.times(self.scalar(op.step), turn))
            self.values.define(op.block.args[0], counter)
        except NotFollowedError:
            return

    def apart(self, accesses: Sequence[Access]) -> bool:
        """Whether no two tile blocks conflict at an element of an array, given all accesses to it."""
        ops = list(dict.fromkeys(access.op for access in accesses))
        writes = {access.op for access in accesses if access.kind != "read"}
        if len(ops) > _MOST_OPS or not self.axes:
            return not writes or not self.axes
        try:
            return all(
                self._pair(a, b)
                for n, a in enumerate(ops)
                for b in ops[n:]
                if (a in writes or b in writes) and not (strong_between_blocks(a) and strong_between_blocks(b))
            )
        except (NotFollowedError, RecursionError):
            return False

    def _pair(self, a: Operation, b: Operation) -> bool:
        """Whether tile blocks that access one element by these operations are one."""
        same = self._places(a, b)
        if same is None:
            return False
        left, right = same
        given = [*self._facts(a), *(self._other(fact) for fact in self._facts(b))]
        given += [x.eq(self._other(y)) for x, y in zip(left, right, strict=True)]
        blocks = [terms.sym(f"block_{axis}") for axis in self.axes]
        for block, axis in zip(blocks, self.axes, strict=True):
            grid = terms.sym(f"grid_{axis}")
            given += [block.lt(grid), self._other(block).lt(grid)]
        goal = terms.all_of(*(block.eq(self._other(block)) for block in blocks))
        ranges = [*self.ranges(*left, *self._facts(a)), *map(self._other, self.ranges(*right, *self._facts(b)))]
        return prove(goal, Hypotheses().extended([*given, *ranges]), QUICK).proved

    def _facts(self, op: Operation) -> list[Term]:
        """What holds where an access happens."""
        mask: SSAValue | None = getattr(op, "mask", None)
        if mask is None:
            return self.around(op)
        place = self.values.everywhere(cast(TileType, mask.type))
        return [*self.around(op), holds(self.values.at(mask, place))]

    def _places(self, a: Operation, b: Operation) -> tuple[list[Term], list[Term]] | None:
        """Numbers that are equal if two accesses touch one element; None where none are known."""
        first: SSAValue | None = getattr(a, "view", None)
        second: SSAValue | None = getattr(b, "view", None)
        if first is None and second is None:
            return [self._address(a)], [self._address(b)]
        if first is None or second is None or not isinstance(first.type, PartitionViewType):
            return None
        if first.type != second.type or self._shape(first) != self._shape(second):
            return None
        fields: list[Any] = [a, b]
        left, right = ([self.scalar(index) for index in each.index] for each in fields)
        return left, right

    def _shape(self, view: SSAValue) -> object:
        """What tells a tensor view from others, where it is the same in all tile blocks; else something of its own."""
        made = made_view(view)
        if made is None:
            return object()
        parts = [self.scalar(operand) for operand in made.operands]
        base = made.operands[0]
        while isinstance(base.owner, Operation) and base.owner.name == "cuda_tile.assume":
            base = base.owner.operands[0]
        if base.owner is not self.entry.body.block or any(part.symbols() - self.uniform for part in parts):
            return object()
        return (base, made.results[0].type, *parts[1:])

    def _address(self, op: Operation) -> Term:
        """How many elements behind its array's beginning an element is."""
        fields: Any = op
        pointer = next(getattr(fields, n) for n in ("source", "destination", "pointers") if hasattr(fields, n))
        return self.values.at(pointer, self.values.everywhere(pointer.type))

    def _other(self, term: Term) -> Term:
        """A term of another tile block."""
        return term.substitute({name: terms.sym(f"other_{name}") for name in term.symbols() - self.uniform})
