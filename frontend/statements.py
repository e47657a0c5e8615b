"""Statements: assignments, `if`, `return`, and what ends a turn of a loop."""

from __future__ import annotations

from collections.abc import Sequence

from freehold.frontend import advice, advice_on_values, arithmetic, breakpoints, errors
from freehold.frontend.assignments import assign
from freehold.frontend.checks import check, scalars_in, static_failure, unsaid
from freehold.frontend.conditions import condition
from freehold.frontend.context import Context, Flow
from freehold.frontend.joins import either, flatten
from freehold.frontend.kinds import Kind, assemble, difference, join, kind_of
from freehold.frontend.loops import is_known, leave, returns_differ
from freehold.frontend.syntax import core, names
from freehold.frontend.syntax.text import primary
from freehold.frontend.typed import Block
from freehold.frontend.values import (
    ANYTHING,
    NONE,
    POISON,
    Anything,
    ClosureValue,
    Static,
    TensorValue,
    TextValue,
    TileValue,
    Unbound,
    Value,
    describe,
    is_poison,
    same,
    static_of,
)
from freehold.support import dtypes


def statements(c: Context, nodes: Sequence[core.Stmt]) -> Flow:
    """Writes statements one after the other."""
    for node in nodes:
        if c.stepping:
            breakpoints.before(c, node)
        ends = c.statement(node)
        if ends is not Flow.FALLS:
            return ends
    return Flow.FALLS


# --- Assignments -----------------------------------------------------------------------------------------------------


def assign_(c: Context, node: core.Assign) -> Flow:
    """`a = b`, `a = b = c`, `a, b = c`."""
    target = node.targets[0]
    if isinstance(target, core.Name) and core.is_hidden(target.id):
        c.frame.variables[target.id] = _ours(c, target.id, node)
        return Flow.FALLS
    if isinstance(node.value, core.BinOp) and node.value.augmented and not _changes(c, target, node.value):
        return Flow.FALLS
    value = c.lower(node.value)
    for target in node.targets:
        assign(c, target, value)
    return Flow.FALLS


def _ours(c: Context, name: str, node: core.Assign) -> Value:
    """The value of a variable of ours."""
    value = c.lower(node.value)
    frame = c.frame
    nothing = isinstance(value, Anything) or (isinstance(value, Static) and value.value is None)
    if name == core.RESULT and frame.is_kernel and not nothing:
        outputs = [v.name for v in frame.variables.values() if isinstance(v, TensorValue) and v.region is not None]
        error = errors.ReturnsValue(c.span(node), name=frame.name)
        edit = f"{outputs[0] if outputs else 'c'}.store({c.text(node.value)})"
        c.error(error.add(error.Store(edit, at=c.span(node) if len(outputs) == 1 else None)))
        return NONE
    return value


def _changes(c: Context, target: core.Target, node: core.BinOp) -> bool:
    """Whether `a op= b` is a new value under the same name; reports where it is not."""
    if not isinstance(target, core.Name):
        assign(c, target, POISON)
        return False
    before = c.frame.variables.get(target.id)
    if isinstance(before, TensorValue) and before.region is not None:
        edit = f"{before.name}.store({before.name}.load() {node.op} {primary(c.text(node.right))})"
        error = errors.TensorAsValue(c.span(target), name=before.name)
        c.error(error.add(error.LoadFirst(edit, at=c.span(node))))
        return False
    return True


def refused(c: Context, node: core.RefusedStatement) -> Flow:
    """A statement that was reported when the syntax was checked."""
    for name in node.names:
        c.frame.variables[name] = POISON
    return Flow.FALLS


# --- if --------------------------------------------------------------------------------------------------------------


def if_(c: Context, node: core.If) -> Flow:
    """`if`."""
    construct = "a `case`" if node.case else "an `if`"
    truth = condition(c, c.lower(node.test), node.test, construct, choice=lambda: advice_on_values.of_choice(c, node))
    if isinstance(truth, bool):
        return statements(c, node.body if truth else node.orelse)
    if truth is None:
        _branches(c, node, c.constant(True, dtypes.bool_))
        return Flow.FALLS
    return _branches(c, node, truth)


def _branch(c: Context, nodes: Sequence[core.Stmt], before: dict[str, Value]) -> tuple[Block, Flow, dict[str, Value]]:
    c.frame.variables = dict(before)
    block = Block()
    with c.into(block):
        ends = statements(c, nodes)
    return block, ends, c.frame.variables


