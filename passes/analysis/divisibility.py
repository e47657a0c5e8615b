"""What divides integers in every launch, and with them addresses: how far windows are aligned.

Of terms that is any number, of values in registers a power of two: one that divides two numbers divides their sum,
difference and product, also where these wrap around.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd, lcm
from typing import Final

from xdsl.ir import Operation, SSAValue

from freehold.dialects.classes import ops_of
from freehold.dialects.cuda_tile.integers import width_of
from freehold.dialects.cuda_tile.ops.arith_int import AddIOp, MulIOp, SubIOp
from freehold.dialects.cuda_tile.ops.conversion import ExtIOp, TruncIOp
from freehold.dialects.cuda_tile.types import ELEMENT_BITS, element_name
from freehold.dialects.ownership import DimOp, KernelOp, RequireOp, TensorType, WindowOp, scalar_symbols, tensor_type
from freehold.passes.rewriting import integer
from freehold.support import terms
from freehold.support.terms import Term


def power_of_two(divisor: int) -> int:
    """The largest power of two that divides a number: all that `assume` can say. 0 for 0, which all divide."""
    return divisor & -divisor


class Divisors:
    """What divides the numbers of one kernel."""

    def __init__(self, kernel: KernelOp):
        self.terms: dict[Term, int] = {}
        """Of extents and scalars of the launch, by what layouts and requirements say."""
        arguments = kernel.body.block.args
        self.scalars: dict[SSAValue, Term] = {v: terms.sym(name) for v, name in scalar_symbols(arguments).items()}
        """The symbols of integer scalars."""
        for type_ in (a.type for a in arguments if isinstance(a.type, TensorType)):
            for extent, divisor in zip(type_.extents, type_.layout.extent_divs.data, strict=True):
                self._note(extent, divisor.data)
        for op in ops_of(kernel.body.block):
            if isinstance(op, RequireOp):
                for part in terms.conjuncts(op.condition):
                    if part.op == "==" and part.args[0].op == "%" and part.args[1] == terms.const(0):
                        number, divisor = part.args[0].args
                        self._note(number, divisor.value if divisor.is_const else 1)

    def _note(self, number: Term, divisor: int) -> None:
        if not number.is_const:  # which says itself what divides it
            self.terms[number] = lcm(self.terms.get(number, 1), divisor)

    def of_term(self, t: Term) -> int:
        """What divides a term over what the launch knows."""
        return t.fold(lambda leaf: abs(leaf.value) if leaf.is_const else 1, _node, dict(self.terms))

    def of(self, value: SSAValue) -> int:
        """The power of two that divides an integer."""
        if (symbol := self.scalars.get(value)) is not None:
            return power_of_two(self.of_term(symbol))
        owner = value.owner
        if width_of(value.type) is None or not isinstance(owner, Operation):
            return 1
        if (constant := integer(value)) is not None:
            return power_of_two(constant)
        if isinstance(owner, DimOp):
            return power_of_two(self.of_term(tensor_type(owner.source).extent(owner.axis.data)))
        rule = _RULES.get(type(owner))
        return 1 if rule is None else rule(*map(self.of, owner.operands))

    def alignment(self, tensor: SSAValue) -> int:
        """What divides the address of a tensor, an argument or a window, in bytes."""
        if not isinstance(op := tensor.owner, WindowOp):
            return power_of_two(tensor_type(tensor).layout.align.data)
        return gcd(self.alignment(op.tensor), step(tensor_type(op.tensor), op.axis.data) * self.of(op.start))


def step(tensor: TensorType, axis: int) -> int:
    """What divides the distance between neighbours along an axis, in bytes."""
    stride = tensor.layout.strides.data[axis].data or tensor.layout.stride_divs.data[axis].data
    return power_of_two(max(1, stride * ELEMENT_BITS[element_name(tensor.element)] // 8))


def _product(a: int, b: int) -> int:
    return a * b


_RULES: Final[dict[type[Operation], Callable[..., int]]] = {
    AddIOp: gcd,
    SubIOp: gcd,
    MulIOp: _product,
    ExtIOp: int,
    TruncIOp: int,
}


def _node(t: Term, operands: Sequence[int]) -> int:
    return gcd(*operands) if t.op in ("+", "-") else _product(*operands) if t.op == "*" else 1
