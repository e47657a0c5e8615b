"""What a launch passes to an entry point, as terms: the launch contract, read as numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import lcm
from typing import Final

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, SSAValue

from freehold.dialects.classes import ops_of
from freehold.dialects.cuda_tile.integers import element_width
from freehold.dialects.cuda_tile.types import PointerType, TileType, tile
from freehold.dialects.ownership import INDEX, KernelOp, RequireOp, TensorType, scalar_symbols
from freehold.passes.analysis.machine_integers import Integers
from freehold.passes.launch_contract import argument_name, entry_parameters
from freehold.support import terms
from freehold.support.contract import Checks
from freehold.support.integers import contents
from freehold.support.terms import Term

_MOST: Final = 2**31 - 1


class Launch:
    """What a launch passes to the entry point, as terms: the launch contract, read as numbers."""

    def __init__(self, kernel: KernelOp, integers: Integers, checks: Checks, failing: bool | None = None):
        self.integers = integers
        arguments = kernel.body.block.args
        self.names = [argument_name(a, n) for n, a in enumerate(arguments)]
        self.positions: dict[SSAValue, int] = {a: n for n, a in enumerate(arguments)}
        self._symbols = {self.positions[scalar]: name for scalar, name in scalar_symbols(arguments).items()}
        divisors: dict[str, int] = {}
        for type_ in (a.type for a in arguments if isinstance(a.type, TensorType)):
            for axis in range(type_.rank):
                text = str(type_.extent(axis))
                divisors[text] = lcm(divisors.get(text, 1), type_.layout.extent_divs.data[axis].data)
        for number, divisor in required(kernel):
            divisors[number] = lcm(divisors.get(number, 1), divisor)
        self.extents: dict[Term, Term] = {}
        self.strides: dict[tuple[int, int], Term] = {}
        self.scalars: dict[int, Term] = {}
        self.alignments: dict[Term, int] = {}
        """What the addresses of tensors are multiples of, in bytes."""
        self.failures = integers.symbol("&failures")
        """The address to which failed checks are written down."""
        self.passed: list[tuple[Term, Attribute]] = []
        """Each parameter: what it is, and its type."""
        for p in entry_parameters(kernel, checks, failing=failing):
            name = p.term if p.argument < 0 else self.names[p.argument]
            type_ = arguments[p.argument].type if p.argument >= 0 else INDEX
            match p.kind:
                case "scalar":
                    assert isinstance(type_, TileType)
                    found = self.scalars[p.argument] = self._scalar(p.argument, type_, divisors)
                case "extent":
                    found = self.extents[terms.parse(p.term)] = self._multiple(p.term, divisors.get(p.term, 1))
                case "failures":
                    found, type_ = self.failures, tile((), PointerType(i64))
                case "pointer":
                    assert isinstance(type_, TensorType)
                    found = self.pointer(p.argument)
                    self.alignments[found] = type_.layout.align.data
                    type_ = tile((), PointerType(type_.element))
                case "stride":
                    assert isinstance(type_, TensorType)
                    divisor = type_.layout.stride_divs.data[p.axis].data
                    stride, least = f"{name}.strides[{p.axis}]", int(divisor > 1)  # it may repeat its elements
                    found = self.strides[p.argument, p.axis] = self._multiple(stride, divisor, least)
                    type_ = INDEX
            self.passed.append((found, type_))

    def _scalar(self, argument: int, type_: TileType, divisors: Mapping[str, int]) -> Term:
        """A scalar, which is a multiple of what the launch is required to see to."""
        name, width = self.names[argument], element_width(type_)
        divisor = divisors.get(self._symbols.get(argument, ""), 1)
        if divisor == 1 or width is None:
            return self.integers.unknown(("scalar", argument), width, name)
        low, high = contents(width)
        return self.integers.symbol(f"{name}#{argument}/{divisor}", -(-low // divisor), high // divisor) * divisor

    def _multiple(self, name: str, divisor: int, least: int = 1) -> Term:
        """A number that is a multiple of another, and of what it is a multiple at least `least`."""
        if divisor == 1:
            return self.integers.symbol(name, least, _MOST)
        return self.integers.symbol(f"{name}/{divisor}", least, _MOST // divisor) * divisor

    def pointer(self, argument: int) -> Term:
        """The address of a tensor's first element, from where elements are counted."""
        return self.integers.symbol(f"&{self.names[argument]}")

    def number(self, t: Term) -> Term:
        """An extent, or a number of tiles, or a product of such."""
        return self.integers.carried_out(t, self.extents, 32)

    def tiles(self, extent: Term, size: int) -> Term:
        """How many tiles of so many elements cover an extent: of `16 * P`, also where `P` itself is not passed."""
        count = terms.ceildiv(extent, terms.const(size))
        try:
            return self.number(count)
        except ValueError:
            return self.integers.ceil_divided(self.number(extent), terms.const(size))

    def strides_of(self, argument: int, type_: TensorType) -> tuple[Term, ...]:
        """The strides of a tensor in elements."""
        found = (s.data for s in type_.layout.strides.data)
        return tuple(terms.const(s) if s else self.strides[argument, axis] for axis, s in enumerate(found))

    def extents_of(self, type_: TensorType) -> tuple[Term, ...]:
        """The extents of a tensor."""
        return tuple(self.number(type_.extent(axis)) for axis in range(type_.rank))

    def exact(self, extents: Sequence[Term], shape: Sequence[int]) -> bool:
        """Whether no tile overhangs."""
        zero = terms.const(0)
        return all(self.integers.remainder(e, terms.const(s)) == zero for e, s in zip(extents, shape, strict=True))


def required(kernel: KernelOp) -> Iterator[tuple[str, int]]:
    """What the kernel requires to be multiples of numbers."""
    for op in ops_of(kernel.body.block):
        for part in terms.conjuncts(op.condition) if isinstance(op, RequireOp) else ():
            match part:
                case Term(op="==", args=(Term(op="%", args=(number, divisor)), rest)) if rest == terms.const(0):
                    if divisor.is_const and divisor.value > 0:
                        yield str(number), divisor.value
                case _:
                    pass