def _branches(c: Context, node: core.If, truth: TileValue) -> Flow:
    """An `if` that goes on after its branches, but for those that leave the turn of a loop."""
    before = c.frame.variables
    then, first, left = _branch(c, node.body, before)
    otherwise, second, right = _branch(c, node.orelse, before)
    c.frame.variables = before
    falls = (first is Flow.FALLS, second is Flow.FALLS)
    changed = names.assigned([*node.body, *node.orelse])
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
        leave(c, "dead", node)
        return Flow.LEAVES
    return Flow.FALLS


def _join(
    c: Context,
    node: core.If,
    changed: dict[str, core.Node],
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
        if is_poison(*(value for value in (a, b) if value is not None)):
            c.frame.variables[name] = POISON
            continue
        if a is None or b is None or isinstance(a, Unbound) or isinstance(b, Unbound):
            c.frame.variables[name] = _half(c, name, place, a, b)
            continue
        if not c.frame.facts.is_live(name, node):
            c.frame.variables.pop(name, None)
            continue
        if (known := b if a is ANYTHING else a if b is ANYTHING else None) is not None and is_known(known):
            c.frame.variables[name] = known
            continue
        x, y = kind_of(a), kind_of(b)
        kind = None if x is None or y is None else join(x, y)
        if kind is None and name == core.RESULT:
            returns_differ(c, node.test, a, b)
            c.frame.variables[name] = POISON
            continue
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


def _half(c: Context, name: str, place: core.Node, a: Value | None, b: Value | None) -> Unbound:
    for value in (a, b):
        if isinstance(value, Unbound):
            return value
    unbound = Unbound("assigned", "only one branch of an `if` assigns it", "`if`, or in its other branch, too")
    unbound.places.append((c.span(place), f"`{name}` is assigned in one branch"))
    return unbound


def _carry_out(
    c: Context,
    node: core.If,
    changed: dict[str, core.Node],
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
        if (
            kind is None
            or value is ANYTHING
            or static_of(value) is not None
            or (before is not None and same(before, value))
        ):
            c.frame.variables[name] = value
        elif c.frame.facts.is_live(name, node):
            with c.into(block):
                yields += flatten(c, value, kind)
            results[name] = kind
        else:
            c.frame.variables.pop(name, None)
    return results


# --- What ends something ---------------------------------------------------------------------------------------------


def leave_loop(c: Context, node: core.Break | core.Continue) -> Flow:
    """`break`, `continue`, and `return` in a loop."""
    if not c.frame.loops:
        return Flow.FALLS  # no Python, so it was never compiled
    leave(c, "break" if isinstance(node, core.Break) else "continue", node)
    return Flow.LEAVES


# --- Others ----------------------------------------------------------------------------------------------------------


def expression(c: Context, node: core.Evaluate) -> Flow:
    """An expression for its effect."""
    value = c.lower(node.value)
    edit = advice.of_uncalled(c, value, node.value)
    if edit is not None:
        why = "it is named here and not called"
        error = errors.WrongValue(c.span(node), what=describe(value), role="a statement", why=why)
        c.error(error.add(error.Instead(edit.text, at=edit.at(c))))
    return Flow.FALLS


def pass_(c: Context, node: core.Pass) -> Flow:
    """`pass`."""
    del c, node
    return Flow.FALLS


def function(c: Context, node: core.Define) -> Flow:
    """A function defined in the kernel."""
    c.frame.variables[node.function.name] = ClosureValue(node.function, c.frame)
    return Flow.FALLS


def assert_(c: Context, node: core.Assert) -> Flow:
    """`assert condition, message`: at compile time where the condition is known, else in the running kernel."""
    message = unsaid(c, node.test)
    if node.message is not None:
        given = c.lower(node.message)
        text = static_of(given)
        if isinstance(given, TextValue):
            error = errors.Unsupported(c.span(node.message), what="an f-string", why="there is no text on a GPU")
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


def raise_(c: Context, node: core.Raise) -> Flow:
    """
    `raise`, which is reached: with these compile-time values a kernel is refused, as by a `static_assert`. Where the
    running kernel decides whether it is reached, it has no meaning.
    """
    variables = c.frame.variables
    for name in names.assigned(c.frame.function.body):  # on other ways: nothing is to be said of them
        if name == core.RESULT or name not in variables or isinstance(variables[name], Unbound):
            variables[name] = POISON
    if c.block is not c.top:
        error = errors.Unsupported(c.span(node), what="`raise`", why="a GPU raises no exceptions")
        c.error(
            error.add(error.Instead('check while it runs: `assert condition, "message"`, or before it on the host'))
        )
        return Flow.FALLS
    said = None
    if node.message is not None and not any(isinstance(n, core.Refused) for n in core.walk(node.message)):
        said = static_of(c.lower(node.message))
    message = " ".join(c.text(node).split()) if said is None else str(said[0])
    c.error(errors.StaticAssertion(c.span(node), message=message, what="this is reached"))
    return Flow.LEAVES
