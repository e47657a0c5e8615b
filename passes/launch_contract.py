"""What a launch must respect, read off a kernel's verified module: the entry point's parameters, the grid, the checks.

The converter gives the entry exactly the parameters listed here and the launcher passes exactly those, so the two
cannot drift apart. `print-launch-contract` shows the contract in front of the module, for tests and for the curious.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from freehold.dialects.classes import ops_of
from freehold.dialects.cuda_tile.types import TileType, element_name
from freehold.dialects.location import span_of
from freehold.dialects.names import users_name
from freehold.dialects.ownership import (
    AccessOp,
    AccumulatorOp,
    Action,
    BlocksKind,
    CheckOp,
    DistributeOp,
    Duty,
    DutyAttr,
    ExposeOp,
    KernelOp,
    PartitionOp,
    PartitionType,
    RequireOp,
    Rung,
    TensorType,
    WindowOp,
    kernels_of,
    scalar_symbols,
    tensor_type,
)
from freehold.passes.analysis.wording import name_of
from freehold.passes.verify_duties import Record, recorded, require_discharged
from freehold.support import terms
from freehold.support.contract import (
    Checks,
    EntryParameter,
    KernelCheck,
    LaunchCheck,
    LaunchContract,
    Mode,
    ScalarParameter,
    TensorParameter,
)
from freehold.support.terms import Term


def kernel_of(module: ModuleOp) -> KernelOp:
    """The one kernel of a module. Raises `PassFailedException` where there is none, or more than one."""
    kernels = kernels_of(module)
    if len(kernels) != 1:
        raise PassFailedException(f"a module to be launched holds one ownership.kernel, not {len(kernels)}")
    return kernels[0]


def distribution_of(kernel: KernelOp) -> DistributeOp:
    """The one distribution of a kernel. Raises `PassFailedException` where there is none, or more than one."""
    found = [op for op in ops_of(kernel.body.block) if isinstance(op, DistributeOp)]
    if len(found) != 1:
        raise PassFailedException(f"kernel @{kernel.sym_name.data} needs one ownership.distribute, not {len(found)}")
    return found[0]


def argument_name(argument: SSAValue, position: int) -> str:
    """The user's name of a kernel's argument."""
    return users_name(argument) or f"argument{position}"


def entry_parameters(
    kernel: KernelOp, checks: Checks = True, *, failing: bool | None = None
) -> tuple[EntryParameter, ...]:
    """The entry point's parameters: pointers, then extents, then strides, then scalars, then where failures go.

    Each distinct extent that is not a constant comes once, in order of first occurrence; behind them come extents of
    the domain, and lengths of windows, that are more than numbers of tiles, so that the kernel computes none of them;
    then the strides that only the launch knows. Pointers and scalars follow the kernel's arguments. Whether there are
    `kernel_checks` is found out, unless `failing` says it.
    """
    arguments = kernel.body.block.args
    tensors = [(n, a.type) for n, a in enumerate(arguments) if isinstance(a.type, TensorType)]
    pointers = [EntryParameter("pointer", n) for n, _ in tensors]
    terms = {str(extent): None for _, type_ in tensors for extent in type_.extents if not extent.is_const}
    terms |= {str(extent): None for extent in computed_extents(kernel)}
    extents = [EntryParameter("extent", term=text) for text in terms]
    strides = [
        EntryParameter("stride", n, axis)
        for n, type_ in tensors
        for axis, stride in enumerate(type_.layout.strides.data)
        if stride.data == 0
    ]
    scalars = [EntryParameter("scalar", n) for n, a in enumerate(arguments) if not isinstance(a.type, TensorType)]
    failing = bool(kernel_checks(recorded(kernel), checks)) if failing is None else failing
    failures = [EntryParameter("failures")] if failing else []
    return (*pointers, *extents, *strides, *scalars, *failures)


def kernel_checks(record: Record, checks: Checks = True) -> dict[tuple[Operation, int], KernelCheck]:
    """
    The checks of a verified kernel that tell of their failure, by operation and axis (-1 for a `check`), in the order
    of its text: their places are their numbers. `record` says how its duties are met.

    With `checks` "trap" there are none, for then they stop the GPU; without checks, indices are not among them.
    """
    found: dict[tuple[Operation, int], KernelCheck] = {}
    if checks == "trap":
        return found
    for op, duties in record:
        if isinstance(op, CheckOp):
            found[op, -1] = KernelCheck(op.message.data, op.shown, span_of(op))
        elif checks:
            for obligation in duties:
                if obligation.met[1] is Rung.KERNEL:
                    found[op, obligation.axis.data] = _index_check(op, obligation)
    return found


def _index_check(op: Operation, obligation: DutyAttr) -> KernelCheck:
    axis, memory = obligation.axis.data, op.operands[0]
    step = 0
    if isinstance(op, AccessOp):
        step, memory = op.steps[axis], op.memory
    name = name_of(memory)
    values = (("index", "i32"), ("count", "i32")) if step else (("start", "i32"), ("last", "i32"))
    if isinstance(op, PartitionOp):
        values = ("group", "i32"), ("groups", "i32")
    return KernelCheck(obligation.text, values, span_of(op), name, axis, step)


def computed_extents(kernel: KernelOp) -> list[Term]:
    """The extents of a kernel's windows and domain that are neither constants, nor those of an argument, nor numbers of
    tiles along an axis of one or the other."""
    arguments = [a.type for a in kernel.body.block.args if isinstance(a.type, TensorType)]
    plain = {extent for type_ in arguments for extent in type_.extents}
    windows = (op for op in ops_of(kernel.body.block) if isinstance(op, WindowOp))
    lengths = [w.result.type.extent(w.axis.data) for w in windows]
    lengths = [length for length in dict.fromkeys(lengths) if not length.is_const and length not in plain]
    plain |= {*lengths}
    return lengths + [
        extent
        for extent in distribution_of(kernel).extents
        if not extent.is_const
        and extent not in plain
        and not (extent.op == "ceildiv" and extent.args[0] in plain and extent.args[1].is_const)
    ]


def contract(module: ModuleOp, checks: Checks = True) -> LaunchContract:
    """The launch contract of a verified module with one kernel, which is converted with the same `checks`.

    Raises `PassFailedException` for any other module, and for a kernel of which a duty is open.
    """
    kernel = kernel_of(module)
    record = require_discharged(kernel)
    distribution, failing = distribution_of(kernel), kernel_checks(record, checks)
    return LaunchContract(
        symbol=kernel.sym_name.data,
        parameters=tuple(_parameter(kernel, n, a) for n, a in enumerate(kernel.body.block.args)),
        entry=entry_parameters(kernel, checks, failing=bool(failing)),
        grid=tuple(map(str, distribution.extents)),
        persistent=distribution.blocks.kind is BlocksKind.PERSISTENT,
        checks=_checks(kernel, record),
        blocks=distribution.blocks.count,
        kernel_checks=tuple(failing.values()),
    )


def _parameter(kernel: KernelOp, position: int, argument: BlockArgument) -> TensorParameter | ScalarParameter:
    name, type_ = argument_name(argument, position), argument.type
    dtype = kernel.dtype_names[position] if kernel.dtypes is not None else ""
    if isinstance(type_, TileType):
        symbol = scalar_symbols(kernel.body.block.args).get(argument, "")
        return ScalarParameter(name, dtype or dtype_name(type_.element_type), symbol)
    assert isinstance(type_, TensorType)
    layout = type_.layout
    return TensorParameter(
        name,
        _mode(argument),
        dtype or dtype_name(type_.element),
        tuple(map(str, type_.extents)),
        layout.align.data,
        tuple(i.data for i in layout.strides.data),
        tuple(i.data for i in layout.stride_divs.data),
        tuple(i.data for i in layout.extent_divs.data),
    )


def _mode(argument: SSAValue) -> Mode:
    """How an argument is used, by itself or by its windows: of an output's window, the rest stays as it is."""
    found: set[str] = set()
    for use in argument.uses:
        match use.operation:
            case WindowOp() as op:
                mode = _mode(op.result)
                found.add("partial" if mode == "out" else mode)
            case PartitionOp() as op if op.tensor is argument:
                type_ = op.result.type
                assert isinstance(type_, PartitionType)
                found.add(type_.access.data.value if type_.stored_first else "mut")
            case AccumulatorOp():
                found.add("acc")
            case ExposeOp():
                found.add("raw")
            case _:
                pass
    written: tuple[Mode, ...] = ("acc", "raw", "mut", "partial", "out")
    modes: list[Mode] = [mode for mode in written if mode in found]
    return modes[0] if modes else "ref"


