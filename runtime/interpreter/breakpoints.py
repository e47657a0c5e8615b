"""
Breakpoints: where a run stops, what of it can be seen there, and who is asked.

What is asked is what Python's `breakpoint()` asks: `sys.breakpointhook`, and by default `PYTHONBREAKPOINT`. Python's
own debugger is replaced by one that steps through a kernel (`debugger`); any other is called in a frame that has the
kernel's file, line and variables, so that it can look at these.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from types import CodeType, FrameType, FunctionType, GeneratorType
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from freehold.dialects.location import span_of
from freehold.dialects.ownership import BreakpointOp, Scope
from freehold.runtime.interpreter.elements import Array, by_name, to_f64
from freehold.runtime.interpreter.windows import Window
from freehold.support.dtypes import BY_NAME
from freehold.support.locks import mutex

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from freehold.runtime.interpreter.compile import Compiler, Effect, Frame, Step
    from freehold.runtime.interpreter.debugger import Debugger
    from freehold.runtime.interpreter.machine import Machine

_asking: Final = mutex()
"""Held while somebody is asked: there is one terminal."""


class Tensor(np.ndarray[Any, Any]):
    """A tensor of a kernel as a debugger shows it: a NumPy array that cannot be written."""

    index: tuple[int, ...]
    """The point's place in it."""
    tile: tuple[int, ...]
    """The shape of a region of it."""

    def __array_finalize__(self, obj: object) -> None:
        self.index = getattr(obj, "index", ())
        self.tile = getattr(obj, "tile", ())


@dataclass
class Stop:
    """A place where a run may stop."""

    op: BreakpointOp
    slots: list[int]
    codes: list[CodeType] = field(default_factory=list[CodeType])
    """A function for each scope, once they are needed: its variables are its parameters."""

    @property
    def asked(self) -> bool:
        """Whether the statement is a breakpoint of the user's."""
        return self.op.asked is not None

    @property
    def depth(self) -> int:
        """How many functions are being run."""
        return len(self.op.scopes)

    @property
    def place(self) -> tuple[str, int]:
        """The file and the line of the statement."""
        span = span_of(self.op)
        return ("<kernel>", 1) if span is None else (span.file, span.line)

    def places(self) -> list[tuple[str, int]]:
        """The file and line of each scope: of the statement, and of the calls that lead to it."""
        found = [self.place]
        span = span_of(self.op)
        while span is not None and (span := span.call_site) is not None:
            found.append((span.file, span.line))
        return (found + found[-1:] * self.depth)[: self.depth]

    def frames(self, v: Frame) -> list[Suspended]:
        """The functions that are being run, the outermost first, with the values of their variables."""
        scopes = self.op.read()
        if not self.codes:
            pairs = zip(scopes, self.places(), strict=True)
            self.codes = [_code(scope, *place) for scope, place in pairs]
        operands = [_shown(v[slot], d.data) for slot, d in zip(self.slots, self.op.dtypes, strict=True)]
        found: list[Suspended] = []
        for scope, code in zip(scopes, self.codes, strict=True):
            values = {name: _value(text, operands) for name, text in scope.names}
            module = sys.modules.get(scope.module)
            found.append(suspended(code, {} if module is None else vars(module), values))
        return found[::-1]


Suspended = Generator[None, Callable[[], object], None]
"""A function that stands at a line, and calls there what it is sent. Its frame is a frame of Python's."""


def _code(scope: Scope, file: str, line: int) -> CodeType:
    """
    A function of the kernel's, as far as a debugger looks at it: `def gemm(c, acc): while True: (yield)()`.

    The loop makes Python's tracing report the line once more after the call, for debuggers that wait for that.
    """
    waits = ast.While(ast.Constant(True), [ast.Expr(ast.Call(ast.Yield(), [], []))], [])
    names = [name for name, _ in scope.names]
    parameters = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
    name = scope.function if scope.function.isidentifier() else "kernel"
    function = ast.FunctionDef(name, parameters, [waits], [])
    if sys.version_info >= (3, 12):
        function.type_params = []
    for node in ast.walk(function):
        node.lineno = node.end_lineno = line  # type: ignore[attr-defined] # pyright: ignore[reportAttributeAccessIssue] -- of all nodes that have a place
        node.col_offset = node.end_col_offset = 0  # type: ignore[attr-defined] # pyright: ignore[reportAttributeAccessIssue] -- as above
    function.lineno = min(scope.first_line, line)
    module = compile(ast.Module([function], []), file, "exec")
    code = next(c for c in module.co_consts if isinstance(c, CodeType))
    return code.replace(co_name=scope.function, co_qualname=scope.function)


def suspended(code: CodeType, host: dict[str, Any], values: dict[str, object]) -> Suspended:
    """A call of a function that stands at its line."""
    function = cast("Callable[..., Suspended]", FunctionType(code, host))
    made = function(**values)
    next(made)
    return made


def frame_of(function: Suspended) -> FrameType:
    """The frame of a function that stands at a line."""
    frame = cast("GeneratorType[None, Callable[[], object], None]", function).gi_frame
    assert frame is not None  # it stands there until it is closed
    return frame


# --- What values look like --------------------------------------------------------------------------------------------


