"""Loops: counted ones, `while`, and ones that are unrolled; the variables they carry are found, not declared."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from enum import EnumType
from typing import TypeAlias, cast

from freehold.dialects.cuda_tile.ops.control_flow import BreakOp, ContinueOp, ForOp, LoopOp
from freehold.frontend import advice_on_values, counts, errors
from freehold.frontend.arithmetic import arithmetic, comparison
from freehold.frontend.assignments import assign
from freehold.frontend.conditions import condition
from freehold.frontend.context import Context, Flow
from freehold.frontend.counts import Count
from freehold.frontend.joins import anything, either, flatten
from freehold.frontend.kinds import (
    FixedKind,
    Found,
    Kind,
    TileKind,
    TupleKind,
    assemble,
    difference,
    enters,
    fits,
    join,
    kind_of,
    tile_kinds,
)
from freehold.frontend.operands import host_value
from freehold.frontend.syntax import core
from freehold.frontend.syntax.names import assigned, of_target
from freehold.frontend.typed import Block, hint
from freehold.frontend.types import tile_type
from freehold.frontend.values import (
    ANYTHING,
    POISON,
    Ending,
    Loop,
    PlaceValue,
    Poison,
    RangeValue,
    RecordValue,
    RegionValue,
    Site,
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
)
from freehold.support import dtypes
from freehold.support.dtypes import DType

MAX_TURNS = 1000


def leave(c: Context, kind: Ending, node: core.Node) -> None:
    """Notes that the current block ends here, by leaving the turn."""
    c.frame.loops[-1].sites.append(Site(kind, c.block, dict(c.frame.variables), node))


# --- for -------------------------------------------------------------------------------------------------------------


def for_(c: Context, node: core.For) -> Flow:
    """`for x in ...`."""
    over = c.lower(node.iter)
    match over:
        case Poison():
            return _poisoned(c, node)
        case TupleValue() | Static(value=range() | EnumType()):
            return _unrolled(c, node, items_of(over, MAX_TURNS + 1) or ())
        case RangeValue() if over.static:
            return _static_range(c, node, over)
        case RangeValue() | TilesValue():
            with c.at(node.iter):
                count = counts.of(c, node, over)
        case _:
            error = errors.NotIterable(c.span(node.iter), what=describe(over))
            if isinstance(over, TensorValue):
                error.add(error.Instead(f"run over its tiles: `for i in fh.tiles({over.name}, axis=0, size=64):`"))
            elif isinstance(over, Static) and isinstance(over.value, int):
                error.add(error.Instead(f"count up to it: `range({c.text(node.iter)})`", at=c.span(node.iter)))
            elif isinstance(over, TileValue):
                edit = (
                    "combine its elements: `t.sum(axis)`"
                    if over.shape
                    else f"count up to it: `range({c.text(node.iter)})`"
                )
                error.add(error.Instead(edit, at=None if over.shape else c.span(node.iter)))
            elif isinstance(over, Static) and not is_comparable(over.value):
                host_value(c, node.iter, over.value)
                return _poisoned(c, node)
            c.error(error)
            return _poisoned(c, node)
    if count is None:
        return _poisoned(c, node)
    return _repeat(c, node, lambda carried, leaves: (_leaving if leaves else _counted)(c, node, count, carried))


def _poisoned(c: Context, node: core.For) -> Flow:
    """Reads the body of a loop that cannot be written, for its own errors."""
    for name in of_target(node.target):
        c.frame.variables[name.id] = POISON
    with c.into(Block()):
        c.frame.loops.append(Loop(node))
        c.statements(node.body)
        c.frame.loops.pop()
    for name in assigned(node.body):
        c.frame.variables[name] = POISON
    return Flow.FALLS


def _static_range(c: Context, node: core.For, over: RangeValue) -> Flow:
    if cast(Static, over.step).value == 0:
        c.error(errors.ArithmeticFails(c.span(node.iter), what="the step of a range is 0"))
        return _poisoned(c, node)
    return _unrolled(c, node, items_of(over, MAX_TURNS + 1) or ())


def _unrolled(c: Context, node: core.For, items: Sequence[Value]) -> Flow:
    if len(items) > MAX_TURNS:
        error = errors.TooLong(
            c.span(node.iter), what=f"the loop has more than {MAX_TURNS} turns", why="each is written out"
        )
        c.error(error.add(error.Instead("count at run time: `for i in range(...)`")))
        return _poisoned(c, node)
    turn = c.frame.facts.turn(node)
    c.frame.variables[turn.left] = Static(False)
    for item in items:
        c.frame.variables[turn.item] = item
        if c.statements(turn.body) is Flow.LEAVES:  # by a `raise`: its own ways out are variables
            return Flow.LEAVES
        left = c.frame.variables[turn.left]
        if isinstance(left, Static) and left.value:
            break
    return Flow.FALLS


# --- while -----------------------------------------------------------------------------------------------------------


def while_(c: Context, node: core.While) -> Flow:
    """`while test:`."""
    if isinstance(node.test, core.Constant) and not node.test.value:
        return Flow.FALLS
    if isinstance(node.test, core.Constant) and not c.frame.facts.loop(node).leaves:
        error = errors.ControlFlow(
            c.span(node.test), what="`while True`", where="without a `break`", why="this loop has no end"
        )
        c.error(error.add(error.Instead("leave it: `if done: break`")))
        return Flow.FALLS
    return _repeat(c, node, lambda carried, _: _conditional(c, node, carried))


# --- What a loop carries ---------------------------------------------------------------------------------------------

Carried: TypeAlias = dict[str, Kind]
"""The variables that go from turn to turn, with their types."""
Write = Callable[[Carried, bool], tuple[Loop, list[TileValue]]]


def _repeat(c: Context, node: core.Loop, write: Write) -> Flow:
    """
    Writes a loop. `write` is given the variables that it carries, with their types, and whether the loop may end before
    its time. It is called again where a number turns out to need another type, or a way out not to be taken.
    """
    frame = c.frame
    facts = frame.facts.loop(node)
    before = dict(frame.variables)
    entering = _entering(c, node)
    found = Found(node, entering, entering, facts.leaves)
    remembered = _remembered(c, found)
    if remembered is not None:
        found.carried, found.leaves, found.inner = remembered.carried, remembered.leaves, remembered.inner
    c.found.append(found)
    first = True
    while True:
        mark = len(c.errors), len(c.breakpoints)
        prelude = Block()
        with c.into(prelude), _expecting(c, found.inner) as found.inner:
            loop, results = write(found.carried, found.leaves)
        carried, known = _agreed(c, loop, found.carried, before)
        early = any(s.kind == "break" and s.node is not node for s in loop.sites)
        never = found.leaves and not early and first and isinstance(node, core.For)
        if carried == found.carried and not never and found.leaves >= early:
            typed = len(c.errors)
            _finish(c, loop, carried, before)
            if remembered is None or typed == len(c.errors):
                break
            # What was found before does not fit now.
            carried, early, never, remembered = found.entering, facts.leaves, False, None
        found.carried, found.leaves = carried, early or (found.leaves and not never)
        first = False
        del c.errors[mark[0] :], c.breakpoints[mark[1] :]
        frame.variables = dict(before)
    c.block.absorb(prelude.body)
    frame.variables = dict(before)
    for name, kind in carried.items():
        count = len(tile_kinds(kind))
        tiles, results = results[:count], results[count:]
        for tile in tiles:
            hint(tile.var, name)
        frame.variables[name] = assemble(kind, tiles)
    frame.variables |= known
    for name, place in facts.assigned.items() | dict.fromkeys(facts.targets, node).items():
        if name not in carried and not _is_ours(name, before):
            frame.variables[name] = _behind(c, loop, name, place, before.get(name))
    return Flow.FALLS


def _is_ours(name: str, before: dict[str, Value]) -> bool:
    """Whether a variable is one of ours that was there before a loop: it is carried where it differs by the way."""
    return core.is_hidden(name) and name in before


def _entering(c: Context, node: core.Loop) -> Carried:
    """The user's variables that a loop carries, with the types with which they enter it."""
    facts, variables = c.frame.facts, c.frame.variables
    loop = facts.loop(node)
    found: Carried = {}
    for name in loop.assigned:
        value = variables.get(name)
        if name in loop.targets or value is None or isinstance(value, Unbound | Poison) or core.is_hidden(name):
            continue
        if name in loop.exposed or facts.is_live(name, node):
            kind = kind_of(value)
            if kind is not None:
                found[name] = kind
    return found