def dtype_name(element: Attribute) -> str:
    """The dtype (`freehold.support.dtypes`) of an element type. Integers in IR have no sign: they are named signed."""
    name = element_name(element)
    return "bool_" if name == "i1" else name.lower()


def _checks(kernel: KernelOp, record: Record) -> tuple[LaunchCheck, ...]:
    found: dict[str, LaunchCheck] = {}
    for op in ops_of(kernel.body.block):
        if isinstance(op, RequireOp):
            text, message = str(op.condition), "" if op.message is None else op.message.data
            found.setdefault(text, LaunchCheck(text, message, span_of(op), required=True))
    for op, duties in record:
        for duty in duties:
            if duty.met[1] is Rung.LAUNCH and duty.predicate is not None:
                several = duty.duty is Duty.SAME_GRID  # of partitions, each of which may be wrong by itself
                for predicate in terms.conjuncts(duty.predicate) if several else (duty.predicate,):
                    text = str(predicate)
                    found.setdefault(text, LaunchCheck(text, _reason(op, duty, text), span_of(op)))
    return tuple(found.values())


def _reason(op: Operation, obligation: DutyAttr, text: str) -> str:
    axis = obligation.axis.data
    if obligation.duty is Duty.SAME_GRID and isinstance(op, DistributeOp):
        short = [p for p in op.partitions if tensor_type(p).rank <= axis]
        if text.endswith(" == 1") and (short or op.domain is not None):
            names = " and ".join(f"`{name_of(p)}`" for p in short or op.partitions)
            return f"blocks that differ along axis {axis} of the grid alone would share regions of {names}"
        names = " and ".join(f"`{name_of(p)}`" for p in op.partitions)
        return f"{names} are partitioned into as many regions"
    if obligation.duty is Duty.COVERED:
        return f"every region of `{name_of(op.operands[0])}` is taken by a block"
    if obligation.duty is Duty.DISJOINT:
        return f"no two regions of `{name_of(op.operands[0])}` overlap"
    if isinstance(op, WindowOp):
        return f"the window of `{name_of(op.tensor)}` lies inside it along axis {axis}"
    assert isinstance(op, AccessOp)
    verb = "is loaded" if op.ACTION is Action.READ else "lies"
    return f"every tile of `{name_of(op.memory)}` {verb} inside it along axis {axis}"


