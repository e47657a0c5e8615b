"""What patterns know of the kernel that is being lowered, and what is made once for the whole launch: values of terms,
addresses, and views of tensors. Patterns know this, and this knows none of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, cast

from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from freehold.dialects.classes import replace_uses
from freehold.dialects.cuda_tile.attrs import SIGNED, UNSIGNED, BoundedAttr, DivByAttr, PaddingValueAttr
from freehold.dialects.cuda_tile.ops.arith_int import AddIOp, DivIOp, MulIOp, SubIOp
from freehold.dialects.cuda_tile.ops.conversion import ExtIOp
from freehold.dialects.cuda_tile.ops.misc import AssumeOp
from freehold.dialects.cuda_tile.ops.shape import ConstantOp, OffsetOp
from freehold.dialects.cuda_tile.ops.views import MakePartitionViewOp, MakeStridedViewOp, MakeTensorViewOp
from freehold.dialects.cuda_tile.terms import OF_COUNTS
from freehold.dialects.cuda_tile.types import (
    DYNAMIC,
    PartitionViewType,
    PointerType,
    StridedViewType,
    TensorViewType,
    tile,
)
from freehold.dialects.location import span_of
from freehold.dialects.names import users_name
from freehold.dialects.ownership import INDEX, KernelOp, TensorType, tensor_type
from freehold.passes.analysis.divisibility import Divisors, power_of_two
from freehold.passes.analysis.windows import argument_of, windows_of
from freehold.passes.analysis.wording import tensor_of
from freehold.passes.launch_contract import (
    argument_name,
    computed_extents,
    distribution_of,
    entry_parameters,
    kernel_checks,
)
from freehold.passes.rewriting import Inserter
from freehold.passes.verify_duties import Record
from freehold.support import terms
from freehold.support.contract import Checks, EntryParameter
from freehold.support.terms import Term


def _nobody(block: Block) -> None:
    raise AssertionError("nothing applies patterns")


@dataclass(frozen=True)
class Group:
    """A group of a tensor, while its point is worked on."""

    first: SSAValue
    size: SSAValue


class Conversion:
    """A kernel on its way to an entry point. What holds for the whole launch is made in front of the kernel's first
    operation, when it is first asked for."""

    def __init__(self, kernel: KernelOp, record: Record, checks: Checks, parameters: Sequence[EntryParameter] | None):
        self.kernel = kernel
        self.checks = checks
        self.numbers = {key: number for number, key in enumerate(kernel_checks(record, checks))}
        """Of checks, by operation and axis."""
        self.entry = entry_parameters(kernel, checks, failing=bool(self.numbers)) if parameters is None else parameters
        self.body = kernel.body.block
        self.distribution = distribution_of(kernel)
        first = self.body.first_op
        assert first is not None
        self.top = Inserter(first, kernel.location)
        self.positions: dict[SSAValue, int] = {a: n for n, a in enumerate(self.body.args)}
        known = Divisors(kernel)
        self.divisors = {t: power_of_two(divisor) for t, divisor in known.terms.items()}
        """What each extent is known to be a multiple of."""
        tensors = [a for a in self.body.args if isinstance(a.type, TensorType)]
        self.alignments: dict[SSAValue, int] = {
            t: known.alignment(t) for t in (*tensors, *(w.result for w in windows_of(kernel)))
        }
        """What the addresses of arguments and windows are multiples of, in bytes."""
        self.pointers: dict[int, SSAValue] = {}
        self.bases: dict[SSAValue, SSAValue] = {}
        """The base addresses of arguments, where they have been asked for, and of windows."""
        self.places: dict[SSAValue, Inserter] = {}
        """Where windows are made, and groups: what is made of them stands behind that."""
        self.groups: dict[SSAValue, tuple[int, SSAValue]] = {}
        """Of each region of a group, the axis along which there are groups, and how many elements the group has."""
        self.known_groups: list[tuple[SSAValue, SSAValue, Block, Group]] = []
        """The groups that have been asked for: of which partition, by which number, and where."""
        self.valid: SSAValue | None = None
        """Whether all offsets bound groups, where there are any."""
        self.strides: dict[tuple[int, int], SSAValue] = {}
        self.extents: dict[Term, SSAValue] = {}
        self.uniform: dict[Term, SSAValue] = {}
        self.constants: dict[int, SSAValue] = {}
        self.tensors: dict[SSAValue, SSAValue] = {}
        self.views: dict[tuple[object, ...], SSAValue] = {}
        self.regions: dict[SSAValue, tuple[SSAValue, ...]] = {}
        """The coordinates of each region."""
        self.visit: Callable[[Block], None] = _nobody
        """Has patterns applied to a block that one of them has made."""

    def declare(self) -> list[Attribute]:
        """Adds the entry's parameters, as the launch contract lists them, behind the kernel's; returns their types."""
        spelled = self._spelled()
        old = list(self.body.args)
        types: list[Attribute] = []
        for p in self.entry:
            argument = old[p.argument] if p.argument >= 0 else None
            new = self._parameter(p, argument)
            types.append(new.type)
            match p.kind:
                case "pointer":
                    self.pointers[p.argument] = new
                case "extent":
                    self.extents[spelled[p.term]] = new
                case "stride":
                    self.strides[p.argument, p.axis] = new
                case "scalar":
                    replace_uses(old[p.argument], new)
                case "failures":
                    pass  # for `lower-checks`, which knows it by its place
        return types

    def _spelled(self) -> dict[str, Term]:
        """The extents that are parameters, by how they are spelled."""
        types = (argument.type for argument in self.body.args)
        extents = (extent for type_ in types if isinstance(type_, TensorType) for extent in type_.extents)
        return {str(extent): extent for extent in (*extents, *computed_extents(self.kernel))}

    def _parameter(self, p: EntryParameter, argument: BlockArgument | None) -> BlockArgument:
        name = (p.term or p.kind) if argument is None else argument_name(argument, p.argument)
        type_: Attribute = INDEX if p.kind != "failures" else _FAILURES
        if argument is not None and p.kind != "stride":
            type_ = argument.type
            if isinstance(type_, TensorType):
                type_ = tile((), PointerType(type_.element))
        location = self.kernel.location if argument is None else argument.location
        new = self.body.insert_arg(type_, len(self.body.args), location)
        new.name_hint = identifier(f"{name}_stride{p.axis}" if p.kind == "stride" else name)
        return new

    def constant(self, value: int) -> SSAValue:
        """An i32 scalar."""
        if (found := self.constants.get(value)) is None:
            found = self.constants[value] = self.top.value(ConstantOp.scalar(value, i32))
        return found

    def assume(
        self, value: SSAValue, *, positive: bool = False, divisor: int = 1, at: Inserter | None = None
    ) -> SSAValue:
        """`value` with what the launcher guarantees of it. Divisibility comes last: there the assembler looks."""
        name, at = value.name_hint, at or self.top
        if positive:
            value = at.value(AssumeOp(value, _POSITIVE), name)
        if divisor > 1:
            value = at.value(AssumeOp(value, _divisible_by(divisor)), name)
        return value

    def term(self, wanted: Term) -> SSAValue:
        """The value of a term over what holds for the whole launch."""
        if wanted.is_const:
            return self.constant(wanted.value)
        found = self.uniform.get(wanted)
        if found is None:
            raw = self.extents.get(wanted)
            if raw is not None:
                found = self.assume(raw, positive=True, divisor=self.divisors.get(wanted, 1))
            else:
                found = self.emit(wanted, self.term, self.top)
            self.uniform[wanted] = found
        return found

    def tiles(self, extent: Term, size: int) -> SSAValue:
        """
        How many tiles of so many elements cover an extent.

        What is written as `16 * P` has `P` tiles of 16. Where `P` is not among what the launch passes, they are counted
        from the extent itself.
        """
        return self.term(count_of_tiles(extent, size, self.extents))

    def emit(self, wanted: Term, value: Callable[[Term], SSAValue], at: Inserter) -> SSAValue:
        """Arithmetic for the outermost operator of a term. No value in it is negative, and none wraps."""
        if wanted.op == "ceildiv":
            extent, size = wanted.args
            if size.is_const and self.divisors.get(extent, 1) % size.value == 0:
                return at.value(DivIOp(value(extent), value(size), UNSIGNED))
            last = at.value(SubIOp(value(extent), self.constant(1)))
            return at.value(AddIOp(at.value(DivIOp(last, value(size), UNSIGNED)), self.constant(1)))
        if wanted.op not in OF_COUNTS:
            raise PassFailedException(f"{self.kernel.sym_name.data}: the kernel cannot compute {wanted}")
        left, right = (value(a) for a in wanted.args)
        return at.value(OF_COUNTS[wanted.op](left, right))

    def pointer(self, tensor: SSAValue) -> SSAValue:
        """The base address of a tensor, an argument or a window."""
        if (found := self.bases.get(tensor)) is None:
            position = self.positions.get(tensor)
            if position is None:
                raise PassFailedException(f"{self.kernel.sym_name.data}: accesses a tensor that is no argument")
            found = self.bases[tensor] = self.assume(self.pointers[position], divisor=self.alignments[tensor])
        return found

    def moved(self, tensor: SSAValue, axis: int, start: SSAValue, at: Inserter) -> SSAValue:
        """The address of element `start` of a tensor along an axis. It has one, so nothing wraps in 64 bits."""
        stride = self.stride(tensor, axis)
        elements = at.value(ExtIOp(start, i64, SIGNED))
        if isinstance(stride, SSAValue):
            elements = at.value(MulIOp(elements, at.value(ExtIOp(stride, i64, SIGNED))))
        elif stride != 1:
            elements = at.value(MulIOp(elements, at.value(ConstantOp.scalar(stride, i64))))
        return at.value(OffsetOp(self.pointer(tensor), elements))

    def stride(self, tensor: SSAValue, axis: int) -> int | SSAValue:
        """A stride of a tensor in elements, where the launch alone knows it as a value."""
        layout = tensor_type(tensor).layout
        if fixed := layout.strides.data[axis].data:
            return fixed
        divisor = power_of_two(layout.stride_divs.data[axis].data)
        found = self.strides[self.positions[argument_of(tensor)], axis]
        if divisor == 1:  # it may be 0, of a tensor that repeats its elements
            return self.top.value(AssumeOp(found, _NOT_NEGATIVE), found.name_hint)
        return self.assume(found, positive=True, divisor=divisor)

    def tensor_view(self, tensor: SSAValue) -> SSAValue:
        """The view of a whole tensor, an argument or a window."""
        if (found := self.tensors.get(tensor)) is not None:
            return found
        base, type_, at = self.pointer(tensor), tensor_type(tensor), self.places.get(tensor, self.top)
        dims: list[int] = []
        dynamic_dims: list[SSAValue] = []
        strides: list[int] = []
        dynamic_strides: list[SSAValue] = []
        grouped, size = self.groups.get(tensor, (-1, None))
        for axis in range(type_.rank):
            extent = type_.extent(axis)
            if extent.is_const and axis != grouped:
                dims.append(extent.value)
            else:
                dims.append(DYNAMIC)
                dynamic_dims.append(size if axis == grouped and size is not None else self.term(extent))
            stride = self.stride(tensor, axis)
            if isinstance(stride, int):
                strides.append(stride)
            else:
                strides.append(DYNAMIC)
                dynamic_strides.append(stride)
        op = MakeTensorViewOp(base, TensorViewType(type_.element, dims, strides), dynamic_dims, dynamic_strides)
        found = self.tensors[tensor] = at.value(op, identifier(f"{self.name(tensor)}_view"))
        return found

    def view(
        self, tensor: SSAValue, shape: tuple[int, ...], steps: tuple[int, ...], padding: PaddingValueAttr | None
    ) -> SSAValue:
        """The view of a tensor as tiles of `shape`, `steps` apart; one for equal arguments.

        Where the launcher guarantees that no tile overhangs, padding is left out.
        """
        if padding is not None and shape == steps and self.tiled_exactly(tensor, shape):
            padding = None
        key = (tensor, shape, steps, padding)
        if (found := self.views.get(key)) is None:
            whole = self.tensor_view(tensor)
            type_ = cast(TensorViewType, whole.type)
            if shape == steps:
                op = MakePartitionViewOp(whole, PartitionViewType(shape, type_, padding=padding))
            else:
                op = MakeStridedViewOp(whole, StridedViewType(shape, steps, type_, padding=padding))
            at = self.places.get(tensor, self.top)
            found = self.views[key] = at.value(op, identifier(f"{self.name(tensor)}_tiles"))
        return found

    def name(self, tensor: SSAValue) -> str:
        """The user's name of a tensor, of a window that has none that of its argument."""
        argument = argument_of(tensor)
        return users_name(tensor) or argument_name(argument, self.positions[argument])

    def tiled_exactly(self, tensor: SSAValue, shape: tuple[int, ...]) -> bool:
        """Whether every extent is known to be a multiple of the tile's."""
        if tensor in self.groups:
            return False
        type_ = tensor_type(tensor)
        extents = [type_.extent(axis) for axis in range(type_.rank)]
        return all(
            (e.value if e.is_const else self.divisors.get(e, 1)) % t == 0 for e, t in zip(extents, shape, strict=True)
        )

    def place(self, region: SSAValue) -> tuple[SSAValue, tuple[SSAValue, ...]]:
        """Of what a region is a tile, its tensor or its group, and at which index."""
        index = self.coordinates(region)
        return (region, index[1:]) if region in self.groups else (tensor_of(region), index)

    def coordinates(self, region: SSAValue) -> tuple[SSAValue, ...]:
        """Where a region lies."""
        if (found := self.regions.get(region)) is None:
            raise PassFailedException(f"{self.kernel.sym_name.data}: a region has left the place where it was taken")
        return found

    def message(self, op: Operation, what: str) -> str:
        """
        What the driver prints when an assertion fails. Lines count from that of the kernel: the code does not depend on
        where its source lies.
        """
        span, kernel = span_of(op), span_of(self.kernel)
        while span is not None and span.call_site is not None:
            span = span.call_site
        where = "" if span is None or kernel is None else f" (line {span.line - kernel.line + 1} of the kernel)"
        return f"{self.kernel.sym_name.data}: {what}{where}"


Patterns = dict[type[Operation], Callable[[Conversion, Any, Inserter], bool]]
"""What stands for each kind of operation: a pattern inserts it in front of one, and says whether that is erased."""

_FAILURES: Final = tile((), PointerType(i64))
_POSITIVE: Final = BoundedAttr(1, None)
_NOT_NEGATIVE: Final = BoundedAttr(0, None)


@cache
def _divisible_by(divisor: int) -> DivByAttr:
    return DivByAttr(divisor)


def count_of_tiles(extent: Term, size: int, passed: Collection[Term]) -> Term:
    """The number of tiles that cover an extent, as a term that is made of what a launch passes."""

    def known(t: Term) -> bool:
        return t.is_const or t in passed or (bool(t.args) and all(map(known, t.args)))

    count = terms.ceildiv(extent, terms.const(size))
    return count if known(count) else Term("ceildiv", (extent, terms.const(size)))


def identifier(name: str) -> str | None:
    """A name as that of a value in text, if it can be one."""
    return name if name.isidentifier() else None