def _agreed(c: Context, loop: Loop, carried: Carried, before: dict[str, Value]) -> tuple[Carried, dict[str, Value]]:
    """What a loop should carry by what its turns make of it, and which variables of ours are known behind it."""
    found = {name: _wanted(loop, name, kind) for name, kind in carried.items()}
    known: dict[str, Value] = {}
    facts = c.frame.facts
    for name in facts.loop(loop.node).assigned:
        if _is_ours(name, before) and facts.is_live(name, loop.node):
            taken = _taken(c, loop, name, before[name])
            if isinstance(taken, TileKind | TupleKind):
                found[name] = taken
            else:
                known[name] = taken
    return found, known


def _behind(c: Context, loop: Loop, name: str, place: core.Node, start: Value | None) -> Value:
    """What a variable is behind a loop that assigns it and does not carry it; `start` is what it was before."""
    ends = [site.variables.get(name) for site in loop.sites if site.kind != "dead"]
    if start is not None and ends and all(e is not None and same(e, start) for e in ends):
        return start
    if is_poison(*(value for value in (start, *ends) if value is not None)):
        return POISON
    facts = c.frame.facts
    of_loop = facts.loop(loop.node)
    target = name in of_loop.targets
    exposed = name in of_loop.exposed or name in facts.captured
    if start is not None and not isinstance(start, Unbound) and not target and exposed:
        end = next((e for e in ends if e is not None and not same(e, start)), start)
        _changes(c, name, start, end, place, loop.node)
        return POISON
    if isinstance(start, Unbound) and start.state == "of one type":  # which says more
        return start
    if target:
        return Unbound("assigned", f"`{name}` exists in the loop only, which may run no turn at all", "loop")
    where = [(c.span(place), f"`{name}` is assigned in the loop")]
    return Unbound("assigned", "the loop may run no turn at all", "loop", where)


