"""`convert-ownership-to-cuda-tile`: a verified kernel becomes an entry point in Tile IR.

Ownership is gone afterwards: a tensor is a pointer with extents and strides, a region is a tile of a view, a
distribution is arithmetic on the tile block's number. What the launch contract guarantees is told to the assembler by
`assume`, for it decides about tensor memory accesses by divisibility.

No integer arithmetic emitted here can wrap. Extents lie in [1, 2^31 - 1]; `ceildiv(x, d)` is `(x - 1) / d + 1`;
products of grid extents divide the number of points, which the launcher keeps below 2^31; `schedules.point` is asked
for the form whose intermediate values stay below that number; and the counter of a persistent loop is below the number
of points (at most 2^31 - 2^25) when the number of blocks (at most 2^24 - 1) is added.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, cast

from xdsl.context import Context
from xdsl.dialects.builtin import UNKNOWN_LOC, IntegerAttr, ModuleOp, i32, i64
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from freehold.dialects.cuda_tile.attrs import SIGNED, UNSIGNED, BoundedAttr, DivByAttr, PaddingValueAttr
from freehold.dialects.cuda_tile.ops.arith_int import (
    AddIOp,
    CmpIOp,
    DivIOp,
    MaxIOp,
    MinIOp,
    MulIOp,
    RemIOp,
    SubIOp,
)
from freehold.dialects.cuda_tile.ops.control_flow import AssertOp, ContinueOp, ForOp
from freehold.dialects.cuda_tile.ops.control_flow import ReturnOp as TileReturnOp
from freehold.dialects.cuda_tile.ops.conversion import ExtIOp
from freehold.dialects.cuda_tile.ops.memory import LoadPtrTkoOp, StorePtrTkoOp
from freehold.dialects.cuda_tile.ops.misc import AssumeOp
from freehold.dialects.cuda_tile.ops.module import EntryOp, GetNumTileBlocksOp, GetTileBlockIdOp, TileModuleOp
from freehold.dialects.cuda_tile.ops.shape import ConstantOp, OffsetOp, SelectOp
from freehold.dialects.cuda_tile.ops.views import (
    LoadViewTkoOp,
    MakePartitionViewOp,
    MakeStridedViewOp,
    MakeTensorViewOp,
    StoreViewTkoOp,
)
from freehold.dialects.cuda_tile.types import (
    DYNAMIC,
    PartitionViewType,
    PointerType,
    StridedViewType,
    TensorViewType,
    tile,
)
from freehold.dialects.location import span_of
from freehold.dialects.ownership import (
    INDEX,
    AccessOp,
    AccumulateAtOp,
    AccumulateOp,
    AccumulatorOp,
    Action,
    BlocksKind,
    BorrowOp,
    CheckOp,
    CoordinateOp,
    DimOp,
    DistributeOp,
    Duty,
    EndOp,
    ExposeOp,
    GatherOp,
    GroupTilesOp,
    KernelOp,
    LoadOp,
    LoadWindowOp,
    PartitionOp,
    RegionOp,
    RegionType,
    ReleaseOp,
    RequireOp,
    ReturnOp,
    Rung,
    StartOp,
    StopOp,
    StoreOp,
    TensorType,
    TilesOp,
    UnsafeLoadOp,
    UnsafeStoreOp,
    UnsafeSwapOp,
    UnsafeUpdateOp,
    WindowOp,
    kernels_of,
    tensor_type,
)
from freehold.passes import schedules
from freehold.passes.analysis.windows import argument_of
from freehold.passes.analysis.wording import tensor_of
from freehold.passes.element_accesses import ElementAccesses
from freehold.passes.group_lowering import GroupLowering
from freehold.passes.launch_contract import (
    argument_name,
    computed_extents,
    distribution_of,
    entry_parameters,
    kernel_checks,
    source_name,
)
from freehold.passes.rewriting import Dispatcher, Inserter, inline_behind
from freehold.passes.verify_duties import require_discharged
from freehold.support import terms
from freehold.support.contract import Checks, EntryParameter
from freehold.support.terms import Term

Checked = AccessOp | WindowOp
"""What may be checked in the kernel."""


@dataclass(frozen=True)
class ConvertOwnershipToCudaTilePass(ModulePass):
    """Turns verified ownership kernels into Tile IR entry points."""

    name = "convert-ownership-to-cuda-tile"

    checks: bool = True
    """Whether obligations met in the kernel become checks. Without them it is the unchecked build."""
    traps: bool = False
    """Whether checks are assertions, which stop the GPU, instead of `ownership.check`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replaces the kernels of each module by one `cuda_tile.module` there."""
        modules: dict[Block, TileModuleOp] = {}
        for kernel in kernels_of(op):
            block = kernel.parent
            assert block is not None
            if (module := modules.get(block)) is None:
                module = modules[block] = TileModuleOp(kernel.sym_name.data)
                module.location = kernel.location
                block.insert_op_before(module, kernel)
            entry = convert_kernel(kernel, checks="trap" if self.checks and self.traps else self.checks)
            block.erase_op(kernel)
            module.block.add_op(entry)


def convert_kernel(
    kernel: KernelOp, *, checks: Checks = True, parameters: Sequence[EntryParameter] | None = None
) -> EntryOp:
    """The entry point that does what `kernel` does; the kernel's body is consumed. `lower-checks` has to come.

    `parameters` are its `entry_parameters`, where they have been found.

    Raises `PassFailedException` for a kernel of which a duty is open.
    """
    require_discharged(kernel)
    return _Conversion(kernel, checks, parameters).run()


class _Conversion:
    def __init__(self, kernel: KernelOp, checks: Checks, parameters: Sequence[EntryParameter] | None):
        self.kernel = kernel
        self.checks = checks
        self.numbers = {key: number for number, key in enumerate(kernel_checks(kernel, checks))}
        """Of checks, by operation and axis."""
        self.entry = entry_parameters(kernel, checks, failing=bool(self.numbers)) if parameters is None else parameters
        self.body = kernel.body.block
        self.distribution = distribution_of(kernel)
        # Everything that holds for the whole launch is made in front of the kernel's first operation, when first asked
        # for.
        first = self.body.first_op
        assert first is not None
        self.top = Inserter(first, kernel.location)
        self.positions: dict[SSAValue, int] = {a: n for n, a in enumerate(self.body.args)}
        self.pointers: dict[int, SSAValue] = {}
        self.bases: dict[SSAValue, SSAValue] = {}
        """The base addresses of arguments, where they have been asked for, and of windows."""
        self.places: dict[SSAValue, Inserter] = {}
        """Where windows are made, and groups: what is made of them stands behind that."""
        self.groups: dict[SSAValue, tuple[int, SSAValue]] = {}
        """Of each region of a group, the axis along which there are groups, and how many elements the group has."""
        self.strides: dict[tuple[int, int], SSAValue] = {}
        self.extents: dict[Term, SSAValue] = {}
        self.divisors: dict[Term, int] = {}
        """What each extent is known to be a multiple of."""
        self.uniform: dict[Term, SSAValue] = {}
        self.constants: dict[int, SSAValue] = {}
        self.tensors: dict[SSAValue, SSAValue] = {}
        self.views: dict[tuple[object, ...], SSAValue] = {}
        self.regions: dict[SSAValue, tuple[SSAValue, ...]] = {}
        """The coordinates of each region."""
        elements, groups = ElementAccesses(self), GroupLowering(self)
        self.lower_group = groups.region
        self.dispatcher = Dispatcher(
            {
                GatherOp: elements.gather,
                LoadWindowOp: elements.load_window,
                AccumulateOp: elements.accumulate,
                AccumulateAtOp: elements.accumulate_at,
                UnsafeLoadOp: elements.unsafe_load,
                UnsafeStoreOp: elements.unsafe_store,
                UnsafeUpdateOp: elements.unsafe_update,
                UnsafeSwapOp: elements.unsafe_swap,
                AccumulatorOp: _erase,
                ExposeOp: _erase,
                WindowOp: self.window,
                BorrowOp: _erase,
                PartitionOp: groups.partition,
                GroupTilesOp: groups.group_tiles,
                StartOp: groups.start,
                StopOp: groups.stop,
                ReleaseOp: _erase,
                RequireOp: _erase,
                EndOp: _erase,
                RegionOp: self.region,
                CheckOp: self.check,
                CoordinateOp: self.coordinate,
                DimOp: self.dim,
                TilesOp: self.tile_count,
                LoadOp: self.load,
                StoreOp: self.store,
                DistributeOp: self.distribute,
                ReturnOp: self.leave,
            }
        )

    def run(self) -> EntryOp:
        """Converts everything."""
        kernel, body = self.kernel, self.body
        old = body.args
        types = self.declare(old)
        self.dispatcher.run(body)
        for argument in old:
            body.erase_arg(argument)
        entry = EntryOp(kernel.sym_name.data, types, kernel.detach_region(kernel.body), kernel.optimization_hints)
        entry.location = kernel.location
        entry.attributes.update(kernel.attributes)
        return entry

    def declare(self, old: Sequence[BlockArgument]) -> list[Attribute]:
        """Adds the entry's parameters, as the launch contract lists them, behind the kernel's; returns their types."""
        spelled: dict[str, Term] = {}
        for argument in old:
            if isinstance(type_ := argument.type, TensorType):
                for axis, extent in enumerate(type_.extents):
                    spelled[str(extent)] = extent
                    divisor = _power_of_two(type_.layout.extent_divs.data[axis].data)
                    self.divisors[extent] = max(self.divisors.get(extent, 1), divisor)
        spelled |= {str(extent): extent for extent in computed_extents(self.kernel)}
        types: list[Attribute] = []
        for p in self.entry:
            argument = old[p.argument] if p.argument >= 0 else None
            name = (p.term or p.kind) if argument is None else argument_name(argument, p.argument)
            type_: Attribute = INDEX if p.kind != "failures" else _FAILURES
            if argument is not None and p.kind != "stride":
                type_ = argument.type
                if isinstance(type_, TensorType):
                    type_ = tile((), PointerType(type_.element))
            location = self.kernel.location if argument is None else argument.location
            new = self.body.insert_arg(type_, len(self.body.args), location)
            new.name_hint = _identifier(f"{name}_stride{p.axis}" if p.kind == "stride" else name)
            types.append(type_)
            match p.kind:
                case "pointer":
                    self.pointers[p.argument] = new
                case "extent":
                    self.extents[spelled[p.term]] = new
                case "stride":
                    self.strides[p.argument, p.axis] = new
                case "scalar":
                    old[p.argument].replace_all_uses_with(new)
                case "failures":
                    pass  # for `lower-checks`, which knows it by its place
        return types

    # What holds for the whole launch

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

    def emit(self, wanted: Term, value: Callable[[Term], SSAValue], at: Inserter) -> SSAValue:
        """Arithmetic for the outermost operator of a term. No value in it is negative, and none wraps."""
        if wanted.op == "ceildiv":
            extent, size = wanted.args
            if size.is_const and self.divisors.get(extent, 1) % size.value == 0:
                return at.value(DivIOp(value(extent), value(size), UNSIGNED))
            last = at.value(SubIOp(value(extent), self.constant(1)))
            return at.value(AddIOp(at.value(DivIOp(last, value(size), UNSIGNED)), self.constant(1)))
        if wanted.op not in _ARITHMETIC:
            raise PassFailedException(f"{self.kernel.sym_name.data}: the kernel cannot compute {wanted}")
        left, right = (value(a) for a in wanted.args)
        return at.value(_ARITHMETIC[wanted.op](left, right))

    def pointer(self, tensor: SSAValue) -> SSAValue:
        """The base address of a tensor, an argument or a window."""
        if (found := self.bases.get(tensor)) is None:
            position = self.positions.get(tensor)
            if position is None:
                raise PassFailedException(f"{self.kernel.sym_name.data}: accesses a tensor that is no argument")
            align = tensor_type(tensor).layout.align.data
            found = self.bases[tensor] = self.assume(self.pointers[position], divisor=_power_of_two(align))
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
        divisor = _power_of_two(layout.stride_divs.data[axis].data)
        return self.assume(self.strides[self.positions[argument_of(tensor)], axis], positive=True, divisor=divisor)

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
        found = self.tensors[tensor] = at.value(op, _identifier(f"{self.name(tensor)}_view"))
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
            found = self.views[key] = at.value(op, _identifier(f"{self.name(tensor)}_tiles"))
        return found

    def name(self, tensor: SSAValue) -> str:
        """The user's name of a tensor, of a window that has none that of its argument."""
        argument = argument_of(tensor)
        return tensor.name_hint or argument_name(argument, self.positions[argument])

    def tiled_exactly(self, tensor: SSAValue, shape: tuple[int, ...]) -> bool:
        """Whether every extent is known to be a multiple of the tile's."""
        if tensor in self.groups:
            return False
        type_ = tensor_type(tensor)
        extents = [type_.extent(axis) for axis in range(type_.rank)]
        return all(
            (e.value if e.is_const else self.divisors.get(e, 1)) % t == 0 for e, t in zip(extents, shape, strict=True)
        )

    # Operations

    def distribute(self, op: DistributeOp, at: Inserter) -> bool:
        """One block a point: the point's coordinates from the block's number. Persistent blocks: a loop around that."""
        if op is not self.distribution:
            raise PassFailedException(f"{self.kernel.sym_name.data}: a distribution stands inside another operation")
        grid = op.extents
        first = at.value(GetTileBlockIdOp(), "block")
        body = op.body.block
        if op.blocks.kind is BlocksKind.EACH:
            # At most 2^24 - 1 points: groups of up to 128 rows cannot make any product overflow.
            narrow = op.order.size.data > 128
            coordinates = self.point(op, grid, first, at, narrow=narrow)
            inline_behind(body, op, coordinates)
            return True
        blocks = at.value(GetNumTileBlocksOp(), "blocks")
        loop = ForOp(first, self.term(schedules.count(grid)), blocks)
        loop.block.args[0].name_hint = "point"
        at.insert(loop)
        end = ContinueOp()
        end.location = op.location
        loop.block.add_op(end)
        coordinates = self.point(op, grid, loop.block.args[0], Inserter(end, op.location), narrow=True)
        for argument, value in zip(body.args, coordinates, strict=True):
            argument.replace_all_uses_with(value)
        for moved in list(body.ops):
            body.detach_op(moved)
            loop.block.insert_op_before(moved, end)
        self.dispatcher.visit(loop.block)
        return True

    def point(
        self, op: DistributeOp, grid: Sequence[Term], number: SSAValue, at: Inserter, *, narrow: bool
    ) -> list[SSAValue]:
        """The coordinates of point `number`. What does not depend on the number is computed once, at the top."""
        # By identity, for terms are slow to hash; equal ones that are not the same are merged later.
        known = {id(_NUMBER): number}
        varies: dict[int, bool] = {id(_NUMBER): True}

        def depends(wanted: Term) -> bool:
            if (found := varies.get(id(wanted))) is None:
                found = varies[id(wanted)] = any(depends(a) for a in wanted.args)
            return found

        def value(wanted: Term) -> SSAValue:
            if not depends(wanted):
                return self.term(wanted)
            if (found := known.get(id(wanted))) is None:
                found = known[id(wanted)] = self.emit(wanted, value, at)
            return found

        coordinates = schedules.point(op.order, _NUMBER, grid, narrow=narrow)
        result = [value(t) for t in coordinates]
        for argument, term, coordinate in zip(op.body.block.args, coordinates, result, strict=True):
            if depends(term) and coordinate.name_hint is None:
                coordinate.name_hint = argument.name_hint
        return result

    def window(self, op: WindowOp, at: Inserter) -> bool:
        """A window is a tensor that begins elsewhere. Where it is checked that it lies in its tensor, and does not, it
        is taken to begin where that does."""
        axis, start = op.axis.data, op.start
        if op.duty(Duty.IN_BOUNDS, axis).rung is Rung.KERNEL and self.checks:
            length = self.term(op.result.type.extent(axis))
            last = at.value(SubIOp(self.term(tensor_type(op.tensor).extent(axis)), length))  # the launcher saw: >= 0
            inside = at.value(CmpIOp("less_than_or_equal", start, last, UNSIGNED))
            start = self.guarded(start, inside, last, op, axis, at)
        base = self.moved(op.tensor, axis, start, at)
        align = _power_of_two(op.result.type.layout.align.data)
        self.bases[op.result] = self.assume(base, divisor=align, at=at)
        self.places[op.result] = at
        return True

    def guarded(
        self, index: SSAValue, inside: SSAValue, bound: SSAValue, op: Checked, axis: int, at: Inserter
    ) -> SSAValue:
        """An index that is checked to be inside; 0 where an assertion stops the GPU because it is not."""
        if self.checks != "trap":
            reads = isinstance(op, AccessOp) and op.ACTION is Action.READ
            number = self.numbers[op, axis]
            at.insert(CheckOp(inside, "", [index, bound], *_INDEX_VALUES, number, deferrable=reads))
            return at.value(SelectOp(inside, index, self.constant(0))) if reads else index
        name = source_name(op.memory if isinstance(op, AccessOp) else op.tensor)
        what = f"{'tile index' if isinstance(op, AccessOp) else 'window'} out of bounds: axis {axis} of {name}"
        at.insert(AssertOp(inside, self.message(op, what)))
        return at.value(SelectOp(inside, index, self.constant(0)))

    def grouped(self, op: PartitionOp, bad: SSAValue, count: SSAValue, valid: SSAValue, at: Inserter) -> None:
        """The check that offsets bound groups: of all of them, `bad` is the first that does not."""
        if self.checks == "trap":
            at.insert(AssertOp(valid, self.message(op, f"offsets bound no groups of {source_name(op.tensor)}")))
        elif self.checks:
            values = ("group", "groups"), ("i32", "i32")
            at.insert(CheckOp(valid, "", [bad, count], *values, self.numbers[op, op.result.type.ragged.data]))

    def region(self, op: RegionOp, at: Inserter) -> bool:
        """A region is its coordinates, in its tensor or in its group."""
        if op.result.type.partition.groups_axis is not None:
            self.lower_group(op, at)
            return True
        self.regions[op.result] = self.checked(op, at)
        return True

    def coordinate(self, op: CoordinateOp, at: Inserter) -> bool:
        """One of a region's coordinates."""
        op.result.replace_all_uses_with(self.coordinates(op.region)[op.axis.data])
        return True

    def dim(self, op: DimOp, at: Inserter) -> bool:
        """An extent."""
        op.result.replace_all_uses_with(self.term(tensor_type(op.source).extent(op.axis.data)))
        return True

    def tile_count(self, op: TilesOp, at: Inserter) -> bool:
        """How many tiles cover an axis."""
        count = terms.ceildiv(tensor_type(op.source).extent(op.axis.data), terms.const(op.size.data))
        op.result.replace_all_uses_with(self.term(count))
        return True

    def load(self, op: LoadOp, at: Inserter) -> bool:
        """A load through a view, unordered or after the token it waits for."""
        tensor = tensor_of(op.source)
        shape = steps = op.result.type.dims
        if isinstance(op.source.type, RegionType):
            steps = op.source.type.partition.steps
            tensor, index = self.place(op.source)
        else:
            index = self.checked(op, at)
        if shape:
            view = self.view(tensor, shape, steps, op.padding_value or _ZERO_PADDING)
            new = at.insert(LoadViewTkoOp(view, index, op.token, hints=op.hints))
        else:  # a view has axes
            new = at.insert(LoadPtrTkoOp(self.pointer(tensor), token=op.token, hints=op.hints))
        new.results[0].name_hint = op.result.name_hint
        op.result.replace_all_uses_with(new.results[0])
        if op.result_token is not None:
            op.result_token.replace_all_uses_with(new.result_token)
        return True

    def store(self, op: StoreOp, at: Inserter) -> bool:
        """A store through a view, unordered or after the token it waits for."""
        if not isinstance(op.target.type, RegionType):
            raise PassFailedException(f"{self.kernel.sym_name.data}: stores through a shared borrow")
        partition, (tensor, index) = op.target.type.partition, self.place(op.target)
        if index:
            view = self.view(tensor, partition.tile_shape, partition.steps, None)
            new = at.insert(StoreViewTkoOp(op.tile, view, index, op.token, hints=op.hints))
        else:
            new = at.insert(StorePtrTkoOp(self.pointer(tensor), op.tile, token=op.token, hints=op.hints))
        if op.result_token is not None:
            op.result_token.replace_all_uses_with(new.result_token)
        return True

    def leave(self, op: ReturnOp, at: Inserter) -> bool:
        """The end of the kernel."""
        end = at.insert(TileReturnOp())
        if end.location is UNKNOWN_LOC:  # text leaves the terminator out
            end.location = self.kernel.location
        return True

    def place(self, region: SSAValue) -> tuple[SSAValue, tuple[SSAValue, ...]]:
        """Of what a region is a tile, its tensor or its group, and at which index."""
        index = self.coordinates(region)
        return (region, index[1:]) if region in self.groups else (tensor_of(region), index)

    def coordinates(self, region: SSAValue) -> tuple[SSAValue, ...]:
        """Where a region lies."""
        if (found := self.regions.get(region)) is None:
            raise PassFailedException(f"{self.kernel.sym_name.data}: a region has left the place where it was taken")
        return found

    def checked(self, op: AccessOp, at: Inserter) -> tuple[SSAValue, ...]:
        """The index of an access, with a check for each axis whose bounds are checked in the kernel.

        An assertion orders nothing, a check of a read may be deferred, and an index out of range is undefined: so the
        access takes index 0 where the index is not inside, and is harmless whichever of the two comes first.
        """
        index, tensor, steps = op.places, tensor_type(op.memory), op.steps
        result = list(index)
        for obligation in op.owes:
            if obligation.duty is not Duty.IN_BOUNDS or obligation.rung is not Rung.KERNEL or not self.checks:
                continue
            axis = obligation.axis.data
            count = self.term(terms.ceildiv(tensor.extent(axis), terms.const(steps[axis])))
            # Read as unsigned, a negative index is larger than any count.
            inside = at.value(CmpIOp("less_than", index[axis], count, UNSIGNED))
            result[axis] = self.guarded(index[axis], inside, count, op, axis, at)
        return tuple(result)

    def check(self, op: CheckOp, at: Inserter) -> bool:
        """A check by its number, or an assertion."""
        if self.checks == "trap":
            at.insert(AssertOp(op.condition, self.message(op, op.message.data)))
            return True
        op.number = IntegerAttr(self.numbers[op, -1], i32)
        return False

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


