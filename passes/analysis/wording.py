"""How verifiers name things in the user's words: tensors, numbers of unknown value, places in tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from freehold.dialects.classes import nth, operands_of
from freehold.dialects.cuda_tile.ops.arith_int import AddIOp, DivIOp
from freehold.dialects.cuda_tile.ops.control_flow import ForOp, IfOp, LoopOp
from freehold.dialects.cuda_tile.ops.shape import ConstantOp
from freehold.dialects.names import users_name
from freehold.dialects.ownership import (
    AccessOp,
    AccType,
    AccumulatorOp,
    BorrowOp,
    DistributeOp,
    ExposeOp,
    GroupTilesOp,
    KernelOp,
    PartitionOp,
    PartitionType,
    RawType,
    RefType,
    RegionOp,
    RegionType,
    StartOp,
    StopOp,
    TensorType,
    WindowOp,
)

_OF_TENSORS: Final = (RegionOp, PartitionOp, BorrowOp, AccumulatorOp, ExposeOp)
OWNERSHIP_TYPES = (TensorType, RefType, AccType, RawType, PartitionType, RegionType)


def tensor_of(value: SSAValue) -> SSAValue:
    """The tensor, an argument or a window, that `value` lends, partitions, or is a region of."""
    while isinstance(owner := value.owner, _OF_TENSORS):
        value = nth(operands_of(owner), 0)
    return value


def name_of(value: SSAValue) -> str:
    """The user's name of the tensor behind a value."""
    tensor = tensor_of(value)
    while tensor.name_hint is None and isinstance(owner := tensor.owner, WindowOp):
        tensor = owner.tensor
    if (name := users_name(tensor)) is not None:
        return name
    return f"argument{tensor.index}" if isinstance(tensor, BlockArgument) else "a tensor"


def access_text(op: AccessOp) -> str:
    """An access in the user's words."""
    return f"this {op.CALLED} `{name_of(op.memory)}`"


def called(op: Operation) -> str:
    """An operation's name in the text, also of one that nobody has registered."""
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


def what_is(value: SSAValue) -> str:
    """What kind of ownership a value is."""
    match value.type:
        case TensorType():
            return "a tensor"
        case RefType():
            return "a borrow"
        case AccType():
            return "an accumulator"
        case RawType():
            return "a raw tensor"
        case PartitionType():
            return "a partition"
        case RegionType():
            return "a region"
        case _:
            return "a value"


FROM_MEMORY = "is read from memory"


def is_named(value: SSAValue) -> bool:
    """Whether a number has a name that the user gave it, or that says where it comes from."""
    return value.name_hint is not None or isinstance(value, BlockArgument)


def why_unknown(value: SSAValue) -> str:
    """Why nothing but the type of a number is known, as the end of a sentence about it."""
    owner = value.owner
    if isinstance(owner, Operation):
        match owner:
            case ForOp() | LoopOp():
                return "is what a loop leaves behind"
            case IfOp():
                return "depends on a branch"
            case GroupTilesOp() | StartOp() | StopOp():
                return "depends on where a group begins and ends"
            case _ if _from_memory(value):
                return FROM_MEMORY
            case _:
                return "is computed in a way that may wrap, or that the prover does not follow"
    match owner.parent_op():
        case KernelOp():
            return "is a scalar argument"
        case DistributeOp():
            return "is a coordinate of the point"
        case ForOp() as loop if isinstance(value, BlockArgument) and value.index == 0:
            divisor = _rounded_up_by_a_sum(loop.upperBound)
            if divisor is not None:
                return f"counts up to a quotient of a sum that may wrap around; `fh.cdiv(n, {divisor})` has no sum"
            return "counts the turns of a loop"
        case ForOp() | LoopOp():
            return "changes from turn to turn of a loop"
        case _:
            return "is not known"


def _rounded_up_by_a_sum(value: SSAValue) -> int | None:
    """The `d` of a value that is `(n + d - 1) // d`."""
    quotient = value.owner
    if not isinstance(quotient, DivIOp) or not isinstance(quotient.lhs.owner, AddIOp):
        return None
    divisor = _constant(quotient.rhs)
    found = [_constant(operand) for operand in quotient.lhs.owner.operands]
    return divisor if divisor is not None and divisor - 1 in found else None


def _constant(value: SSAValue) -> int | None:
    owner = value.owner
    return int(owner.value.splat_value) if isinstance(owner, ConstantOp) and owner.value.is_splat else None


def _from_memory(value: SSAValue) -> bool:
    seen: set[SSAValue] = set()
    todo = [value]
    while todo:
        owner = todo.pop().owner
        if isinstance(owner, AccessOp):
            return True
        if isinstance(owner, Operation):
            todo += (o for o in owner.operands if o not in seen)
            seen.update(owner.operands)
    return False


def sizes(values: Mapping[str, int]) -> str:
    """Values of symbols: `M = 3, N = 8`."""
    return ", ".join(f"{name} = {value}" for name, value in values.items())


def tuple_text(values: Sequence[int]) -> str:
    """Coordinates of a block: `3`, or `(0, 1)`."""
    return str(values[0]) if len(values) == 1 else f"({', '.join(map(str, values))})"


def span_text(starts: Sequence[int], ends: Sequence[int]) -> str:
    """Half-open ranges of elements by axis: `64 .. 128, 0 .. 32`."""
    return ", ".join(f"{a} .. {b}" for a, b in zip(starts, ends, strict=True))
