"""Statements: assignments, `if`, `return`, and what ends a turn of a loop."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from freehold.frontend import advice, advice_on_values, arithmetic, breakpoints, errors, flow
from freehold.frontend.arithmetic import SYMBOLS
from freehold.frontend.checks import check, scalars_in
from freehold.frontend.conditions import condition
from freehold.frontend.context import Context, Flow
from freehold.frontend.joins import Kind, assemble, difference, either, flatten, is_live, join, kind_of
from freehold.frontend.loops import leave, leave_function, returns_differ
from freehold.frontend.matches import Case
from freehold.frontend.typed import Block
from freehold.frontend.values import (
    NONE,
    POISON,
    ClosureValue,
    MethodValue,
    Poison,
    RegionValue,
    Static,
    TensorValue,
    TextValue,
    TileValue,
    TupleValue,
    Unbound,
    Value,
    describe,
    record_of,
    same,
    static_of,
)
from freehold.support import dtypes
from freehold.support.diagnostic import Error

MAX_COPIES = 6


def statements(c: Context, nodes: Sequence[ast.stmt]) -> Flow:
    """Writes statements one after the other."""
    for position, node in enumerate(nodes):
        rest = nodes[position + 1 :]
        if (
            c.frame.loops
            and c.frame.running is not None
            and flow.stores(node)
            and flow.always_returns(nodes[position:])
        ):
            # What is stored on the way out is stored after the loop, where each way stores once.
            leave_function(c, node, tuple(nodes[position:]))
            return Flow.LEAVES
        if c.stepping:
            breakpoints.before(c, node)
        ends = _if(c, node, rest) if isinstance(node, ast.If) else c.statement(node)
        if ends is Flow.MAY_HAVE_RETURNED:
            return statements(c, [*c.frame.after, *rest])
        if ends is not Flow.FALLS:
            return ends
    return Flow.FALLS


# --- Assignments -----------------------------------------------------------------------------------------------------


def assign_(c: Context, node: ast.Assign) -> Flow:
    """`a = b`, `a = b = c`, `a, b = c`."""
    value = c.lower(node.value)
    for target in node.targets:
        assign(c, target, value)
    return Flow.FALLS


def annotated(c: Context, node: ast.AnnAssign) -> Flow:
    """`a: T = b`; the annotation is for the reader."""
    if node.value is not None:
        assign(c, node.target, c.lower(node.value))
    return Flow.FALLS


def assign(c: Context, target: ast.expr, value: Value) -> None:
    """Gives `value` to a variable, or its parts to several."""
    match target:
        case ast.Name():
            c.bind(target.id, value)
        case ast.Tuple() | ast.List():
            _unpack(c, target, value)
        case ast.Subscript() | ast.Attribute():
            _into_memory(c, target)
        case _:
            pass  # reported when the syntax was checked


def _unpack(c: Context, target: ast.Tuple | ast.List, value: Value) -> None:
    names = target.elts
    star = next((i for i, n in enumerate(names) if isinstance(n, ast.Starred)), None)
    if isinstance(value, TupleValue):
        items = value.items
        if star is not None and len(items) >= len(names) - 1:
            rest = len(items) - (len(names) - 1)
            starred = names[star]
            assert isinstance(starred, ast.Starred)
            for n, item in zip(names[:star], items, strict=False):
                assign(c, n, item)
            assign(c, starred.value, TupleValue(items[star : star + rest]))
            for n, item in zip(names[star + 1 :], items[star + rest :], strict=True):
                assign(c, n, item)
            return
        if star is None and len(items) == len(names):
            for n, item in zip(names, items, strict=True):
                assign(c, n, item)
            return
    if not isinstance(value, Poison):
        error = errors.Unpacking(c.span(target), what=describe(value), names=len(names))
        if isinstance(value, TensorValue):
            error.add(error.Instead(f"its extents are `{value.name}.shape`"))
        elif isinstance(value, TupleValue):
            count = len(value.items)
            wanted = [c.text(n) for n in names[:count]] + ["_"] * (count - len(names))
            shown = ", ".join(wanted) if count != 1 else f"({wanted[0]},)"
            if count:
                error.add(error.Instead(f"write as many names as there are values: `{shown} = ...`"))
        c.error(error)
    for n, _ in flow.names(target):
        c.frame.variables[n] = POISON


def _into_memory(c: Context, target: ast.Subscript | ast.Attribute) -> None:
    value = c.lower(target.value)
    if isinstance(value, Poison):
        return
    here = c.here if isinstance(c.here, ast.Assign | ast.AugAssign) and isinstance(target, ast.Subscript) else None
    given = "tile" if here is None else c.text(here.value)
    what = "assigning to an element" if isinstance(target, ast.Subscript) else "assigning to an attribute"
    if isinstance(value, TensorValue | RegionValue):
        tensor = value if isinstance(value, TensorValue) else value.tensor
        error = errors.Unsupported(
            c.span(target), what=what, why="a tensor is written by regions: each block its own, without an index"
        )
        if tensor.region is not None:
            name = c.text(target.value)
            if isinstance(here, ast.AugAssign):
                given = f"{name}.load() {SYMBOLS[type(here.op)]} {advice.primary(given)}"
            edit = f"write this block's region: `{name}.store({given})`"
            error.add(
                error.Instead(edit, at=c.span(here) if here is not None and advice_on_values.is_all(target) else None)
            )
        else:
            error.add(
                error.Instead(f"declare it as written, and store: `{tensor.name}: Out`, `{tensor.name}.store(t)`")
            )
    else:
        error = errors.Unsupported(c.span(target), what=what, why=f"{describe(value)} cannot be changed")
        if isinstance(value, TileValue):
            edit = advice.Advice("make a new tile: `fh.where(condition, new, old)`")
            if isinstance(here, ast.Assign) and isinstance(target, ast.Subscript):
                edit = advice_on_values.of_assignment(c, value, target, here) or edit
            error.add(error.Instead(edit.text, at=edit.at(c)))
        elif record_of(value) is not None and isinstance(target, ast.Attribute) and isinstance(c.here, ast.Assign):
            name = c.text(target.value)
            edit = f"make a new one: `{name} = dataclasses.replace({name}, {target.attr}={c.text(c.here.value)})`"
            error.add(error.Instead(edit))
        else:
            error.add(error.Instead("make a new value and give it a name"))
    c.error(error)


def augmented(c: Context, node: ast.AugAssign) -> Flow:
    """`a += b`: a new value under the same name."""
    if not isinstance(node.target, ast.Name):
        _into_memory(c, node.target)
        return Flow.FALLS
    with c.at(node.target):
        read = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        before = c.lower(read)
    value = c.lower(node.value)
    symbol = SYMBOLS[type(node.op)]
    if isinstance(before, TensorValue) and before.region is not None:
        edit = f"{before.name}.store({before.name}.load() {symbol} {advice.primary(c.text(node.value))})"
        error = errors.TensorAsValue(c.span(node.target), name=before.name)
        c.error(error.add(error.LoadFirst(edit, at=c.span(node))))
        return Flow.FALLS
    if symbol == "@":
        from freehold.frontend.products import matmul

        c.bind(node.target.id, matmul(c, before, value, node))
    else:
        c.bind(node.target.id, arithmetic.binary(c, symbol, before, value, node))
    return Flow.FALLS


# --- if --------------------------------------------------------------------------------------------------------------


def _if(c: Context, node: ast.If, rest: Sequence[ast.stmt]) -> Flow:
    """`if`. Where a branch returns, the rest of the function belongs to the branches that do not."""
    outer, c.here = c.here, node
    try:
        construct = "a `case`" if isinstance(node, Case) else "an `if`"
        truth = condition(c, c.lower(node.test), node.test, construct, choice=advice_on_values.of_choice(c, node))
        if isinstance(truth, bool):
            return statements(c, node.body if truth else node.orelse)
        if truth is None:
            truth = c.constant(True, dtypes.bool_)
            _branches(c, node, truth)
            return Flow.FALLS
        returns = flow.leaves_by_return(node.body) or flow.leaves_by_return(node.orelse)
        if returns and c.frame.running is None:
            return _if_returning(c, node, truth, rest)
        return _branches(c, node, truth)
    finally:
        c.here = outer


def _branch(c: Context, nodes: Sequence[ast.stmt], before: dict[str, Value]) -> tuple[Block, Flow, dict[str, Value]]:
    c.frame.variables = dict(before)
    block = Block()
    with c.into(block):
        ends = statements(c, nodes)
    return block, ends, c.frame.variables


def _branches(c: Context, node: ast.If, truth: TileValue) -> Flow:
    """An `if` that goes on after its branches, but for those that leave the turn of a loop."""
    before = c.frame.variables
    then, first, left = _branch(c, node.body, before)
    otherwise, second, right = _branch(c, node.orelse, before)
    c.frame.variables = before
    for ends in (first, second):
        if ends in (Flow.BREAKS, Flow.CONTINUES):
            word = "break" if ends is Flow.BREAKS else "continue"
            error = errors.ControlFlow(
                c.span(node.test),
                what=f"`{word}` from an unrolled loop",
                where="under a condition of the running kernel",
                why="what is written out cannot depend on it",
            )
            c.error(error.add(error.Instead("count at run time: `for i in range(...)`")))
    falls = (first is Flow.FALLS, second is Flow.FALLS)
    changed = flow.assigned([*node.body, *node.orelse])
    results: dict[str, Kind] = {}
    yields: tuple[list[TileValue], list[TileValue]] = ([], [])
    if all(falls):
        results = _join(c, node, changed, left, right, (then, otherwise), yields)
    elif first is Flow.FALLS:
        results = _carry_out(c, node, changed, left, then, yields[0])
    elif second is Flow.FALLS:
        results = _carry_out(c, node, changed, right, otherwise, yields[1])
    ways = [(b, y if f else None) for b, y, f in zip((then, otherwise), yields, falls, strict=True)]
    made = either(c, truth, *ways)
    for name, kind in results.items():
        c.bind(name, assemble(kind, made))
    if not any(falls):
        if c.frame.running is not None:
            leave(c, "dead", node)
        return Flow.LEAVES
    return Flow.FALLS


def _join(
    c: Context,
    node: ast.If,
    changed: dict[str, ast.AST],
    left: dict[str, Value],
    right: dict[str, Value],
    blocks: tuple[Block, Block],
    yields: tuple[list[TileValue], list[TileValue]],
) -> dict[str, Kind]:
    """Adds what both branches yield; the variables whose values that is, with their types."""
    results: dict[str, Kind] = {}
    for name, place in changed.items():
        a, b = left.get(name), right.get(name)
        if a is not None and b is not None and same(a, b):
            c.frame.variables[name] = a
            continue
        if isinstance(a, Poison) or isinstance(b, Poison):
            c.frame.variables[name] = POISON
            continue
        if a is None or b is None or isinstance(a, Unbound) or isinstance(b, Unbound):
            c.frame.variables[name] = _half(c, name, place, a, b)
            continue
        if not is_live(c.frame, name, node):
            c.frame.variables.pop(name, None)
            continue
        x, y = kind_of(a), kind_of(b)
        kind = None if x is None or y is None else join(x, y)
        if kind is None:
            part, p, q = difference(name, a, b)
            what = "it" if part == name else f"`{part}`"
            why = f"{what} is {describe(p)} if the condition holds, and {describe(q)} if not"
            c.frame.variables[name] = Unbound("of one type", why, "`if`, or convert it to one type in both branches")
            continue
        for block, value, out in ((blocks[0], a, yields[0]), (blocks[1], b, yields[1])):
            with c.into(block):
                out += flatten(c, value, kind)
        results[name] = kind
    return results


def _half(c: Context, name: str, place: ast.AST, a: Value | None, b: Value | None) -> Unbound:
    for value in (a, b):
        if isinstance(value, Unbound):
            return value
    unbound = Unbound("assigned", "only one branch of an `if` assigns it", "`if`, or in its other branch, too")
    unbound.places.append((c.span(place), f"`{name}` is assigned in one branch"))
    return unbound


def _carry_out(
    c: Context,
    node: ast.If,
    changed: dict[str, ast.AST],
    variables: dict[str, Value],
    block: Block,
    yields: list[TileValue],
) -> dict[str, Kind]:
    """Adds what the one branch yields that goes on; the variables whose values that is, with their types."""
    results: dict[str, Kind] = {}
    for name in changed:
        value = variables.get(name)
        if value is None:
            continue
        before = c.frame.variables.get(name)
        kind = kind_of(value)
        if kind is None or static_of(value) is not None or (before is not None and same(before, value)):
            c.frame.variables[name] = value
        elif is_live(c.frame, name, node):
            with c.into(block):
                yields += flatten(c, value, kind)
            results[name] = kind
        else:
            c.frame.variables.pop(name, None)
    return results


def _if_returning(c: Context, node: ast.If, truth: TileValue, rest: Sequence[ast.stmt]) -> Flow:
    """An `if` with a `return` in it: each branch is written with the rest of the function, and yields its result."""
    frame = c.frame
    if frame.loops:
        _return_in_loop(c, node)
        return Flow.FALLS
    c.copies += 1
    try:
        if c.copies > MAX_COPIES:
            error = errors.TooLong(
                c.span(node.test),
                what=f"more than {MAX_COPIES} conditions within each other return",
                why="what follows is written out for each",
            )
            c.error(error.add(error.Instead("assign the result to a variable, and return once, at the end")))
            return Flow.RETURNS
        before = frame.variables
        ways: list[tuple[Block, Value]] = []
        for body in (node.body, node.orelse):
            frame.returned = None
            block, ends, _ = _branch(c, [*body, *rest], before)
            value = frame.returned if ends is Flow.RETURNS and frame.returned is not None else NONE
            ways.append((block, value))
        frame.variables = before
    finally:
        c.copies -= 1
    (then, a), (otherwise, b) = ways
    yields: tuple[list[TileValue], list[TileValue]] = ([], [])
    kind: Kind | None = None
    if not same(a, b):
        x, y = kind_of(a), kind_of(b)
        kind = None if x is None or y is None else join(x, y)
        if kind is not None:
            for (block, value), out in zip(ways, yields, strict=True):
                with c.into(block):
                    out += flatten(c, value, kind)
        elif not isinstance(a, Poison) and not isinstance(b, Poison):
            returns_differ(c, node.test, a, b)
    made = either(c, truth, (then, yields[0]), (otherwise, yields[1]))
    frame.returned = assemble(kind, made) if kind is not None else a if same(a, b) else POISON
    return Flow.RETURNS


# --- What ends something ---------------------------------------------------------------------------------------------


def return_(c: Context, node: ast.Return) -> Flow:
    """`return value`."""
    frame = c.frame
    value = NONE if node.value is None else c.lower(node.value)
    if frame.is_kernel and node.value is not None and not (isinstance(value, Static) and value.value is None):
        outputs = [v.name for v in frame.variables.values() if isinstance(v, TensorValue) and v.region is not None]
        error = errors.ReturnsValue(c.span(node), name=frame.name)
        edit = f"{outputs[0] if outputs else 'c'}.store({c.text(node.value)})"
        c.error(error.add(error.Store(edit, at=c.span(node) if len(outputs) == 1 else None)))
        value = NONE
    if frame.running is not None:
        leave_function(c, node, (), value)
        return Flow.LEAVES
    frame.returned = value
    return Flow.RETURNS


def _return_in_loop(c: Context, node: ast.stmt) -> None:
    place = next(n for n in ast.walk(node) if isinstance(n, ast.Return))
    error: Error = errors.ControlFlow(
        c.span(place),
        what="`return` from an unrolled loop",
        where="under a condition of the running kernel",
        why="what is written out cannot depend on it",
    )
    assert isinstance(error, errors.ControlFlow)
    c.error(error.add(error.Instead("count at run time: `for i in range(...)`")))


def break_(c: Context, node: ast.Break) -> Flow:
    """`break`."""
    return _leave(c, node, "break")


def continue_(c: Context, node: ast.Continue) -> Flow:
    """`continue`."""
    return _leave(c, node, "continue")


def _leave(c: Context, node: ast.Break | ast.Continue, word: str) -> Flow:
    if not c.frame.loops:
        return Flow.FALLS  # no Python, so it was never compiled
    if c.frame.loops[-1].static:
        return Flow.BREAKS if word == "break" else Flow.CONTINUES
    leave(c, "break" if word == "break" else "continue", node)
    return Flow.LEAVES


# --- Others ----------------------------------------------------------------------------------------------------------


def expression(c: Context, node: ast.Expr) -> Flow:
    """An expression for its effect."""
    if isinstance(node.value, ast.Constant):
        return Flow.FALLS  # a docstring
    value = c.lower(node.value)
    if isinstance(value, MethodValue | ClosureValue):
        why = "it is named here and not called"
        error = errors.WrongValue(c.span(node), what=describe(value), role="a statement", why=why)
        c.error(error.add(error.Instead(f"call it: `{c.text(node.value)}()`", at=c.span(node.value))))
    return Flow.FALLS


def pass_(c: Context, node: ast.Pass) -> Flow:
    """`pass`."""
    del c, node
    return Flow.FALLS


def function(c: Context, node: ast.FunctionDef) -> Flow:
    """A function defined in the kernel."""
    c.frame.variables[node.name] = ClosureValue(node, c.frame)
    return Flow.FALLS


def assert_(c: Context, node: ast.Assert) -> Flow:
    """`assert condition, message`: at compile time where the condition is known, else in the running kernel."""
    message = "assertion failed"
    if node.msg is not None:
        given = c.lower(node.msg)
        text = static_of(given)
        if isinstance(given, TextValue):
            error = errors.Unsupported(c.span(node.msg), what="an f-string", why="there is no text on a GPU")
            c.error(error.add(error.Instead("write the text without braces")))
        if text is not None and isinstance(text[0], str):
            message = text[0]
    value = c.lower(node.test)
    if isinstance(value, TileValue):
        tile = value if value.dtype.kind == "bool" else arithmetic.convert(c, value, dtypes.bool_)
        check(c, tile, message, scalars_in(c, node.test))
        return Flow.FALLS
    truth = condition(c, value, node.test, "an `assert`")
    if truth is False:
        static_failure(c, node.test, message)
    return Flow.FALLS


def static_failure(c: Context, test: ast.expr, message: str) -> None:
    """Reports a condition that is known not to hold."""
    error = errors.StaticAssertion(c.span(test), message=message)
    names = sorted({n.id for n in ast.walk(test) if isinstance(n, ast.Name)})
    shown: list[str] = []
    for name in names:
        value = c.frame.variables.get(name)
        known = None if value is None else static_of(value)
        if known is not None:
            shown.append(f"`{name}` is {known[0]!r}")
    if shown:
        error.add(error.Values(", ".join(shown)))
    c.error(error)
