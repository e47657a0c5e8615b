"""
`return` in the middle of a function, as branches and flags.

What follows an `if` that returns stands in its other branch. Where a `return` is nested deeper, a flag is set in its
place, and what follows asks it. In a loop, the flag is set and the loop is left. `break` and `continue` stay: they are
how a turn of a loop ends.

What stores on its way to a `return` inside of something is moved behind it, to where the flag is asked: there, each
way stores once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from freehold.frontend.syntax import core, names
from freehold.frontend.syntax.core import Body, Place, Stmt


def without_returns(function: core.Function) -> None:
    """Rewrites a function and those that are defined in it, in place: each leaves its value in `RESULT`."""
    for each in (function, *function.inner):
        if each.value is None:
            returns = _exits_in(each.body, core.Return, loops=True)
            valued = any(isinstance(r, core.Return) and r.value is not None for r in returns)
            each.body = _Rewriter(valued, each.end).at_the_end(each.body)


class _Way(Enum):
    """How a list of statements is left by `return`."""

    ENDS = auto()
    """The function ends with the list: nothing needs to be said."""
    FALLS = auto()
    """A flag is set, and what follows asks it."""
    BREAKS = auto()
    """A flag is set, and the loop around the list is left."""


@dataclass(slots=True)
class _Exits:
    """The ways by `return` out of one statement: a flag for those that leave a value, and one for each that has more to
    do."""

    place: Place
    way: _Way
    asks: list[Stmt] = field(default_factory=list[Stmt])
    """What follows the statement: the flags, and what is to be done where they are set."""
    before: list[Stmt] = field(default_factory=list[Stmt])
    """What precedes it: the flags are not set, and the rest is anything."""
    assigned: frozenset[str] = frozenset()
    """The variables that the statement assigns."""
    needed: frozenset[str] = frozenset()
    """Those of them that are read behind it, where no flag is set."""
    flag: str | None = None
    """The flag of those that leave a value."""
    flags: int = 0
    """How many flags there are."""

    def new_flag(self) -> str:
        """Another flag."""
        line, column, *_ = self.place
        name = f"returned${line}.{column}.{self.flags}"
        self.flags += 1
        self.before.append(_assign(self.place, name, core.Constant(self.place, False)))
        return name

    def leaving(self, flag: str, place: Place) -> list[Stmt]:
        """Sets a flag, and leaves a loop. Elsewhere, what follows need not find the variables that it would read."""
        found: list[Stmt] = [_assign(place, flag, core.Constant(place, True))]
        if self.way is _Way.BREAKS:
            return [*found, core.Break(place, True)]
        return [*found, *(_assign(place, name, core.Anything(place)) for name in sorted(self.needed))]


def _assign(place: Place, name: str, value: core.Expr) -> core.Assign:
    return core.Assign(place, [core.Name(place, name)], value)


class _Rewriter:
    """Rewrites the body of one function; `valued` if it returns more than `None`."""

    def __init__(self, valued: bool, place: Place):
        self.valued = valued
        self.place = place

    def at_the_end(self, nodes: Sequence[Stmt]) -> Body:
        """The end of a function: what every way through it does last is to assign its result."""
        for position, node in enumerate(nodes):
            before, rest = nodes[:position], nodes[position + 1 :]
            if isinstance(node, core.Return):
                return [*before, *self._result(node)]
            if not _returns([node]):
                continue
            if isinstance(node, core.If):
                first, second = always_returns(node.body), always_returns(node.orelse)
                if first or second or not rest:
                    node.body = self.at_the_end(node.body if first else [*node.body, *rest])
                    node.orelse = self.at_the_end(node.orelse if second else [*node.orelse, *rest])
                    return [*before, node]
            return [*before, *self.at_the_end(self._exits(node, rest, frozenset()))]
        return [*nodes, *self._result(core.Return(self.place, None))]

    def _result(self, node: core.Return) -> list[Stmt]:
        """What a `return` assigns. A function that returns nothing needs no variable for it."""
        if not self.valued:
            return []
        if isinstance(node.value, core.Name) and node.value.id == core.RESULT:
            return []
        return [_assign(node.place, core.RESULT, node.value or core.Constant(node.place, None))]

    def _exits(self, node: Stmt, rest: Sequence[Stmt], later: frozenset[str]) -> Body:
        """A statement with a `return` in it: what is done in its place, with flags, and the `rest` that follows.
        Behind that, `later` is read."""
        if isinstance(node, core.With):  # refused, when it is known that it is an `unsafe` block
            node.body, node.returns = [], True
            return [node, *rest]
        way = _Way.FALLS if isinstance(node, core.If) else _Way.BREAKS
        assigned = frozenset(names.assigned([node]))
        exits = _Exits(node.place, way, assigned=assigned, needed=assigned & later.union(names.exposed(rest)))
        if isinstance(node, core.If):
            node.body, node.orelse = self._inside(node.body, exits), self._inside(node.orelse, exits)
        elif isinstance(node, core.For | core.While):
            node.body = self._inside(node.body, exits)
        asks = exits.asks
        if exits.flag is not None:
            value = core.Name(node.place, core.RESULT) if self.valued else None
            asks.append(core.If(node.place, core.Name(node.place, exits.flag), [core.Return(node.place, value)], []))
            if self.valued:
                exits.before.append(_assign(node.place, core.RESULT, core.Anything(node.place)))
        if _is_endless(node):  # one of the flags is set: it need not be asked
            last = asks[-1]
            assert isinstance(last, core.If)
            asks[-1:], rest = last.body, ()
        return [*exits.before, node, *asks, *rest]

    def _inside(self, nodes: Sequence[Stmt], exits: _Exits) -> Body:
        """Statements that `exits` is about."""
        found: Body = []
        for position, node in enumerate(nodes):
            rest = nodes[position:]
            if stores(node) and always_returns(rest):
                return found + self._moved(rest, exits)
            if isinstance(node, core.Return):
                exits.flag = exits.flag or exits.new_flag()
                return [*found, *self._result(node), *exits.leaving(exits.flag, node.place)]
            if not _returns([node]):
                found.append(node)
            elif isinstance(node, core.If) and (exits.way is _Way.BREAKS or len(rest) == 1):
                node.body, node.orelse = self._inside(node.body, exits), self._inside(node.orelse, exits)
                found.append(node)
            elif isinstance(node, core.If) and (always_returns(node.body) or always_returns(node.orelse)):
                first = always_returns(node.body)
                node.body = self._inside([*node.body, *(() if first else rest[1:])], exits)
                node.orelse = self._inside([*node.orelse, *(rest[1:] if first else ())], exits)
                return [*found, node]
            else:
                return found + self._inside(self._exits(node, rest[1:], exits.needed), exits)
        return found

    def _moved(self, tail: Sequence[Stmt], exits: _Exits) -> list[Stmt]:
        """Leaves `tail` to be done after the statement, with what the variables hold now."""
        flag = exits.new_flag()
        place = tail[0].place
        held = [(name, at) for name, at in sorted(names.exposed(tail).items()) if name in exits.assigned]
        now: list[Stmt] = []
        then: list[Stmt] = []
        for name, at in held:
            kept = f"held${name}{flag.removeprefix('returned')}"
            exits.before.append(_assign(exits.place, kept, core.Anything(exits.place)))
            now.append(_assign(place, kept, core.Name(at, name)))
            then.append(_assign(place, name, core.Name(place, kept)))
        exits.asks.append(core.If(exits.place, core.Name(exits.place, flag), [*then, *tail], []))
        return [*now, *exits.leaving(flag, place)]


# --- What statements do ----------------------------------------------------------------------------------------------


def _returns(nodes: Sequence[Stmt]) -> bool:
    """Whether a `return` of this function stands in `nodes`, in any nesting."""
    return any(_exits_in(nodes, core.Return, loops=True))


def _exits_in(nodes: Sequence[Stmt], kinds: type[Stmt] | tuple[type[Stmt], ...], *, loops: bool) -> Iterator[Stmt]:
    """The statements of `kinds` in `nodes`, also those in `loops` in it."""
    for node in nodes:
        if isinstance(node, kinds):
            yield node
        elif isinstance(node, core.If):
            yield from _exits_in([*node.body, *node.orelse], kinds, loops=loops)
        elif isinstance(node, core.With) or (loops and isinstance(node, core.For | core.While)):
            yield from _exits_in(node.body, kinds, loops=loops)


def always_returns(nodes: Sequence[Stmt]) -> bool:
    """Whether every way through `nodes` ends in a `return`, as far as syntax says."""
    leaves = any(_exits_in(nodes, (core.Break, core.Continue), loops=False))
    return not leaves and any(map(_always, nodes))


def _always(node: Stmt) -> bool:
    match node:
        case core.Return():
            return True
        case core.If():
            return any(map(_always, node.body)) and any(map(_always, node.orelse))
        case core.While():
            return _is_endless(node) and _returns(node.body)
        case _:
            return False


def _is_endless(node: Stmt) -> bool:
    """Whether a statement is a loop that is left by `return` only."""
    if not isinstance(node, core.While) or not isinstance(node.test, core.Constant) or not node.test.value:
        return False
    return all(b.returns for b in names.breaks(node.body))


def stores(node: Stmt) -> bool:
    """Whether a statement may write a region or end its use, as far as syntax says."""
    return any(isinstance(n, core.Attribute) and n.attr in ("store", "release") for n in core.walk(node))
