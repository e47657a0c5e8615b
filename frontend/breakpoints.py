"""Breakpoints: `breakpoint()` in a kernel, and for single steps the names that can be seen at each statement."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field
from enum import Enum
from types import FunctionType, ModuleType
from typing import cast

from freehold.dialects.ownership import BreakpointOp, Scope
from freehold.frontend import errors
from freehold.frontend.arguments import Arguments
from freehold.frontend.context import Context
from freehold.frontend.syntax import core
from freehold.frontend.typed import Var
from freehold.frontend.values import (
    NONE,
    Frame,
    RangeValue,
    RecordValue,
    Static,
    TensorValue,
    TileValue,
    TupleValue,
    Value,
    field_names,
    is_record_class,
    of_host,
)
from freehold.support.dtypes import DType


def breakpoint_(c: Context, a: Arguments) -> Value:
    """`breakpoint()`."""
    if c.folding:
        why = "it combines elements any number of times, in any order"
        error = errors.Unsupported(c.span(a.node), what="`breakpoint()` in a function that folds", why=why)
        return c.error(error.add(error.Instead("stop before or after the fold")))
    c.breakpoints.append(c.span(a.node))
    if c.stepping:
        body = c.block.body
        if body and body[-1].make is BreakpointOp:  # of this statement
            body[-1].drop()
        _stop(c, asked=True)
    return NONE


def before(c: Context, node: core.Stmt) -> None:
    """A place to stop, before a statement that the user has written."""
    if c.folding or not _is_written(node):
        return  # in no order, or not there
    with c.at(node):
        _stop(c, asked=False)


def _is_written(node: core.Stmt) -> bool:
    """Whether the user has written a statement: not what a `match` or a `return` in the middle has become."""
    match node:
        case core.Assign(targets=[core.Name(id=name)], value=value):
            ours = core.is_hidden(name) and name != core.RESULT
            return not (ours or isinstance(value, core.Anything) or _is_ours(value))
        case core.If():
            return not _is_ours(node.test)
        case core.Break():
            return not node.returns
        case _:
            return True


def _is_ours(node: core.Expr) -> bool:
    return isinstance(node, core.Name) and core.is_hidden(node.id)


def _stop(c: Context, *, asked: bool) -> None:
    written = _Written()
    scopes: list[Scope] = []
    frame: Frame | None = c.frame
    while frame is not None:
        names = {
            name: text
            for name, value in _visible(frame).items()
            if name.isidentifier() and (text := written.value(value)) is not None
        }
        line = frame.source.span(frame.function.place).line
        module = getattr(frame.host.function, "__module__", None) or "__main__"
        scopes.append(Scope(frame.name, module, line, tuple(names.items())))
        frame = frame.caller
    c.add(BreakpointOp, written.values, written.dtypes, scopes, asked=asked)


def _visible(frame: Frame) -> dict[str, Value]:
    """The variables that a function sees: its own, those of the functions around it, and what its closure holds."""
    found: dict[str, Value] = {}
    function = frame.host.function
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            found[name] = of_host(cell.cell_contents)
        except ValueError:  # not assigned yet
            continue
    around: list[Frame] = []
    outer: Frame | None = frame
    while outer is not None:
        around.append(outer)
        outer = outer.outer
    for each in reversed(around):
        found |= {name: value for name, value in each.variables.items() if not _is_old(each, name, value)}
    return found


def _is_old(frame: Frame, name: str, value: Value) -> bool:
    """Whether a value is one from before a loop that assigns the variable anew in each turn, and has not done so yet.

    Such a variable is not carried from turn to turn: nothing reads what an earlier turn made of it.
    """
    return any(name in frame.facts.loop(loop.node).assigned and loop.before.get(name) is value for loop in frame.loops)


@dataclass
class _Written:
    """Values as they would be written, with what is computed as operands."""

    values: list[Var] = field(default_factory=list[Var])
    dtypes: list[str] = field(default_factory=list[str])

    def value(self, value: Value) -> str | None:
        """A value; None for one that a debugger cannot show."""
        match value:
            case TileValue():
                return self.operand(value.var, value.dtype.name)
            case TupleValue(kind=type() as kind, items=items) | RecordValue(kind=kind, items=items):
                fields = self.items(items)
                return None if fields is None else f"record({kind.__module__!r}, {kind.__qualname__!r}, {fields})"
            case TupleValue():
                return self.items(value.items)
            case TensorValue():
                return self.tensor(value)
            case RangeValue() if (known := value.known) is not None:
                return repr(known)
            case Static():
                return self.host(value.value)
            case _:
                return None

    def operand(self, value: Var, dtype: str) -> str:
        """A value that the kernel computes."""
        if value in self.values:
            return f"_{self.values.index(value)}"
        self.values.append(value)
        self.dtypes.append(dtype)
        return f"_{len(self.values) - 1}"

    def items(self, items: tuple[Value, ...]) -> str | None:
        """Values in a tuple."""
        texts = [text for item in items if (text := self.value(item)) is not None]
        return f"({''.join(f'{text}, ' for text in texts)})" if len(texts) == len(items) else None

    def tensor(self, tensor: TensorValue) -> str:
        """A tensor, with where the point is in it."""
        index: tuple[TileValue, ...] = ()
        tile: tuple[int, ...] = ()
        if tensor.region is not None:
            index, tile = tensor.region.index, tensor.region.tile
        elif tensor.position is not None:
            index, tile = tensor.position.index, tensor.position.tile
        return f"tensor({self.operand(tensor.argument, tensor.spec.dtype.name)}, {self.items(index)}, {tile!r})"

    def host(self, value: object) -> str | None:
        """A value of the host's."""
        match value:
            case Enum():
                return _named(type(value).__module__, f"{type(value).__qualname__}.{value.name}")
            case None | bool() | int() | str() | bytes():
                return repr(value)
            case float():
                return repr(value) if math.isfinite(value) else f"float({str(value)!r})"
            case DType():
                return f"dtype({value.name!r})"
            case range():
                return repr(value)
            case ModuleType():
                return _named(value.__name__, "")
            case FunctionType() | type():
                return _named(value.__module__, value.__qualname__)
            case _ if is_record_class(type(value)):
                kind = type(value)
                fields = self.items(tuple(of_host(getattr(value, name, None)) for name in field_names(kind)))
                return None if fields is None else f"record({kind.__module__!r}, {kind.__qualname__!r}, {fields})"
            case _:
                return None


def _named(module: str, name: str) -> str | None:
    """What the host knows by a name in a module; None where it does not know it."""
    found: object = sys.modules.get(module)
    for part in name.split(".") if name else ():
        found = cast("object", getattr(found, part, None))
    return None if found is None else f"host({module!r}, {name!r})"