def _remembered(c: Context, found: Found) -> Found | None:
    """What was found out about a loop when what it stands in was typed before, if variables entered it as now."""
    place = len(c.found)
    if place >= len(c.expected):
        return None
    known = c.expected[place]
    return known if known.node is found.node and known.entering == found.entering else None


@contextmanager
def _expecting(c: Context, expected: Sequence[Found]) -> Generator[list[Found]]:
    """Types a body, in which the loops were once found to be as `expected`; gives what they are found to be now."""
    outer = c.found, c.expected
    c.found, c.expected = [], expected
    try:
        yield c.found
    finally:
        c.found, c.expected = outer


def _taken(c: Context, loop: Loop, name: str, start: Value) -> TileKind | TupleKind | Value:
    """What a variable of ours is after a loop: its type, if the loop carries it, or, where it is known at compile time,
    the value itself."""
    sites = [s for s in loop.sites if s.kind != "dead"]
    ends = [(s, s.variables.get(name, start)) for s in sites if s.variables.get(name) is not ANYTHING]
    if is_poison(*(end for _, end in ends)):
        return POISON
    if not ends:
        return start
    (site, first), *others = ends
    if is_known(first) and all(same(end, first) for _, end in others):
        return first
    kind = kind_of(first)
    for other, end in others:
        found = kind_of(end)
        kind = None if kind is None or found is None else join(kind, found)
        if kind is None:
            returns_differ(c, other.node, first, end)
            return POISON
    if kind is None:
        what = f"returning {describe(first)}"
        why = "it exists in the loop only"
        c.error(errors.ControlFlow(c.span(site.node), what=what, where="in a loop", why=why))
        return POISON
    assert isinstance(kind, TileKind | TupleKind)
    return TileKind(kind.dtype, kind.shape) if isinstance(start, Static) and isinstance(kind, TileKind) else kind