def _shown(value: Any, dtype: str) -> object:
    """A value of the run as NumPy's array, or as Python's number if it is a scalar."""
    kind = BY_NAME[dtype]
    is_tensor = isinstance(value, Window)
    array: Array = np.asarray(value.array if is_tensor else value)
    if dtype == "f8e5m3fnu":  # which no library has
        array = to_f64(array, by_name("fnv8E5M3FNU"))
    elif kind.kind == "int" and not kind.signed:
        array = array.view(f"u{array.dtype.itemsize}")
        array = array & np.array((1 << kind.bits) - 1, array.dtype) if kind.bits < 8 else array
    if not array.ndim and not is_tensor:
        return float(array) if kind.is_float else array.item()
    found = array.view(Tensor if is_tensor else np.ndarray)
    found.flags.writeable = False
    return found


def _value(text: str, operands: Sequence[object]) -> object:
    """What a text of `ownership.breakpoint` stands for."""
    return _built(ast.parse(text, mode="eval").body, operands)


def _built(node: ast.expr, operands: Sequence[object]) -> object:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.Name(id=name):
            return operands[int(name[1:])]
        case ast.Tuple(elts=items):
            return tuple(_built(item, operands) for item in items)
        case ast.Call(func=ast.Name(id=kind), args=arguments):
            return _MADE[kind](*(_built(a, operands) for a in arguments))
        case _:  # pragma: no cover - the operation's verifier lets nothing else through
            raise AssertionError(ast.dump(node))


def _host(module: str, name: str) -> object:
    found: Any = sys.modules.get(module)
    for part in name.split(".") if name else ():
        found = getattr(found, part, None)
    return found


def _record(module: str, name: str, items: tuple[object, ...]) -> object:
    """An object of a dataclass or named tuple, made as the kernel makes it: by its fields."""
    kind = _host(module, name)
    if not isinstance(kind, type):  # a class that is defined in a function
        return items
    if issubclass(kind, tuple):
        return cast("Any", kind)._make(items)
    made = object.__new__(cast("type[object]", kind))
    for field_name, value in zip(cast("Any", kind).__dataclass_fields__, items, strict=True):
        object.__setattr__(made, field_name, value)
    return made


def _tensor(array: Tensor, index: tuple[int, ...], tile: tuple[int, ...]) -> Tensor:
    found = array.view()
    found.index, found.tile = index, tile
    return found


_MADE: Final[dict[str, Callable[..., object]]] = {
    "dtype": BY_NAME.__getitem__,
    "float": float,
    "host": _host,
    "range": range,
    "record": _record,
    "tensor": _tensor,
}


# --- Stopping ---------------------------------------------------------------------------------------------------------


def _asked() -> Callable[..., object] | None:
    """Python's hook for breakpoints; None where `PYTHONBREAKPOINT=0` disables them."""
    hook = sys.breakpointhook
    return None if hook is sys.__breakpointhook__ and os.environ.get("PYTHONBREAKPOINT") == "0" else hook


def _is_pdb(hook: Callable[..., object]) -> bool:
    """Whether that would be Python's own debugger; pytest puts one of its own in its place."""
    named = os.environ.get("PYTHONBREAKPOINT") or "pdb.set_trace"
    loaded: Any = sys.modules.get("pdb")
    own = loaded is None or loaded.set_trace.__module__ == "pdb"
    return hook is sys.__breakpointhook__ and named == "pdb.set_trace" and own


def _have_been_set() -> bool:
    """Whether there are breakpoints that were set in a debugger."""
    bdb: Any = sys.modules.get("bdb")
    return bdb is not None and bool(bdb.Breakpoint.bplist)


@dataclass
class Session:
    """Who is asked at the breakpoints of one run."""

    debugger: Debugger | None = None
    watching: bool = field(default_factory=_have_been_set)
    """Whether it may stop where there is no breakpoint: in single steps, or at one that was set in the debugger."""

    def visit(self, stop: Stop, machine: Machine, v: Frame) -> None:
        """Stops, if that is wanted here. Raises `bdb.BdbQuit` where the user leaves."""
        with _asking:
            hook = _asked() if stop.asked else None
            if hook is not None and not _is_pdb(hook):
                self.look(stop.frames(v), hook)
                return
            if hook is None and not self.watching:
                return
            if self.debugger is None:
                from freehold.runtime.interpreter.debugger import Debugger

                self.debugger = Debugger()
            if hook is not None or self.debugger.stops(stop, machine, lambda: stop.frames(v)):
                self.debugger.ask(stop, machine, stop.frames(v))
            self.watching = self.debugger.watching

    def look(self, functions: Sequence[Suspended], hook: Callable[..., object]) -> None:
        """Calls another debugger where the kernel stands."""
        call: Callable[[], object] = hook
        for function in reversed(functions):
            call = _sends(function, call)
        call()


def _sends(function: Suspended, call: Callable[[], object]) -> Callable[[], object]:
    return lambda: function.send(call)


def _breakpoint(op: Operation, c: Compiler) -> Step:
    assert isinstance(op, BreakpointOp)
    stop = Stop(op, c.slots(op.values))
    asked = stop.asked

    def visit(v: Frame) -> None:
        machine: Machine = v[0]
        session = machine.session
        if session is not None and (asked or session.watching):
            session.visit(stop, machine, v)

    return visit


EFFECTS: Final[dict[str, Effect]] = {"ownership.breakpoint": _breakpoint}
"""The definitions of what stops, by name."""
