"""Calls: the language's own functions, methods, conversions, and helpers, which are inlined."""

from __future__ import annotations

import builtins
import dataclasses
import math
from collections.abc import Sequence
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import cast

from freehold.frontend import advice, classes, elsewhere, errors, records
from freehold.frontend.arguments import REQUIRED, Arguments, Signature, bind, check_pairs
from freehold.frontend.arithmetic import as_tile, convert, firm
from freehold.frontend.context import Context
from freehold.frontend.intrinsics import intrinsic_of
from freehold.frontend.operands import elements
from freehold.frontend.python_functions import PYTHON
from freehold.frontend.source import SourceMissing, source_of
from freehold.frontend.syntax import core, subset
from freehold.frontend.syntax.read import place_of
from freehold.frontend.values import (
    NONE,
    POISON,
    BoundValue,
    ClosureValue,
    Frame,
    Host,
    MethodValue,
    Poison,
    RecordValue,
    ReplaceValue,
    Static,
    TileValue,
    TupleValue,
    Value,
    describe,
    is_number,
    is_poison,
    is_record_class,
    of_host,
    static_of,
    tensor_of,
)
from freehold.support import dtypes
from freehold.support.dtypes import DType

MAX_DEPTH = 64


def call(c: Context, node: core.Call) -> Value:
    """`f(...)`."""
    callee = c.lower(node.func)
    if core.Each in map(type, node.args) and not _consumes(callee):
        return _generator_given(c, node)
    match callee:
        case Poison():
            elements(c, [*node.args, *(k.value for k in node.keywords)])
            return POISON
        case ReplaceValue():
            return records.replaced(c, node, (callee.receiver,))
        case MethodValue():
            return _method(c, callee, node)
        case ClosureValue():
            return _inline_closure(c, callee, node)
        case BoundValue():
            return _inline_host(c, cast(FunctionType, callee.function), node, (callee.receiver,))
        case Static(value=FunctionType() | type() | DType() as function):
            return _call_static(c, function, node)
        case Static(value=function) if (method := classes.method_of(callee, "__call__")) is None:
            return _call_static(c, function, node)
        case Static() | RecordValue() | TupleValue() if (method := classes.method_of(callee, "__call__")) is not None:
            return _inline_host(c, method, node, (callee,))
        case _:
            error = errors.NotCallable(c.span(node.func), name=c.text(node.func), why=f"it is {describe(callee)}")
            if isinstance(callee, TupleValue) and len(node.args) == 1:
                item = f"take an item: `{c.text(node.func)}[{c.text(node.args[0])}]`"
                error.add(error.Instead(item, at=c.span(node)))
            elif isinstance(node.func, core.Name) and hasattr(builtins, node.func.id):
                error.add(error.Instead(f"give the variable another name: it hides the function `{node.func.id}`"))
            return c.error(error)


def _consumes(callee: Value) -> bool:
    """Whether a call runs over its arguments once, so that it does not matter when a generator's values are made."""
    try:
        return isinstance(callee, Poison) or (isinstance(callee, Static) and callee.value in PYTHON)
    except TypeError:  # not hashable, so none of them
        return False


def _generator_given(c: Context, node: core.Call) -> Poison:
    for argument in node.args:
        if isinstance(argument, core.Each):
            error = errors.Unsupported(
                c.span(argument), what="a generator expression given to a function", why="it would run later"
            )
            edit = f"tuple({c.text(argument)[1:-1]})"
            c.error(error.add(error.Instead(f"make a tuple of it: `{edit}`")))
        else:
            c.lower(argument.value if isinstance(argument, core.Starred) else argument)
    return POISON


def _method(c: Context, callee: MethodValue, node: core.Call) -> Value:
    """A method of a tile, a tensor, a region or a place."""
    target, declared = callee.receiver, callee.declared
    # A method of tiles is typed as the function of its name, of which the tile is `x`.
    receiver, shown = ("x", "") if isinstance(target, TileValue) else ("self", f"{tensor_of(target).name}.")
    a = bind(c, node, Signature.forms(declared), shown)
    if a is None:
        return POISON
    # `store = y.store` may stand before it, as in Python.
    of = node.func.value if isinstance(node.func, core.Attribute) else node.func
    a.values[receiver], a.nodes[receiver] = target, of
    return POISON if a.poisoned else declared.typing(c, a)


