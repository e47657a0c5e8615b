"""Runs one operation on tiles, or a module written as text: what the interpreter's tests are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
    IntegerType,
    ModuleOp,
    UnitAttr,
)
from xdsl.ir import Attribute, Block

from freehold.dialects.cuda_tile import CudaTile
from freehold.dialects.cuda_tile.attrs import (
    ComparisonOrderingAttr,
    ComparisonPredicateAttr,
    IntegerOverflowAttr,
    RoundingModeAttr,
    SignednessAttr,
)
from freehold.dialects.cuda_tile.types import fnv8E5M3FNU, tile
from freehold.runtime.interpreter.compile import Compiler
from freehold.runtime.interpreter.elements import by_name, to_f64
from freehold.runtime.interpreter.table import EFFECTS, PURE
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

TYPES: dict[str, Attribute] = {
    **{f"i{n}": IntegerType(n) for n in (1, 4, 8, 16, 32, 64)},
    "f16": Float16Type(),
    "bf16": BFloat16Type(),
    "f32": Float32Type(),
    "tf32": FloatTF32Type(),
    "f64": Float64Type(),
    "f8E4M3FN": Float8E4M3FNType(),
    "f8E5M2": Float8E5M2Type(),
    "f8E8M0FNU": Float8E8M0FNUType(),
    "f4E2M1FN": Float4E2M1FNType(),
    "fnv8E5M3FNU": fnv8E5M3FNU,
}
"""Every element type by its name."""

OPS = {op.name: op for op in CudaTile.operations}
"""Every operation of the lowered dialect by its name."""

_KEYWORDS: dict[str, Any] = {
    "rounding_mode": RoundingModeAttr,
    "rounding": RoundingModeAttr,
    "signedness": SignednessAttr,
    "signedness_lhs": SignednessAttr,
    "signedness_rhs": SignednessAttr,
    "overflow": IntegerOverflowAttr,
    "comparison_predicate": ComparisonPredicateAttr,
    "comparison_ordering": ComparisonOrderingAttr,
}

Tile = tuple[str, Any]
"""A tile of a test: the name of its element, and its values as an array of that element's dtype."""


def _attribute(name: str, value: str | bool | Attribute) -> Attribute:
    if isinstance(value, Attribute):
        return value
    return UnitAttr() if isinstance(value, bool) else _KEYWORDS[name].of(value)


def evaluate(
    name: str,
    operands: Sequence[Tile],
    element: str | None = None,
    shape: tuple[int, ...] | None = None,
    *,
    checked: bool = False,
    verify: bool = True,
    **properties: str | bool | Attribute,
) -> Any:
    """The result of one operation: of the first operand's element and shape unless these are given."""
    types = [tile(tuple(np.shape(values)), TYPES[e]) for e, values in operands]
    block = Block(arg_types=types)
    first_element, first_shape = (operands[0][0], np.shape(operands[0][1])) if operands else ("", ())
    result = tile(tuple(first_shape if shape is None else shape), TYPES[element or first_element])
    op = OPS[f"cuda_tile.{name}"].create(
        operands=block.args,
        result_types=[result],
        properties={key: _attribute(key, value) for key, value in properties.items() if value is not False},
    )
    block.add_op(op)
    if verify:
        op.verify()
    compiler = Compiler(PURE, EFFECTS, checked=checked)
    slots = compiler.slots(block.args)
    step = compiler.operation(op)
    frame = list(compiler.template)
    for slot, (_, values) in zip(slots, operands, strict=True):
        frame[slot] = values if np.ndim(values) else np.asarray(values)[()]
    if step is not None:
        with np.errstate(all="ignore"):
            step(frame)
    value = frame[compiler.slot(op.results[0])]
    wanted = by_name(element or first_element).dtype
    assert np.asarray(value).dtype == wanted, f"{name} yields {np.asarray(value).dtype}, not {wanted}"
    assert np.shape(value) == result.dims, f"{name} yields shape {np.shape(value)}, not {result.dims}"
    return value


def array(element: str, values: Any) -> Any:
    """Numbers as a tile of an element; floats are rounded to nearest, integers wrap."""
    e = by_name(element)
    if e.is_float:
        if element == "fnv8E5M3FNU":
            return np.asarray(values, np.uint8)
        return np.asarray(values, np.float64).astype(e.dtype)
    if element == "i1":
        return np.asarray(values).astype(np.bool_)
    return (
        np.asarray([int(v) & (1 << e.bits) - 1 for v in np.asarray(values, object).reshape(-1)], np.uint64)
        .astype(e.dtype)
        .reshape(np.shape(values))
    )


def values(element: str, tile_: Any) -> Any:
    """The numbers of a float tile, in double precision."""
    with np.errstate(all="ignore"):  # a NaN is a value here
        return to_f64(np.asarray(tile_), by_name(element))


def parse(text: str, name: str = "test.mlir") -> ModuleOp:
    """A module from its text, verified."""
    module = parse_module(make_context(), text, name)
    module.verify()
    return module