def is_known(value: Value) -> bool:
    """Whether a value exists at compile time only, so that it is the same in the loop and after it."""
    parts = value.items if isinstance(value, TupleValue | RecordValue) else ()
    return not isinstance(value, TileValue | RegionValue | PlaceValue) and all(map(is_known, parts))


def returns_differ(c: Context, node: core.Node, a: Value, b: Value) -> None:
    """Reports that a function returns values that do not meet."""
    _, p, q = difference("", a, b)
    what = f"returning {describe(p)} on one way and {describe(q)} on the other"
    error = errors.ControlFlow(c.span(node), what=what, where="in one function", why="a function's result has one type")
    if isinstance(p, TileValue) and isinstance(q, TileValue) and p.shape == q.shape:
        edit = "convert the results to one type: `.astype(f32)`"
    elif any(isinstance(v, Static) and v.value is None for v in (p, q)):
        edit = "return a value on every way"
    else:
        edit = "return values of one type and shape on every way"
    c.error(error.add(error.Instead(edit)))


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


def _finish(c: Context, loop: Loop, carried: Carried, before: dict[str, Value]) -> None:
    """Ends every turn by handing on what the loop carries."""
    reported: set[str] = set()
    changed = c.frame.facts.loop(loop.node).assigned
    for name, kind in carried.items():
        end = next((s.variables[name] for s in loop.sites if name in s.variables and s.kind != "dead"), before[name])
        if not enters(kind_of(before[name]), kind) and name in changed:
            reported.add(name)
            _changes(c, name, before[name], end, changed[name], loop.node)
    for site in loop.sites:
        with c.into(site.block), c.at(site.node):
            values: list[TileValue] = []
            for name, kind in carried.items():
                end = site.variables.get(name)
                if site.kind != "dead" and end is not None and fits(kind_of(end), kind):
                    values += flatten(c, end, kind)
                    continue
                values += anything(c, kind)
                read = site.kind == "continue" or (site.kind == "break" and c.frame.facts.is_live(name, loop.node))
                if read and name not in reported and end is not None and not is_poison(end):
                    reported.add(name)
                    if isinstance(end, Unbound):
                        c.unbound(name, end, site.node)
                    elif core.is_hidden(name):
                        returns_differ(c, site.node, before[name], end)
                    else:
                        _changes(c, name, before[name], end, changed[name], loop.node)
            if site.kind == "break":
                c.add(BreakOp, values)
            elif loop.counter is None:
                c.add(ContinueOp, values)
            else:
                index, step = loop.counter
                c.add(ContinueOp, [arithmetic(c, "+", index, step), *values])


def _changes(c: Context, name: str, before: Value, after: Value, place: core.Node, node: core.Loop) -> None:
    whole = name
    name, before, after = difference(name, before, after)
    error = errors.TypeChanges(c.span(place), name=name, before=describe(before), after=describe(after))
    header = node.iter if isinstance(node, core.For) else node.test
    error.add(error.Enters(c.span(header), name, describe(before)))
    begin = f"{name} = " if name == whole else ""
    if isinstance(before, TileValue) and isinstance(after, TileValue):
        if before.shape == after.shape:
            edit = advice_on_values.of_carried(c, whole if begin else None, node, before.dtype, after)
            error.add(error.Instead(edit.text, at=edit.at(c)))
        elif not before.shape:
            error.add(error.Instead(f"begin with a tile: `{begin}fh.zeros({after.shape}, fh.{after.dtype})`"))
        elif [n for n in before.shape if n > 1] == [n for n in after.shape if n > 1]:
            error.add(
                error.Instead(
                    f"give what is computed in the loop the shape that it had before: `.reshape({before.shape})`"
                )
            )
        else:
            error.add(error.Instead("give the new value a name of its own"))
    elif isinstance(before, Static) and isinstance(after, TileValue):
        error.add(
            error.Instead(
                f"begin with a tile, of zeros if it is a sum: `{begin}fh.zeros({after.shape}, fh.{after.dtype})`"
            )
        )
    elif isinstance(before, TupleValue) and isinstance(after, TupleValue) and len(before.items) != len(after.items):
        static = advice_on_values.of_growth(c, node)
        error.add(error.Instead(static.text, at=static.at(c)))
    else:
        error.add(error.Instead("give the new value a name of its own"))
    c.error(error)