def _call_static(c: Context, function: object, node: core.Call) -> Value:
    if isinstance(function, DType):
        return _cast(c, function, node)
    if (declared := intrinsic_of(function)) is not None:
        a = bind(c, node, Signature.declared(declared))
        return POISON if a is None or a.poisoned else declared.typing(c, a)
    try:
        known = PYTHON.get(function)
    except TypeError:  # not hashable, so none of them
        known = None
    if known is not None:
        signature, handler = known
        a = bind(c, node, signature)
        return POISON if a is None or a.poisoned else handler(c, a)
    if function is dataclasses.replace:
        return records.replaced(c, node)
    if isinstance(function, FunctionType):
        module = function.__module__ or ""
        if module.startswith("freehold.runtime.") or elsewhere.of_another_language(module):
            return _not_callable(c, function, node)
        return _inline_host(c, function, node)
    if getattr(function, "__module__", None) == "math" and isinstance(function, BuiltinFunctionType):
        return _on_host(c, function, node)
    if isinstance(function, type) and classes.is_users(cast("type[object]", function)):
        kind = cast("type[object]", function)
        return records.make(c, kind, node) if records.only_on_host(kind) is None else _on_host(c, kind, node)
    return _not_callable(c, cast(object, function), node)


def _cast(c: Context, dtype: DType, node: core.Call) -> Value:
    """`f32(x)`."""
    a = bind(c, node, Signature(dtype.name, ("value",)))
    if a is None or a.poisoned:
        return POISON
    value = a["value"]
    if not check_pairs(c, dtype, value.shape if isinstance(value, TileValue) else (), node):
        return POISON
    if isinstance(value, Static) and is_number(value.value):
        number = cast("bool | int | float", value.value)
        if dtype.kind == "bool":
            number = bool(number)
        elif not dtype.is_float and math.isfinite(number):
            number = int(number)
        return c.constant(number, dtype)
    tile = as_tile(c, value, a.place("value"))
    return POISON if isinstance(tile, Poison) else firm(convert(c, tile, dtype))


def _on_host(c: Context, function: object, node: core.Call) -> Value:
    """A call of a host function that computes nothing but its result, with values known at compile time."""
    given = elements(c, node.args)
    named = {k.arg: c.lower(k.value) for k in node.keywords}
    if is_poison(*given, *named.values()):
        return POISON
    known = [static_of(v) for v in given]
    keywords = {name: static_of(v) for name, v in named.items()}
    if any(v is None for v in (*known, *keywords.values())):
        return _not_callable(c, function, node)
    try:
        result = function(  # type: ignore[operator] # pyright: ignore[reportCallIssue, reportUnknownVariableType] -- a function of the host
            *(v[0] for v in known if v is not None), **{n: v[0] for n, v in keywords.items() if v is not None}
        )
    except Exception as e:
        return c.error(errors.ArithmeticFails(c.span(node), what=f"`{c.text(node)}` cannot be computed: {e}"))
    return of_host(cast(object, result))


