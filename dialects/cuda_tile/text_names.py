"""Names of values that have none of their own: those that NVIDIA's tools give them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from xdsl.dialects.builtin import i1
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.types import element_name

_RESULTS: Final[Mapping[str, Sequence[str]]] = {
    "make_tensor_view": ("tview",),
    "make_partition_view": ("pview",),
    "make_strided_view": ("sview",),
    "make_gather_scatter_view": ("gsview",),
    "broadcast": ("bcast",),
    "reshape": ("reshape",),
    "for": ("for",),
    "reduce": ("reduce",),
    "get_tile_block_id": ("blockId_x", "blockId_y", "blockId_z"),
    "get_num_tile_blocks": ("gridSize_x", "gridSize_y", "gridSize_z"),
    "load_view_tko": ("tile", "result_token"),
    "load_ptr_tko": ("result", "result_token"),
    "atomic_cas_tko": ("result", "result_token"),
    "atomic_rmw_tko": ("result", "result_token"),
    "multimem_load_reduce_view_tko": ("reduced_values", "result_token"),
}
"""What the results of an operation are called, the first ones of them."""


def suggested_name(value: SSAValue) -> str | None:
    """What NVIDIA's tools call a value; None where they number it."""
    match value:
        case OpResult(op=op, index=index):
            return _of_result(op, index)
        case BlockArgument(block=block, index=index):
            return _of_argument(block, index)
        case _:
            return None


def _of_result(op: Operation, index: int) -> str | None:
    short = op.name.removeprefix("cuda_tile.")
    if short == "constant":
        value = op.properties.get("value")
        return _of_constant(value) if isinstance(value, DenseElementsAttr) else None
    if short == "assume":
        source = op.operands[0]
        inner = _of_result(source.op, source.index) if isinstance(source, OpResult) else None
        return "assume" if inner is None else f"assume_{inner}"
    names = _RESULTS.get(short, ())
    return names[index] if index < len(names) else None


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
    return f"cst_{int(number)}_{name}" if 0 <= number < 2**64 and number.is_integer() else f"cst_{name}"


def _of_argument(block: Block, index: int) -> str | None:
    op = block.parent_op()
    match None if op is None else op.name.removeprefix("cuda_tile."):
        case None:
            return None
        case "for":
            return "loopIdx" if index == 0 else f"iterArg{index - 1}"
        case "reduce":
            number = index // 2 if len(block.args) > 2 else ""
            return f"reduce_{'rhs' if index % 2 else 'lhs'}{number}"
        case _:
            return f"arg{_numbered_around(op) + index}"


def _numbered_around(op: Operation | None) -> int:
    """How many arguments of the blocks around an operation have numbers for names."""
    number = 0
    while op is not None and (block := op.parent) is not None:
        op = block.parent_op()
        if op is not None and op.name not in ("cuda_tile.for", "cuda_tile.reduce"):
            number += len(block.args)
    return number
