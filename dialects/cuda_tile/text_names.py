"""Names of values that have none of their own: those that NVIDIA's tools give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from xdsl.dialects.builtin import i1
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.types import element_name

_RESULTS: Final[Mapping[str, str]] = {
    "make_tensor_view": "tview",
    "make_partition_view": "pview",
    "make_strided_view": "sview",
    "make_gather_scatter_view": "gsview",
    "broadcast": "bcast",
    "reshape": "reshape",
    "for": "for",
    "reduce": "reduce",
}
"""What the first result of an operation is called."""


def suggested_name(value: SSAValue) -> str | None:
    """What NVIDIA's tools call a value; None where they number it."""
    match value:
        case OpResult(op=op, index=0):
            return _of_result(op)
        case BlockArgument(block=block, index=index):
            return _of_argument(block, index)
        case _:
            return None


def _of_result(op: Operation) -> str | None:
    short = op.name.removeprefix("cuda_tile.")
    if short == "constant":
        value = op.properties.get("value")
        return _of_constant(value) if isinstance(value, DenseElementsAttr) else None
    if short == "assume":
        source = op.operands[0]
        inner = _of_result(source.op) if isinstance(source, OpResult) and source.index == 0 else None
        return "assume" if inner is None else f"assume_{inner}"
    return _RESULTS.get(short)


def _of_constant(value: DenseElementsAttr) -> str:
    element = value.type.element_type
    name = element_name(element)
    number = value.splat_value if value.is_splat else None
    if element == i1:
        return "cst_i1" if number is None else "true" if number else "false"
    if number is None:
        return f"cst_{name}"
    if isinstance(number, int):
        return f"cst_{number}_{name}"
    if number != number:
        return f"cst_NaN_{name}"
    return f"cst_{int(number)}_{name}" if 0 <= number < 2**64 and number == int(number) else f"cst_{name}"


def _of_argument(block: Block, index: int) -> str | None:
    op = block.parent_op()
    match None if op is None else op.name.removeprefix("cuda_tile."):
        case "entry":
            return f"arg{index}"
        case "for":
            return "loopIdx" if index == 0 else f"iterArg{index - 1}"
        case "reduce":
            number = index // 2 if len(block.args) > 2 else ""
            return f"reduce_{'rhs' if index % 2 else 'lhs'}{number}"
        case _:
            return None