# --- Writing the operations ------------------------------------------------------------------------------------------


def _enter(c: Context, block: Block, carried: Carried) -> list[TileValue]:
    """The initial values of what is carried; binds the variables to arguments of the body, after `block.args`."""
    initial = [tile for name, kind in carried.items() for tile in flatten(c, c.frame.variables[name], kind)]
    for name, kind in carried.items():
        tiles = [c.argument(block, k.dtype, k.shape, name) for k in tile_kinds(kind)]
        c.frame.variables[name] = assemble(kind, tiles)
    return initial


def _turn(c: Context, loop: Loop, body: Block, start: Callable[[], None]) -> None:
    """Writes the body; a way that falls off its end goes on with the next turn."""
    node = loop.node
    loop.before = {name: value for name, value in c.frame.variables.items() if name not in loop.carried}
    c.frame.loops.append(loop)
    try:
        with c.into(body):
            start()
            if c.statements(node.body) is Flow.FALLS:
                leave(c, "continue", node)
    finally:
        c.frame.loops.pop()


def _flat(carried: Carried) -> list[tuple[DType, tuple[int, ...]]]:
    return [(k.dtype, k.shape) for kind in carried.values() for k in tile_kinds(kind)]


def _counted(c: Context, node: core.For, count: Count, carried: Carried) -> tuple[Loop, list[TileValue]]:
    start, stop, step = count.start, count.stop, count.step
    body = Block()
    index = c.argument(body, start.dtype, ())
    initial = _enter(c, body, carried)
    loop = Loop(node, carried=carried)
    _turn(c, loop, body, lambda: assign(c, node.target, count.index(c, index)))
    return loop, c.tiles(_flat(carried), ForOp, start, stop, step, initial, body)


def _leaving(c: Context, node: core.For, count: Count, carried: Carried) -> tuple[Loop, list[TileValue]]:
    """A `for` that may end before its time: a loop that counts and tests by itself."""
    start, stop, step = count.start, count.stop, count.step
    body = Block()
    index = c.argument(body, start.dtype, ())
    initial = _enter(c, body, carried)
    loop = Loop(node, counter=(index, step), carried=carried)

    def begin() -> None:
        _unless(c, comparison(c, "<", index, stop), node)
        assign(c, node.target, count.index(c, index))

    _turn(c, loop, body, begin)
    return loop, _endless(c, [start, *initial], body, carried)


def _conditional(c: Context, node: core.While, carried: Carried) -> tuple[Loop, list[TileValue]]:
    body = Block()
    initial = _enter(c, body, carried)
    loop = Loop(node, carried=carried)

    def begin() -> None:
        truth = condition(c, c.lower(node.test), node.test, "a `while`")
        if truth is None or truth is True:
            return
        with c.at(node.test):
            tile = c.constant(False, dtypes.bool_) if truth is False else truth
            _unless(c, tile, node)

    _turn(c, loop, body, begin)
    return loop, _endless(c, initial, body, carried)


def _endless(c: Context, initial: list[TileValue], body: Block, carried: Carried) -> list[TileValue]:
    flat = _flat(carried)
    return c.tiles(flat, LoopOp, initial, [tile_type(shape, dtype) for dtype, shape in flat], body)


def _unless(c: Context, goes_on: TileValue, node: core.Loop) -> None:
    """Leaves the loop where `goes_on` does not hold."""
    then, otherwise = Block(), Block()
    with c.into(otherwise):
        leave(c, "break", node)
    either(c, goes_on, (then, []), (otherwise, None))