def _not_callable(c: Context, function: object, node: core.Call) -> Poison:
    import freehold

    elements(c, [*node.args, *(k.value for k in node.keywords)])
    text = c.text(node.func)
    name = getattr(function, "__name__", text)
    module = str(getattr(function, "__module__", None) or "")
    if type(function).__name__ == "Kernel" and type(function).__module__.startswith("freehold"):
        error = errors.NotCallable(c.span(node.func), name=text, why="a kernel is launched by the host")
        error.add(error.Instead(f"make `{text}` a plain function, without `@freehold.kernel`, and call it from both"))
        return c.error(error)
    if isinstance(function, ModuleType):
        why = "it is a module"
    elif module.startswith("freehold."):
        why = "it is for the host"
    elif module == "builtins" and not isinstance(function, type):
        why = "this function of Python has no meaning on a GPU"
    elif isinstance(function, type):
        why = records.only_on_host(cast("type[object]", function)) or "kernels make no objects"
    elif elsewhere.of_another_language(module):
        why = f"it is a function of `{'.'.join(module.split('.')[:2])}`"
    elif callable(function):
        why = "it runs on the host, and has no source that could be compiled"
    else:
        why = f"it is {describe(Static(function))}"
    error = errors.NotCallable(c.span(node.func), name=text, why=why)
    if module.startswith("freehold.") and (edit := advice.of_function(c, name, node.func)) is not None:
        error.add(error.Instead(edit.text, at=edit.at(c)))
    dtype = dtypes.understood(function) if isinstance(function, type) else None
    if dtype is not None and len(node.args) == 1 and not node.keywords:
        edit = f"`{c.primary(node.args[0])}.astype(fh.{dtype})`"
        error.add(error.Instead(f"convert: {edit}", at=c.span(node)))
    if isinstance(function, type) and dataclasses.is_dataclass(function) and not is_record_class(function):
        error.add(error.Instead("make its class immutable: `@dataclass(frozen=True)`"))
    if name in elsewhere.PYTHONS and module in ("builtins", "io", "sys", "functools"):
        error.add(error.Instead(elsewhere.PYTHONS[name]))
    elif intrinsic_of(getattr(freehold, name, None)) is not None:
        error.add(error.Instead(f"use Freehold's: `fh.{name}`", at=c.span(node.func)))
    elif (
        name in elsewhere.EDITS
        and not module.startswith("freehold.")
        and (other := advice.of_function(c, name, node.func)) is not None
    ):
        error.add(error.Instead(other.text, at=other.at(c)))
    return c.error(error)


# --- Inlining --------------------------------------------------------------------------------------------------------


def _frame_of(c: Context, function: FunctionType, place: core.Expr) -> Frame | None:
    """The frame of a call of a host function, or None after reporting that it has no source."""
    try:
        source = source_of(function)
    except SourceMissing as e:
        name = function.__name__ if isinstance(place, core.BinOp) and place.augmented else c.text(place)
        c.error(errors.NotCallable(c.span(place), name=name, why=f"its source cannot be found: {e}"))
        return None
    c.reads.append((function, ""))
    return Frame(source, Host(function), source.core, function.__name__)


def _inline_host(c: Context, function: FunctionType, node: core.Call, first: tuple[Value, ...] = ()) -> Value:
    """A call of a host function; `first` are arguments that stand before those of the call."""
    frame = _frame_of(c, function, node.func)
    if frame is None:
        elements(c, node.args)
        return POISON
    signature = Signature.of(function, function.__name__)
    a = bind(c, node, signature, first=first)
    if a is None:
        return POISON
    frame.variables.update(a.values)
    if signature.rest is not None:
        frame.variables[signature.rest] = TupleValue(a.rest)
    return _run(c, frame, node)


def inline(c: Context, function: FunctionType, args: tuple[Value, ...], node: core.Expr) -> Value:
    """A call of a host function that `node` stands for: a property, or an operator."""
    frame = _frame_of(c, function, node)
    return POISON if frame is None else _run_with(c, frame, Signature.of(function, function.__name__), args, node, node)


def _positional(c: Context, signature: Signature, args: Sequence[Value], place: core.Node) -> dict[str, Value] | None:
    """Values by parameter, with the defaults of those that are left out; None after reporting that they do not fit."""
    values = dict(zip(signature.positional, args, strict=False))
    values |= {name: of_host(value) for name, value in signature.defaults if name not in values}
    if signature.rest is not None:
        values[signature.rest] = TupleValue(tuple(args[len(signature.positional) :]))
    elif len(args) > len(signature.positional):
        values.clear()
    if all(p in values for p in (*signature.positional, *signature.keywords)):
        return values
    count = f"{len(args)} argument{'s' * (len(args) != 1)}"
    error = errors.WrongArguments(
        c.span(place), function=signature.name, problem=f"must take {count} here", signature=signature.text
    )
    c.error(error.add(error.Instead(f"use a function that can be called with {count}")))
    return None