@dataclass(frozen=True)
class PrintLaunchContractPass(ModulePass):
    """Prints the launch contract, as comments in front of the module."""

    name = "print-launch-contract"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Prints; changes nothing."""
        print(describe(contract(op)))


def describe(found: LaunchContract) -> str:
    """A contract as lines of `//` comments."""
    lines = [f"// launch contract of @{found.symbol}"]
    for p in found.parameters:
        match p:
            case ScalarParameter():
                lines.append(f"//   scalar {p.name}: {p.dtype}")
            case TensorParameter():
                lines.append(
                    f"//   {p.mode} {p.name}: {p.dtype}[{', '.join(p.dims)}] align {p.align}"
                    f" strides {list(p.strides)} stride_divs {list(p.stride_divs)} extent_divs {list(p.extent_divs)}"
                )
    for n, e in enumerate(found.entry):
        match e.kind:
            case "pointer" | "scalar":
                what = found.parameters[e.argument].name
            case "stride":
                what = f"{found.parameters[e.argument].name}.strides[{e.axis}]"
            case "extent":
                what = e.term
            case "failures":
                what = f"of {len(found.kernel_checks)} {'checks' if len(found.kernel_checks) > 1 else 'check'}"
        lines.append(f"//   entry %{n}: {e.kind} {what}")
    lines.append(
        f"//   grid [{', '.join(found.grid)}]{' persistent' if found.persistent else ''}"
        f"{f' {found.blocks}' if found.blocks else ''}"
    )
    lines += [f"//   require {c.predicate}{': ' * bool(c.reason)}{c.reason}" for c in found.checks if c.required]
    lines += [f"//   check {c.predicate}: {c.reason}" for c in found.checks if not c.required]
    return "\n".join(lines)
