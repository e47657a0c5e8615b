"""What is used as an operand: elements of tuples, known integers, tiles in another shape; reports of what cannot be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import is_dataclass
from typing import Final

from freehold.dialects.cuda_tile.ops.shape import PermuteOp, ReshapeOp
from freehold.frontend import advice, advice_on_values, errors
from freehold.frontend.context import Context
from freehold.frontend.syntax import core
from freehold.frontend.syntax.text import primary
from freehold.frontend.values import (
    Absent,
    Poison,
    Static,
    TileValue,
    TupleValue,
    Value,
    describe,
    is_poison,
    is_record_class,
    static_of,
)


def elements(c: Context, nodes: Sequence[core.Expr]) -> list[Value]:
    """The values of a tuple's or call's elements, starred ones taken apart."""
    items: list[Value] = []
    for item in nodes:
        if isinstance(item, core.Starred):
            value = c.lower(item.value)
            if isinstance(value, TupleValue):
                items += value.items
            elif not isinstance(value, Poison):
                error = errors.Unsupported(
                    c.span(item), what=f"`*` of {describe(value)}", why="only a tuple can be taken apart"
                )
                c.error(error.add(error.Instead("write the values out")))
        else:
            items.append(c.lower(item))
    return items


def host_value(c: Context, node: core.Expr, value: object) -> Poison:
    """Reports the use of a host object that a kernel cannot see."""
    error = errors.HostValue(c.span(node), name=c.text(node), what=describe(Static(value)))
    if hasattr(value, "item") and getattr(value, "shape", None) == ():  # a number of NumPy, or a tensor of one
        error.add(error.Instead(f"make it a number of Python's, by the host: `{c.text(node)}.item()`"))
    elif hasattr(value, "__dlpack__") or hasattr(value, "__array__"):
        error.add(error.Instead(f"pass it as an argument: `{c.text(node)}: Ref`"))
    elif is_dataclass(value) and not is_record_class(value if isinstance(value, type) else type(value)):
        error.add(error.Instead("make its class immutable: `@dataclass(frozen=True)`"))
    elif (edit := advice.of_host(value, c.text(node))) is not None:
        error.add(error.Instead(edit))
    return c.error(error)


def known_int(c: Context, node: core.Expr, what: str) -> int | None:
    """The value of an expression that must be a compile-time integer, or None after reporting."""
    value = c.lower(node)
    if isinstance(value, Static) and isinstance(value.value, int) and not isinstance(value.value, bool):
        return value.value
    if not is_poison(value):
        not_constant(c, node, value, what)
    return None


ASSERTED: Final = "the condition of a static assertion"


def not_constant(c: Context, node: core.Expr, value: Value, what: str) -> Poison:
    """Reports a value that is not known at compile time where one is needed, or is of another type."""
    if static_of(value) is not None:
        why = "an integer is needed"
        error = errors.WrongValue(c.span(node), what=describe(value), role=what, why=why)
        if isinstance(node, core.Constant) and isinstance(node.value, float) and node.value.is_integer():
            error.add(error.Instead(f"write it without a point: `{int(node.value)}`", at=c.span(node)))
        elif isinstance(node, core.BinOp) and node.op == "/":
            parts = (primary(c.text(n)) for n in (node.left, node.right))
            edit = f"divide and round down: `{' // '.join(parts)}`"
            error.add(error.Instead(edit, at=c.span(node)))
    elif isinstance(value, TileValue):
        error = errors.NotConstant(c.span(node), what=what, why="this is known when the kernel runs")
        parameter = next((p for p in _scalars(c) if isinstance(node, core.Name) and p == node.id), None)
        if parameter is not None:
            error.add(error.MakeConst(parameter, "int", at=advice_on_values.annotated(c, parameter)))
        elif what == "a shape" and (shape := advice_on_values.of_shape(c, node)) is not None:
            error.add(error.Instead(shape.text, at=shape.at(c)))
        elif what == ASSERTED:
            test = c.text(node)
            error.add(error.Instead(f"ask it of the launch, if it knows the answer: `fh.require({test})`"))
            error.add(error.Instead(f"or check it as the kernel runs: `assert {test}`"))
        elif what == "the index of a tuple":
            error.add(
                error.Instead("walk over the tuple itself: `for item in items:`, or count by `fh.static_range(...)`")
            )
        elif isinstance(node, core.Subscript) and isinstance(node.value, core.Attribute) and node.value.attr == "shape":
            tensor, axis = c.text(node.value.value), c.text(node.slice)
            error.add(
                error.Instead(
                    f"loop over tiles of a fixed extent: `for k in fh.tiles({tensor}, axis={axis}, size=64):`"
                )
            )
            error.add(error.Instead("or give the extent as a compile-time parameter: `EXTENT: Const[int]`"))
    else:
        error = errors.NotConstant(c.span(node), what=what, why=f"this is {describe(value)}")
    return c.error(error)


def absent(c: Context, value: Absent, node: core.Node) -> Poison:
    """Reports that a tensor is used which a launch does not give: an attribute of it is asked for, or its elements."""
    error = errors.TensorAbsent(c.span(node), name=value.name)
    kernel = c.frame
    while kernel.caller is not None:
        kernel = kernel.caller
    declared = next((p for p in kernel.function.parameters if p.name == value.name), None)
    if declared is not None:
        error.add(error.Declared(kernel.span(declared.place)))
    asked = node if isinstance(node, core.Attribute) else None
    guarded = None if asked is None else advice.conditional(c, asked)
    if asked is not None and guarded is not None:
        edit = f"if {c.text(asked.value)} is not None: {c.text(guarded)}"
        error.add(error.Guard(edit, at=c.span(guarded)))
    elif asked is not None:
        error.add(error.Choose(c.text(advice.call_of(c, asked) or asked)))
    else:
        error.add(error.Choose(f"{value.name}.load(index, shape)"))
    return c.error(error)


def _scalars(c: Context) -> list[str]:
    frame = c.frame
    if not frame.is_kernel:
        return []
    return [p.name for p in frame.function.parameters]


def reshape(c: Context, tile: TileValue, shape: tuple[int, ...]) -> TileValue:
    """`tile` under another shape of as many elements."""
    return tile if shape == tile.shape else c.tile(tile.dtype, shape, ReshapeOp, tile, shape)


def permute(c: Context, tile: TileValue, axes: tuple[int, ...]) -> TileValue:
    """`tile` with its axes permuted."""
    if axes == tuple(range(len(axes))):
        return tile
    return c.tile(tile.dtype, tuple(tile.shape[a] for a in axes), PermuteOp, tile, axes)
