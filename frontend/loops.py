"""Loops: counted ones, `while`, and ones that are unrolled; the variables they carry are found, not declared."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import EnumType
from typing import Literal, cast

from xdsl.ir import Block, Region, SSAValue

from freehold.dialects.cuda_tile.ops.arith_int import AddIOp
from freehold.dialects.cuda_tile.ops.control_flow import BreakOp, ContinueOp, ForOp, IfOp, LoopOp, YieldOp
from freehold.dialects.ownership import TilesOp
from freehold.frontend import errors, flow
from freehold.frontend.arithmetic import Number, comparison, convert
from freehold.frontend.conditions import condition
from freehold.frontend.context import Context, Flow, hint
from freehold.frontend.expressions import host_value
from freehold.frontend.joins import (
    FixedKind,
    Kind,
    TileKind,
    TupleKind,
    assemble,
    difference,
    element_types,
    fits,
    flatten,
    is_live,
    join,
    kind_of,
    tile_kinds,
)
from freehold.frontend.types import promote
from freehold.frontend.values import (
    INDEX_DTYPE,
    NONE,
    Poison,
    RangeValue,
    Static,
    TensorValue,
    TilesValue,
    TileValue,
    TupleValue,
    Unbound,
    Value,
    describe,
    is_comparable,
    is_poison,
    items_of,
    same,
    static_of,
)
from freehold.support import dtypes
from freehold.support.dtypes import DType

MAX_TURNS = 1000


Ending = Literal["continue", "break", "return", "dead"]


@dataclass(eq=False)
class Site:
    """A place where a turn of a loop ends."""

    kind: Ending
    block: Block
    variables: dict[str, Value]
    node: ast.AST


@dataclass(eq=False)
class Loop:
    """A loop whose body is being written. One that is unrolled has no sites."""

    node: ast.For | ast.While
    static: bool = False
    sites: list[Site] = field(default_factory=list[Site])
    counter: tuple[TileValue, TileValue] | None = None
    """Index and step of a `for` that has a `break`: such a loop counts by itself."""


def leave(c: Context, kind: Ending, node: ast.AST, result: Value | None = None) -> None:
    """Notes that the current block ends here, by leaving the turn; `result` is what a `return` returns."""
    loop = c.frame.running
    assert loop is not None
    variables = dict(c.frame.variables)
    variables[flow.RETURNED] = Static(kind == "return")
    variables.pop(flow.RESULT, None)
    if result is not None:
        variables[flow.RESULT] = result
    loop.sites.append(Site(kind, c.block, variables, node))


# --- for -------------------------------------------------------------------------------------------------------------


def for_(c: Context, node: ast.For) -> Flow:
    """`for x in ...`."""
    over = c.lower(node.iter)
    match over:
        case Poison():
            return _poisoned(c, node)
        case TupleValue() | Static(value=range() | EnumType()):
            return _unrolled(c, node, items_of(over, MAX_TURNS + 1) or ())
        case RangeValue() if over.static:
            return _static_range(c, node, over)
        case RangeValue():
            bounds = _range_bounds(c, node, over)
        case TilesValue():
            with c.at(node.iter):
                bounds = (
                    c.constant(0, INDEX_DTYPE),
                    c.tile(TilesOp(over.tensor.handle, over.axis, over.size), INDEX_DTYPE, ()),
                    c.constant(1, INDEX_DTYPE),
                )
        case _:
            error = errors.NotIterable(c.span(node.iter), what=describe(over))
            if isinstance(over, TensorValue):
                error.add(error.Instead(f"run over its tiles: `for i in fh.tiles({over.name}, axis=0, size=64):`"))
            elif isinstance(over, Static) and isinstance(over.value, int):
                error.add(error.Instead(f"`for i in range({c.text(node.iter)}):`"))
            elif isinstance(over, TileValue):
                edit = "combine its elements: `t.sum(axis)`" if over.shape else f"`range({c.text(node.iter)})`"
                error.add(error.Instead(edit))
            elif isinstance(over, Static) and not is_comparable(over.value):
                host_value(c, node.iter, over.value)
                return _poisoned(c, node)
            c.error(error)
            return _poisoned(c, node)
    if bounds is None:
        return _poisoned(c, node)
    return _repeat(
        c, node, lambda names, kinds, leaves: (_leaving if leaves else _counted)(c, node, bounds, names, kinds)
    )


def _poisoned(c: Context, node: ast.For) -> Flow:
    """Reads the body of a loop that cannot be written, for its own errors."""
    for name, _ in flow.names(node.target):
        c.frame.variables[name] = Poison()
    with c.into(Block()):
        c.frame.loops.append(Loop(node))
        _body(c, node.body)
        c.frame.loops.pop()
    for name in flow.assigned(node.body):
        c.frame.variables[name] = Poison()
    return Flow.FALLS


def _body(c: Context, statements: Sequence[ast.stmt]) -> Flow:
    from freehold.frontend.statements import statements as lower_statements

    return lower_statements(c, statements)


def _static_range(c: Context, node: ast.For, over: RangeValue) -> Flow:
    if cast(Static, over.step).value == 0:
        c.error(errors.ArithmeticFails(c.span(node.iter), what="the step of a range is 0"))
        return _poisoned(c, node)
    return _unrolled(c, node, items_of(over, MAX_TURNS + 1) or ())


def _range_bounds(c: Context, node: ast.For, over: RangeValue) -> tuple[TileValue, TileValue, TileValue] | None:
    parts = (over.start, over.stop, over.step)
    if is_poison(*parts):
        return None
    if not isinstance(over.step, Static) or cast(int, over.step.value) <= 0:
        if isinstance(over.step, Static):
            error = errors.NotIterable(c.span(node.iter), what=f"a range with step {over.step.value}")
            error.add(error.Instead("count upwards and compute the index: `i = n - 1 - k`"))
        else:
            error = errors.NotConstant(c.span(node.iter), what="the step of a range", why="a step of 0 would never end")
            error.add(error.Instead("count by 1 and multiply: `i = start + k * step`"))
        c.error(error)
        return None
    dtype: DType = INDEX_DTYPE
    for part in parts:
        if isinstance(part, TileValue):
            if part.shape or part.dtype.kind != "int" or not part.dtype.signed:
                what = f"a range to {describe(part)}"
                error = errors.NotIterable(c.span(node.iter), what=what)
                edit = "reduce the tile to a scalar: `t.max()`" if part.shape else "convert it: `.astype(i32)`"
                c.error(error.add(error.Instead(edit)))
                return None
            dtype = promote(dtype, part.dtype)
    with c.at(node.iter):
        start, stop, step = (
            convert(c, p, dtype) if isinstance(p, TileValue) else c.constant(cast(Number, cast(Static, p).value), dtype)
            for p in parts
        )
    return start, stop, step


def _unrolled(c: Context, node: ast.For, items: Sequence[Value]) -> Flow:
    from freehold.frontend.statements import assign

    if len(items) > MAX_TURNS:
        error = errors.TooLong(
            c.span(node.iter), what=f"the loop has more than {MAX_TURNS} turns", why="each is written out"
        )
        c.error(error.add(error.Instead("count at run time: `for i in range(...)`")))
        return _poisoned(c, node)
    c.frame.loops.append(Loop(node, static=True))
    try:
        for item in items:
            assign(c, node.target, item)
            match _body(c, node.body):
                case Flow.BREAKS:
                    break
                case Flow.RETURNS | Flow.LEAVES as ends:
                    return ends
                case _:
                    continue
    finally:
        c.frame.loops.pop()
    return Flow.FALLS


# --- while -----------------------------------------------------------------------------------------------------------


def while_(c: Context, node: ast.While) -> Flow:
    """`while test:`."""
    if isinstance(node.test, ast.Constant) and not node.test.value:
        return Flow.FALLS
    if isinstance(node.test, ast.Constant) and not flow.of_loop(node).leaves:
        error = errors.ControlFlow(
            c.span(node.test), what="`while True`", where="without a `break`", why="this loop has no end"
        )
        c.error(error.add(error.Instead("leave it: `if done: break`")))
        return Flow.FALLS
    return _repeat(c, node, lambda names, kinds, _: _conditional(c, node, names, kinds))


# --- What a loop carries ---------------------------------------------------------------------------------------------

Write = Callable[[list[str], list[Kind], bool], tuple[Loop, list[TileValue]]]


def _repeat(c: Context, node: ast.For | ast.While, write: Write) -> Flow:
    """
    Writes a loop. `write` is given the variables that it carries, their types, and whether the loop may end before its
    time. It is called again where a number turns out to need another type, or a way out not to be taken.

    Where the loop may have returned from the function, it assigns `flow.RETURNED` and `flow.RESULT`.
    """
    frame = c.frame
    facts = flow.of_loop(node)
    changed = facts.assigned
    targets = {name for name, _ in flow.names(node.target)} if isinstance(node, ast.For) else set[str]()
    captured = flow.captured(frame.tree)
    exposed = facts.exposed | captured
    before = dict(frame.variables)
    names: list[str] = []
    kinds: list[Kind] = []
    for name in changed:
        value = before.get(name)
        if name in targets or value is None or isinstance(value, Unbound | Poison):
            continue
        if (kind := kind_of(value)) is None:
            continue
        if name in exposed or is_live(frame, name, node):
            names.append(name)
            kinds.append(kind)
    tries, leaves, result = 0, facts.leaves, NONE
    if facts.returns:
        before[flow.RETURNED] = frame.variables[flow.RETURNED] = Static(False)
        names.append(flow.RETURNED)
        kinds.append(TileKind(dtypes.bool_, ()))
    while True:
        tries += 1
        mark = len(c.errors)
        prelude = Block()
        with c.into(prelude):
            loop, results = write(names, kinds, leaves)
        wanted = {name: _wanted(loop, name, kind) for name, kind in zip(names, kinds, strict=True)}
        if facts.returns:
            result = _result(c, loop, wanted)
        early = any(s.kind in ("break", "return") and s.node is not node for s in loop.sites)
        never = leaves and not early and tries == 1 and isinstance(node, ast.For)
        if tries == 6 or (list(wanted) == names and list(wanted.values()) == kinds and not never and leaves >= early):
            break
        names, kinds, leaves = list(wanted), list(wanted.values()), early or (leaves and not never)
        if flow.RESULT in wanted:
            kind = wanted[flow.RESULT]
            before[flow.RESULT] = assemble(kind, _any(c, kind))
        del c.errors[mark:]
        prelude.erase(safe_erase=False)
        frame.variables = dict(before)
    _finish(c, loop, names, kinds, before)
    for inner in list(prelude.ops):
        inner.detach()
        c.block.add_op(inner)
    frame.variables = dict(before)
    for name, kind in zip(names, kinds, strict=True):
        count = len(tile_kinds(kind))
        tiles, results = results[:count], results[count:]
        for tile in tiles:
            hint(tile.ssa, name)
        frame.variables[name] = assemble(kind, tiles)
    if flow.RETURNED in names:
        if flow.RESULT not in names:
            frame.variables[flow.RESULT] = result
        if all(s.kind != "break" for s in loop.sites):
            frame.variables[flow.RETURNED] = Static(True)
    construct = "loop"
    for name, place in (*changed.items(), *((t, node) for t in targets)):
        if name in names:
            continue
        ends = [site.variables.get(name) for site in loop.sites if site.kind != "dead"]
        start = before.get(name)
        if start is not None and ends and all(e is not None and same(e, start) for e in ends):
            continue
        if any(isinstance(e, Poison) for e in ends) or isinstance(start, Poison):
            frame.variables[name] = Poison()
            continue
        if start is not None and not isinstance(start, Unbound) and name not in targets and name in exposed:
            end = next((e for e in ends if e is not None and not same(e, start)), start)
            _changes(c, name, start, end, place, node)
            frame.variables[name] = Poison()
            continue
        why = "the loop may run no turn at all"
        unbound = Unbound("assigned", why, construct)
        unbound.places.append((c.span(place), f"`{name}` is assigned in the loop"))
        if name in targets:
            unbound.places.clear()
            unbound.why = f"`{name}` exists in the loop only, which may run no turn at all"
        frame.variables[name] = unbound
    return Flow.MAY_HAVE_RETURNED if flow.RETURNED in names else Flow.FALLS


def _result(c: Context, loop: Loop, wanted: dict[str, Kind]) -> Value:
    """What the loop returns from the function, where that is known at compile time; otherwise the loop carries it, and
    `wanted` says so."""
    returned = [(s.node, s.variables[flow.RESULT]) for s in loop.sites if s.kind == "return"]
    if not returned:
        wanted.pop(flow.RETURNED, None)
        return NONE
    first = returned[0][1]
    if static_of(first) is not None and all(same(value, first) for _, value in returned):
        return first
    kind = kind_of(first)
    for node, value in returned[1:]:
        other = kind_of(value)
        joined = None if kind is None or other is None else join(kind, other)
        if joined is None and not is_poison(first, value):
            returns_differ(c, node, first, value)
        kind = joined
    if kind is None:
        if len(returned) == 1 and not is_poison(first):
            what = f"returning {describe(first)}"
            c.error(errors.ControlFlow(c.span(returned[0][0]), what=what, where="from a loop", why="it has no dtype"))
        return Poison()
    wanted[flow.RESULT] = kind
    return NONE


def returns_differ(c: Context, node: ast.AST, a: Value, b: Value) -> None:
    """Reports that a function returns values that do not meet."""
    _, p, q = difference("", a, b)
    what = f"returning {describe(p)} on one way and {describe(q)} on the other"
    error = errors.ControlFlow(c.span(node), what=what, where="in one function", why="a function's result has one type")
    c.error(error.add(error.Instead("convert the results to one type: `.astype(f32)`")))


def _wanted(loop: Loop, name: str, kind: Kind) -> Kind:
    """The type a variable that entered with numbers should enter with, by what the turns make of it."""
    for site in loop.sites:
        end = site.variables.get(name)
        if site.kind != "dead" and end is not None and not isinstance(end, Unbound | Poison):
            kind = _adapted(kind, kind_of(end))
    return kind


def _adapted(kind: Kind, made: Kind | None) -> Kind:
    """`kind` with its numbers, as far as they are guesses, given the types of `made`."""
    match kind, made:
        case TileKind(weak=True), TileKind(weak=True):
            return made if made.dtype.is_float and not kind.dtype.is_float else kind
        case TileKind(weak=True), TileKind():
            return kind if (made.dtype, made.shape) == (kind.dtype, kind.shape) else made
        case TupleKind(), TupleKind() if made.of is kind.of and len(made.items) == len(kind.items):
            return TupleKind(tuple(map(_adapted, kind.items, made.items)), kind.of)
        case (FixedKind(), TileKind() | FixedKind()) if kind.number is not None and not fits(made, kind):
            return _adapted(kind.number, made)
        case TileKind(weak=True), FixedKind():
            return _adapted(kind, made.number)
        case _:
            return kind


def _finish(c: Context, loop: Loop, names: list[str], kinds: list[Kind], before: dict[str, Value]) -> None:
    """Ends every turn by handing on what the loop carries."""
    reported: set[str] = set()
    for site in loop.sites:
        with c.into(site.block), c.at(site.node):
            values: list[TileValue] = []
            for name, kind in zip(names, kinds, strict=True):
                end = site.variables.get(name)
                made = None if end is None else kind_of(end)
                if site.kind == "dead":
                    values += _any(c, kind)
                elif end is None or not fits(made, kind):
                    if end is not None and name not in reported and not isinstance(end, Poison):
                        reported.add(name)
                        if isinstance(end, Unbound):
                            c.unbound(name, end, site.node)
                        else:
                            place = flow.of_loop(loop.node).assigned[name]
                            _changes(c, name, before[name], end, place, loop.node)
                    values += _any(c, kind)
                else:
                    values += flatten(c, end, kind)
            carried = [v.ssa for v in values]
            if site.kind in ("break", "return"):
                c.add(BreakOp(carried))
            elif loop.counter is None:
                c.add(ContinueOp(carried))
            else:
                index, step = loop.counter
                c.add(ContinueOp([c.add(AddIOp(index.ssa, step.ssa)).result, *carried]))


def _any(c: Context, kind: Kind) -> list[TileValue]:
    """Tiles of a type, where an error or the control flow leaves none to hand on."""
    return [c.constant(0, k.dtype, k.shape) for k in tile_kinds(kind)]


def _changes(c: Context, name: str, before: Value, after: Value, place: ast.AST, node: ast.For | ast.While) -> None:
    whole = name
    name, before, after = difference(name, before, after)
    error = errors.TypeChanges(c.span(place), name=name, before=describe(before), after=describe(after))
    header = node.iter if isinstance(node, ast.For) else node.test
    error.add(error.Enters(c.span(header), name, describe(before)))
    begin = f"{name} = " if name == whole else ""
    if isinstance(before, TileValue) and isinstance(after, TileValue):
        if before.shape == after.shape:
            error.add(error.Instead(f"convert before it is carried on: `.astype({before.dtype})`"))
        elif not before.shape:
            error.add(error.Instead(f"begin with a tile: `{begin}fh.zeros({after.shape}, {after.dtype})`"))
        else:
            error.add(error.Instead("give the new value a name of its own"))
    elif isinstance(before, Static) and isinstance(after, TileValue):
        error.add(error.Instead(f"begin with a tile: `{begin}fh.zeros({after.shape}, {after.dtype})`"))
    else:
        error.add(error.Instead("give the new value a name of its own"))
    c.error(error)


# --- Writing the operations ------------------------------------------------------------------------------------------


def _enter(c: Context, block: Block, names: list[str], kinds: list[Kind]) -> list[SSAValue]:
    """The initial values of what is carried; binds the variables to arguments of the body, after `block.args`."""
    initial: list[SSAValue] = []
    entering: list[Value] = []
    for name, kind in zip(names, kinds, strict=True):
        initial += [v.ssa for v in flatten(c, c.frame.variables[name], kind)]
    location = c.location()
    for name, kind in zip(names, kinds, strict=True):
        tiles: list[TileValue] = []
        for k, type_ in zip(tile_kinds(kind), element_types([kind]), strict=True):
            argument = block.insert_arg(type_, len(block.args), location)
            hint(argument, name)
            tiles.append(TileValue(argument, k.dtype, k.shape))
        entering.append(assemble(kind, tiles))
    for name, value in zip(names, entering, strict=True):
        c.frame.variables[name] = value
    return initial


def _turn(c: Context, loop: Loop, body: Block, start: Callable[[], None]) -> None:
    """Writes the body; a way that falls off its end goes on with the next turn."""
    node = loop.node
    c.frame.loops.append(loop)
    try:
        with c.into(body):
            start()
            if _body(c, node.body) is Flow.FALLS:
                leave(c, "continue", node)
    finally:
        c.frame.loops.pop()


def _results(op: ForOp | LoopOp, kinds: list[Kind]) -> list[TileValue]:
    flat = [k for kind in kinds for k in tile_kinds(kind)]
    return [TileValue(r, k.dtype, k.shape) for r, k in zip(op.results, flat, strict=True)]


def _counted(
    c: Context, node: ast.For, bounds: tuple[TileValue, TileValue, TileValue], names: list[str], kinds: list[Kind]
) -> tuple[Loop, list[TileValue]]:
    from freehold.frontend.statements import assign

    start, stop, step = bounds
    body = Block(arg_types=[start.ssa.type])
    index = TileValue(body.args[0], start.dtype, ())
    body.args[0].location = c.location()
    initial = _enter(c, body, names, kinds)
    loop = Loop(node)
    _turn(c, loop, body, lambda: assign(c, node.target, index))
    op = c.add(ForOp(start.ssa, stop.ssa, step.ssa, initial, Region(body)))
    return loop, _results(op, kinds)


def _leaving(
    c: Context, node: ast.For, bounds: tuple[TileValue, TileValue, TileValue], names: list[str], kinds: list[Kind]
) -> tuple[Loop, list[TileValue]]:
    """A `for` that may end before its time: a loop that counts and tests by itself."""
    from freehold.frontend.statements import assign

    start, stop, step = bounds
    body = Block(arg_types=[start.ssa.type])
    index = TileValue(body.args[0], start.dtype, ())
    body.args[0].location = c.location()
    initial = _enter(c, body, names, kinds)
    loop = Loop(node, counter=(index, step))

    def begin() -> None:
        _unless(c, comparison(c, "<", index, stop), node)
        assign(c, node.target, index)

    _turn(c, loop, body, begin)
    op = c.add(LoopOp([start.ssa, *initial], [v.type for v in initial], Region(body)))
    return loop, _results(op, kinds)


def _conditional(c: Context, node: ast.While, names: list[str], kinds: list[Kind]) -> tuple[Loop, list[TileValue]]:
    body = Block()
    initial = _enter(c, body, names, kinds)
    loop = Loop(node)

    def begin() -> None:
        truth = condition(c, c.lower(node.test), node.test, "a `while`")
        if truth is None or truth is True:
            return
        with c.at(node.test):
            tile = c.constant(False, dtypes.bool_) if truth is False else truth
            _unless(c, tile, node)

    _turn(c, loop, body, begin)
    op = c.add(LoopOp(initial, [v.type for v in initial], Region(body)))
    return loop, _results(op, kinds)


def _unless(c: Context, goes_on: TileValue, node: ast.For | ast.While) -> None:
    """Leaves the loop where `goes_on` does not hold."""
    then, otherwise = Block(), Block()
    with c.into(then):
        c.add(YieldOp([]))
    with c.into(otherwise):
        leave(c, "break", node)
    c.add(IfOp(goes_on.ssa, [], Region(then), Region(otherwise)))