def _run_with(
    c: Context, frame: Frame, signature: Signature, args: Sequence[Value], node: core.Node, place: core.Node
) -> Value:
    """Writes the body of a host function with values as its arguments."""
    values = _positional(c, signature, args, place)
    if values is None:
        return POISON
    frame.variables.update(values)
    return _run(c, frame, node)


def _inline_closure(c: Context, closure: ClosureValue, node: core.Call) -> Value:
    defaults = {p.name: p.default for p in closure.function.parameters if p.default is not None}
    signature = _signature_of(closure.function, tuple((name, REQUIRED) for name in defaults))
    a = bind(c, node, signature)
    if a is None:
        return POISON
    outer = closure.frame
    for name, default in defaults.items():
        value = a.values[name]
        if isinstance(value, Static) and value.value is REQUIRED:
            caller, c.frame = c.frame, outer
            try:
                a.values[name] = c.lower(default)
            finally:
                c.frame = caller
    frame = Frame(outer.source, outer.host, closure.function, closure.name, outer=outer)
    frame.variables.update(a.values)
    return _run(c, frame, node)


def _signature_of(function: core.Function, defaults: tuple[tuple[str, object], ...] = ()) -> Signature:
    """The signature of a function that is defined in a kernel."""
    positional = tuple(p.name for p in function.parameters if not p.by_name)
    return Signature(function.name, positional, tuple(p.name for p in function.parameters if p.by_name), defaults)


def apply(c: Context, function: Value, args: Sequence[Value], node: core.Call, place: core.Expr) -> Value:
    """Calls a function of the user's with values, as `reduce` does."""
    match function:
        case Static(value=FunctionType() as host) if (declared := intrinsic_of(host)) is not None:
            signature = Signature.declared(declared)
            values = _positional(c, signature, args, place)
            if values is None:
                return POISON
            a = Arguments(node, signature, values, {}, tuple(args[len(signature.positional) :]))
            return POISON if a.poisoned else declared.typing(c, a)
        case Static(value=FunctionType() as host):
            pass
        case BoundValue():
            host = cast(FunctionType, function.function)
            args = (function.receiver, *args)
        case ClosureValue():
            outer = function.frame
            frame = Frame(outer.source, outer.host, function.function, function.name, outer=outer)
            return _run_with(c, frame, _signature_of(function.function), args, node, place)
        case _:
            error = errors.NotCallable(c.span(place), name=c.text(place), why=f"it is {describe(function)}")
            return c.error(error)
    frame = _frame_of(c, host, place)
    return POISON if frame is None else _run_with(c, frame, Signature.of(host, host.__name__), args, node, place)


def _run(c: Context, frame: Frame, node: core.Node) -> Value:
    """Writes the body of a function in place of a call; the value it returns."""
    caller = c.frame
    depth = 0
    ancestor: Frame | None = caller
    while ancestor is not None:
        depth += 1
        if ancestor.function is frame.function:
            return c.error(errors.Recursion(c.span(node), name=frame.name))
        ancestor = ancestor.caller
    if depth > MAX_DEPTH:
        error = errors.TooLong(
            c.span(node), what=f"more than {MAX_DEPTH} calls within each other", why="helpers are inlined"
        )
        return c.error(error.add(error.Instead("write the innermost ones out")))
    frame.caller = caller
    frame.call_site = c.span(node)
    outer, c.frame = c.here, frame
    try:
        if frame.outer is None and not is_clean(c, frame):
            return POISON
        if frame.function.value is not None:
            return c.lower(frame.function.value)
        c.statements(frame.function.body)
        return frame.variables.get(core.RESULT, NONE)
    finally:
        c.frame, c.here = caller, outer


def is_clean(c: Context, frame: Frame) -> bool:
    """Checks a function's syntax, once where nothing is wrong with it; reports what is."""
    if frame.source.clean:
        return True
    found = subset.check(frame.source.tree, lambda node: frame.span(place_of(node)))
    c.errors += found
    frame.source.clean = not found
    return not found
