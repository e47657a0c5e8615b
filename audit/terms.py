"""Bounds of accesses whose place depends on what memory holds: shown for all that it may hold, from masks and clamps.

Here values are terms, in the arithmetic of `passes/analysis`, with the numbers of the launch put in: what is loaded is
any number of its width, and so is what loops carry. The prover of the compiler is asked.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, cast

from xdsl.ir import Operation, SSAValue

from freehold.audit.facts import Call, Placed
from freehold.audit.lanes import dim_map
from freehold.audit.straight import steps
from freehold.dialects.cuda_tile.ops.control_flow import ForOp, IfOp
from freehold.dialects.cuda_tile.ops.module import EntryOp, GetNumTileBlocksOp, GetTileBlockIdOp
from freehold.dialects.cuda_tile.ops.views import GetIndexSpaceShapeOp, GetTensorShapeOp
from freehold.dialects.cuda_tile.types import (
    DYNAMIC,
    GatherScatterViewType,
    PointerType,
    TensorViewType,
    TileType,
    TileViewType,
)
from freehold.passes.analysis.machine_integers import Integers
from freehold.passes.analysis.tile_values import NotFollowedError, Place, Values
from freehold.passes.prover.hypotheses import Hypotheses
from freehold.passes.prover.prove import prove
from freehold.passes.prover.smt import QUICK
from freehold.passes.rewriting import walk
from freehold.runtime.interpreter.elements import element_of
from freehold.support import terms
from freehold.support.terms import Term


class GridValues(Values):
    """Values of an entry in a launch: the grid has the extents that the launch gives."""

    def __init__(self, call: Call):
        super().__init__(Integers(), {})
        self.call = call

    def _grid(self, op: GetTileBlockIdOp | GetNumTileBlocksOp) -> tuple[Term, Term, Term]:
        grid = self.call.launch.grid
        if isinstance(op, GetNumTileBlocksOp):
            x, y, z = (terms.const(n) for n in grid)
        else:
            x, y, z = (self.integers.symbol(f"block{a}", 0, n - 1) for a, n in zip("xyz", grid, strict=True))
        return x, y, z

    def _at(self, value: SSAValue, place: Place) -> Term:
        owner = value.owner
        if isinstance(owner, GetTensorShapeOp | GetIndexSpaceShapeOp):
            return self._extent(owner, next(n for n, result in enumerate(owner.results) if result is value))
        return super()._at(value, place)

    def _extent(self, op: GetTensorShapeOp | GetIndexSpaceShapeOp, number: int) -> Term:
        """An extent of a tensor view, or how many tiles it has along a dimension."""
        made, view = made_view(op.src), op.src.type
        if made is None:
            raise NotFollowedError(op, "asks for the shape of a view that is not known")
        axis = dim_map(view)[number] if isinstance(view, TileViewType) else number
        extent = shape_of(made, self)[axis]
        if isinstance(view, TileViewType):
            extent = self.integers.ceil_divided(extent, terms.const(steps(view)[number]))
        return self.integers.wrapped(extent, element_of(cast(TileType, op.results[number].type).element_type).bits)


def made_view(view: SSAValue) -> Operation | None:
    """The operation that made the tensor view that a view is of."""
    while isinstance(view.owner, Operation) and view.owner.name != "cuda_tile.make_tensor_view":
        if not view.owner.name.startswith("cuda_tile.make_"):
            return None
        view = view.owner.operands[0]
    return view.owner if isinstance(view.owner, Operation) else None


def shape_of(made: Operation, values: Values, which: str = "shape") -> list[Term]:
    """The extents of a tensor view, or its strides."""
    type_ = cast(TensorViewType, made.results[0].type)
    parts: Any = made
    dynamic = iter(parts.dynamicShape if which == "shape" else parts.dynamicStrides)
    entries = (type_.shape if which == "shape" else type_.strides).data
    return [values.at(next(dynamic), ()) if n == DYNAMIC else terms.const(n) for n in entries]


class InBounds:
    """Asks, of accesses of one entry in one launch, whether they are in bounds whatever memory holds."""

    def __init__(self, entry: EntryOp, call: Call):
        self.entry = entry
        self.call = call
        self.values = self.made_values(call)
        for argument, value in zip(entry.body.block.args, call.values, strict=True):
            if isinstance(value, int):
                self.number(argument, value)
            elif isinstance(value, Placed):
                self.values.define(argument, terms.const(0))
            else:
                self.values.bind(argument, ("float", argument))
        for op in walk(entry):
            for region in op.regions if op is not entry else ():
                for block in region.blocks:
                    for argument in block.args:  # what loops carry may be any number
                        self.values.bind(argument, ("carried", argument))

    def made_values(self, call: Call) -> GridValues:
        """The values to begin with."""
        return GridValues(call)

    def number(self, argument: SSAValue, value: int) -> None:
        """A parameter that is a number."""
        self.values.define(argument, terms.const(value))

    def shown(self, op: Operation, base: int) -> bool:
        """Whether an access to the memory of parameter `base` is in bounds."""
        placed = self.call.arrays.get(base)
        if placed is None:
            return False
        try:
            goals = self._of_view(op, placed) if hasattr(op, "view") else self._of_pointers(op, placed)
            given = Hypotheses().extended(self.around(op))
            if (mask := getattr(op, "mask", None)) is not None:
                place = self.values.everywhere(mask.type)
                given = given.extended([holds(self.values.at(mask, place))])
        except (NotFollowedError, RecursionError):
            return False
        for goal in goals:
            known = given.extended(self.ranges(goal, *given.facts))
            if not prove(goal, known, QUICK).proved:
                return False
        return True

    def _of_pointers(self, op: Operation, placed: Placed) -> list[Term]:
        fields: Any = op
        pointer: SSAValue = next(
            getattr(fields, n) for n in ("source", "destination", "pointers") if hasattr(fields, n)
        )
        type_ = cast(TileType, pointer.type)
        pointee = cast(PointerType, type_.element_type).pointee
        if element_of(pointee).memory_bytes != placed.tensor.element.memory_bytes:
            return [terms.FALSE]
        offset = self.values.at(pointer, self.values.everywhere(type_))
        return [terms.const(0).le(offset), offset.lt(placed.tensor.span)]

    def _of_view(self, op: Operation, placed: Placed) -> list[Term]:
        """That each index is in the index space, and the tensor in its memory."""
        fields: Any = op
        view = cast(TileViewType, fields.view.type)
        made = made_view(fields.view)
        if made is None or isinstance(view, GatherScatterViewType) or any(fields.inbounds.get_values()):
            return [terms.FALSE]
        shape, steps_ = shape_of(made, self.values), shape_of(made, self.values, "strides")
        if not all(t.is_const and t.value >= 0 for t in (*shape, *steps_)):
            return [terms.FALSE]
        start = self.scalar(made.operands[0])
        end = start
        for extent, step in zip(shape, steps_, strict=True):
            end = end + (extent - 1) * step
        goals = [terms.const(0).le(start), end.lt(placed.tensor.span)]
        for d, index in enumerate(fields.index):
            extent, step = shape[dim_map(view)[d]].value, steps(view)[d]
            number = self.scalar(index)
            goals += [terms.const(0).le(number), number.lt(-(-extent // step))]
        return goals

    def scalar(self, value: SSAValue) -> Term:
        return self.values.at(value, ())

    def around(self, op: Operation) -> list[Term]:
        """What holds where an operation stands: conditions of branches, bounds of loops."""
        found: list[Term] = []
        inner, around = op, op.parent_op()
        while around is not None and around is not self.entry:
            with suppress(NotFollowedError):  # one fact less
                found += self._inside(around, inner)
            inner, around = around, around.parent_op()
        return found

    def _inside(self, around: Operation, inner: Operation) -> list[Term]:
        """What holds inside of a branch or a loop."""
        if isinstance(around, IfOp):
            condition = holds(self.scalar(around.condition))
            return [condition if inner.parent_region() is around.regions[0] else terms.negate(condition)]
        if isinstance(around, ForOp) and around.unsignedCmp is None:
            counter = self.scalar(around.block.args[0])
            return [self.scalar(around.lowerBound).le(counter), counter.lt(self.scalar(around.upperBound))]
        return []

    def ranges(self, *predicates: Term) -> list[Term]:
        """The bounds of the symbols in predicates."""
        found: list[Term] = []
        for name in sorted({name for predicate in predicates for name in predicate.symbols()}):
            symbol = terms.sym(name)
            low, high = self.values.integers.bounds.get((symbol,), (None, None))
            found += [terms.const(low).le(symbol)] if low is not None else []
            found += [symbol.le(high)] if high is not None else []
        return found


def holds(truth: Term) -> Term:
    """A truth value as a predicate."""
    return truth if truth.op in ("<", "<=", "==", "and", "or", "not", "const") else truth.eq(1)
