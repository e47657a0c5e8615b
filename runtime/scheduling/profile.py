"""What a kernel's operations are like, as far as speed depends on it beyond bytes and counts."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, Final, cast

from xdsl.ir import Operation

from freehold.dialects.cuda_tile.ops.arith_float import CmpFOp, FloatOp
from freehold.dialects.cuda_tile.ops.control_flow import ForOp, LoopOp
from freehold.dialects.cuda_tile.ops.mma import Mma
from freehold.dialects.cuda_tile.ops.reduce import Aggregate
from freehold.dialects.cuda_tile.types import TileType
from freehold.dialects.ownership import AccessOp, Action, KernelOp, tensor_type
from freehold.passes.launch_contract import dtype_name
from freehold.support.dtypes import BY_NAME

_DEAR: Final = {
    "divf": 20, "sqrt": 8, "pow": 12, "tanh": 8, "sin": 8, "cos": 8, "tan": 12, "sinh": 12, "cosh": 12, "log": 6,
    "log2": 6, "exp": 6, "exp2": 4, "rsqrt": 4, "remf": 12,
}  # fmt: skip
"""How many additions an operation is worth."""

ProductShare = tuple[tuple[int, int, int], float]
"""Rows, columns and depth of a matrix product, and its share of the operations of all."""


@dataclass(frozen=True)
class Profile:
    """What a kernel's operations are like."""

    largest: int
    """Bytes of the tiles that a tile block loads beside one another, at most."""
    elements: int
    """Elements of the largest tile of floats that is computed on."""
    waits: bool
    """Whether it sums or goes in turns, so that threads wait for one another."""
    turns: bool
    """Whether it loads in loops, where the next tiles can be on their way."""
    run: int
    """Bytes that lie beside one another in memory in the narrowest tile that is loaded or stored."""
    weight: float
    """How many additions one of its operations is worth, on average."""
    products: tuple[ProductShare, ...]
    """Its matrix products, the largest first."""
    operand_bytes: int
    """Bytes of an element that is multiplied; 2 without products."""

    @property
    def multiplies(self) -> bool:
        """Whether there are matrix products."""
        return bool(self.products)


def profile(kernel: KernelOp) -> Profile:
    """The profile of a verified kernel."""
    loaded: dict[Any, int] = {}
    elements = dear = count = operand = 0
    run = 1 << 20
    waits = turns = False
    products: dict[tuple[int, int, int], int] = {}
    for op in kernel.walk():
        match op:
            case AccessOp() if op.ACTION in (Action.READ, Action.WRITE):
                size = BY_NAME[dtype_name(tensor_type(op.memory).element)].itemsize
                if prod(op.shape) > 64:
                    run = min(run, op.shape[-1] * size)
                if op.ACTION is Action.READ:
                    loaded[op.parent] = loaded.get(op.parent, 0) + prod(op.shape) * size
                    turns = turns or _in_a_loop(op)
            case Mma():
                left, _, result = (cast(TileType, o.type) for o in op.operands[:3])
                shape = (result.dims[-2], result.dims[-1], left.dims[-1])
                products[shape] = products.get(shape, 0) + prod(shape)
                operand = max(operand, _bytes(left))
            case Aggregate():
                waits = True
            case FloatOp() if not isinstance(op, CmpFOp):
                of = cast(TileType, op.results[0].type).num_elements
                elements = max(elements, of)
                count += of
                dear += of * _DEAR.get(op.short_name(), 1)
            case _:
                pass
    whole = sum(products.values())
    ordered = sorted(products.items(), key=lambda item: -item[1])
    return Profile(
        largest=max(loaded.values(), default=0),
        elements=elements or max((prod(op.shape) for op in kernel.walk() if isinstance(op, AccessOp)), default=1),
        waits=waits or turns,
        turns=turns,
        run=run,
        weight=dear / count if count else 1.0,
        products=tuple((shape, work / whole) for shape, work in ordered),
        operand_bytes=operand or 2,
    )


def _in_a_loop(op: Operation) -> bool:
    above = op.parent_op()
    while above is not None and not isinstance(above, KernelOp):
        if isinstance(above, ForOp | LoopOp):
            return True
        above = above.parent_op()
    return False


def _bytes(of: TileType) -> int:
    known = BY_NAME.get(dtype_name(of.element_type))
    return known.itemsize if known is not None and known.storage_bits else 4