_NUMBER: Final = terms.sym("$number")
"""The number of a point. No user's symbol is spelled like this."""

_INDEX_VALUES: Final = ("index", "count"), ("i32", "i32")
"""The names and dtypes of what the check of an index shows."""

_FAILURES: Final = tile((), PointerType(i64))
_ZERO_PADDING: Final = PaddingValueAttr.of("zero")
_POSITIVE: Final = BoundedAttr(1, None)


@cache
def _divisible_by(divisor: int) -> DivByAttr:
    return DivByAttr(divisor)


def _unsigned(kind: type[DivIOp | RemIOp | MinIOp | MaxIOp]) -> Callable[[SSAValue, SSAValue], Operation]:
    return lambda left, right: kind(left, right, UNSIGNED)


_ARITHMETIC: Final[dict[str, Callable[[SSAValue, SSAValue], Operation]]] = {
    "+": AddIOp,
    "-": SubIOp,
    "*": MulIOp,
    "//": _unsigned(DivIOp),
    "%": _unsigned(RemIOp),
    "min": _unsigned(MinIOp),
    "max": _unsigned(MaxIOp),
}


def _erase(op: Operation, at: Inserter) -> bool:
    return True


def _power_of_two(divisor: int) -> int:
    """The largest power of two that divides `divisor`: all that `assume` can say."""
    return divisor & -divisor


def _identifier(name: str) -> str | None:
    return name if name.isidentifier() else None
