"""
`return` in the middle of a function, as branches and flags; `break` and `continue`, too, where turns are written out.

What follows an `if` that returns stands in its other branch. Where a `return` is nested deeper, a flag is set in its
place, and what follows asks it. In a loop, the flag is set and the loop is left: `break` and `continue` stay, which are
how a turn of a loop that runs ends. A loop that is written out has no turns in the running kernel. There, `break` and
`continue` are what `return` is in a function.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from freehold.frontend.syntax import core, names
from freehold.frontend.syntax.core import Body, Place, Stmt


def without_returns(function: core.Function) -> None:
    """Rewrites a function and those that are defined in it, in place: each leaves its value in `RESULT`."""
    for each in (function, *function.inner):
        if each.value is None:
            returns = _Returns(each)
            each.end = returns.last_place(each)
            each.body = returns.at_the_end(each.body)


@dataclass(frozen=True, eq=False, slots=True)
class Turn:
    """What a turn does of a loop that is written out."""

    body: Body
    """With neither a `break` nor a `continue` of the loop."""
    item: str
    """The variable that holds what the turn is for."""
    left: str
    """The variable that says whether a turn before it has left the loop. It is not set before the first."""


def turn_of(loop: core.For, live: frozenset[str]) -> Turn:
    """A turn of a loop, as it is written out; `live` are the variables that may be read after it."""
    place = loop.place
    turn = _Turns(loop, live)
    item = _name("item", place)
    assign = core.Assign(loop.target.place, [loop.target], core.Name(loop.target.place, item))
    body: Body = [assign, *turn.at_the_end(loop.body)]
    if any(names.breaks(loop.body)):
        body = [core.If(place, core.Name(place, turn.left), [], body)]
    return Turn(body, item, turn.left)


def _name(word: str, place: Place) -> str:
    return f"{word}${place[0]}.{place[1]}"


def _assign(place: Place, name: str, value: core.Expr) -> core.Assign:
    return core.Assign(place, [core.Name(place, name)], value)


@dataclass(frozen=True, slots=True)
class _Exits:
    """The ways out of one statement that has more behind it."""

    flag: str
    """The variable that says whether one is taken."""
    breaks: bool
    """Whether the statement is a loop, which is left then. Otherwise, what follows asks the flag."""
    needed: frozenset[str] = frozenset()
    """The variables that the statement assigns, and that are read behind it only where the flag is not set."""


class _Rewriter:
    """Rewrites a list of statements that exits leave."""

    kinds: type[Stmt] | tuple[type[Stmt], ...]
    """What an exit is."""
    through_loops: bool
    """Whether those in loops within are exits, too."""
    word: str
    """What flags are called."""
    live: frozenset[str] = frozenset()
    """The variables that may be read after an exit."""

    def result(self, node: Stmt) -> list[Stmt]:
        """What is done in the place of an exit that nothing follows."""
        raise NotImplementedError

    def taken(self, place: Place) -> Stmt:
        """An exit whose result has been said."""
        raise NotImplementedError

    def before(self, place: Place) -> list[Stmt]:
        """What precedes a statement with exits."""
        del place
        return []

    def at_the_end(self, nodes: Sequence[Stmt]) -> Body:
        """What is followed by nothing: every way through it ends with an exit, or with its end."""
        for position, node in enumerate(nodes):
            before, rest = nodes[:position], nodes[position + 1 :]
            if isinstance(node, self.kinds):
                return [*before, *self.result(node)]
            if not self.leave([node]):
                continue
            if isinstance(node, core.If):
                first, second = self.always(node.body), self.always(node.orelse)
                if first or second or not rest:
                    body = self.at_the_end(node.body if first else [*node.body, *rest])
                    orelse = self.at_the_end(node.orelse if second else [*node.orelse, *rest])
                    return [*before, replace(node, body=body, orelse=orelse)]
            return [*before, *self.at_the_end(self._exits(node, rest, frozenset()))]
        return [*nodes, *self.at_its_end()]

    def at_its_end(self) -> list[Stmt]:
        """What is done where no exit was taken."""
        return []

    def _exits(self, node: Stmt, rest: Sequence[Stmt], later: frozenset[str]) -> Body:
        """A statement with exits in it: what is done in its place, with a flag, and the `rest` that follows. Behind
        that, `later` is read."""
        place = node.place
        flag = _name(self.word, place)
        breaks = isinstance(node, _LOOPS)
        needed = later.union(names.exposed(rest)).intersection(names.assigned([node])) - self.live
        exits = _Exits(flag, breaks, frozenset() if breaks else needed)
        leaves = [self.taken(place)]
        follows: list[Stmt] = [core.If(place, core.Name(place, flag), leaves, []), *rest]
        if self.is_endless(node):  # the flag is set: it need not be asked
            follows = leaves
        before = [_assign(place, flag, core.Constant(place, False)), *self.before(place)]
        return [*before, self.inside(node, exits), *follows]

    def inside(self, node: Stmt, exits: _Exits) -> Stmt:
        """A statement that `exits` is about, or whose exits are of those."""
        match node:
            case core.If():
                return replace(node, body=self._inside(node.body, exits), orelse=self._inside(node.orelse, exits))
            case core.For() | core.While() | core.With():
                return replace(node, body=self._inside(node.body, exits))
            case _:
                raise AssertionError(type(node).__name__)

    def _inside(self, nodes: Sequence[Stmt], exits: _Exits) -> Body:
        """Statements in one that `exits` is about."""
        found: Body = []
        for position, node in enumerate(nodes):
            rest = nodes[position + 1 :]
            if isinstance(node, self.kinds):
                place = node.place
                found += [*self.result(node), _assign(place, exits.flag, core.Constant(place, True))]
                if exits.breaks:
                    return [*found, core.Break(place, True)]
                # What follows need not find the variables that it would read.
                return found + [_assign(place, name, core.Anything(place)) for name in sorted(exits.needed)]
            if not self.leave([node]):
                found.append(node)
            elif isinstance(node, core.If) and (exits.breaks or not rest):
                found.append(self.inside(node, exits))
            elif isinstance(node, core.If) and (self.always(node.body) or self.always(node.orelse)):
                first = self.always(node.body)
                body = [*node.body, *(() if first else rest)]
                orelse = [*node.orelse, *(rest if first else ())]
                return [*found, self.inside(replace(node, body=body, orelse=orelse), exits)]
            else:
                return found + self._inside(self._exits(node, rest, exits.needed), exits)
        return found

    # --- What statements do ------------------------------------------------------------------------------------------

    def leave(self, nodes: Sequence[Stmt]) -> bool:
        """Whether an exit stands in `nodes`, in any nesting."""
        return any(_within(nodes, self.kinds, loops=self.through_loops))

    def always(self, nodes: Sequence[Stmt]) -> bool:
        """Whether every way through `nodes` ends in an exit, as far as syntax says."""
        leaving = _within(nodes, (core.Break, core.Continue), loops=False)
        return all(isinstance(node, self.kinds) for node in leaving) and any(map(self._always, nodes))

    def _always(self, node: Stmt) -> bool:
        match node:
            case core.If():
                return any(map(self._always, node.body)) and any(map(self._always, node.orelse))
            case core.While():
                return self.is_endless(node) and self.leave(node.body)
            case _:
                return isinstance(node, self.kinds)

    def is_endless(self, node: Stmt) -> bool:
        """Whether a statement is a loop that is left by exits only."""
        if not isinstance(node, core.While) or not isinstance(node.test, core.Constant) or not node.test.value:
            return False
        return self.through_loops and all(b.returns for b in names.breaks(node.body))


class _Returns(_Rewriter):
    """Of a function: exits are its `return`s."""

    kinds = core.Return
    through_loops = True
    word = "returned"

    def __init__(self, function: core.Function):
        returns = _within(function.body, core.Return, loops=True)
        self.valued: Final = any(isinstance(r, core.Return) and r.value is not None for r in returns)
        """Whether it returns more than `None`."""
        self.end: Final = function.end

    def last_place(self, function: core.Function) -> Place:
        """Where what a function does last stands: a `return` in front of what is never reached, if there is some."""
        for node in function.body[:-1]:
            if self.always([node]):
                *_, last = _within([node], self.kinds, loops=True)
                return last.place
        return function.end

    def result(self, node: Stmt) -> list[Stmt]:
        assert isinstance(node, core.Return)
        if not self.valued:  # so that no variable is needed
            return []
        if isinstance(node.value, core.Name) and node.value.id == core.RESULT:
            return []
        return [_assign(node.place, core.RESULT, node.value or core.Constant(node.place, None))]

    def taken(self, place: Place) -> Stmt:
        return core.Return(place, core.Name(place, core.RESULT) if self.valued else None)

    def before(self, place: Place) -> list[Stmt]:
        return [_assign(place, core.RESULT, core.Anything(place))] if self.valued else []

    def at_its_end(self) -> list[Stmt]:
        return self.result(core.Return(self.end, None))

    def inside(self, node: Stmt, exits: _Exits) -> Stmt:
        if isinstance(node, core.With):  # refused, when it is known that it is an `unsafe` block
            return core.With(node.place, node.context, [], True)
        return super().inside(node, exits)


class _Turns(_Rewriter):
    """Of a turn of a loop: exits are the `break`s and `continue`s of the loop."""

    kinds = (core.Break, core.Continue)
    through_loops = False
    word = "ended"

    def __init__(self, loop: core.For, live: frozenset[str]):
        self.live = live
        self.left: Final = _name("left", loop.place)

    def result(self, node: Stmt) -> list[Stmt]:
        place = node.place
        match node:
            case core.Break():
                stop = [] if node.returns else [core.Pass(place)]  # where a debugger may stop
                return [*stop, _assign(place, self.left, core.Constant(place, True))]
            case core.Continue():
                return [] if node.asked else [core.Pass(place)]
            case _:
                raise AssertionError(type(node).__name__)

    def taken(self, place: Place) -> Stmt:
        return core.Continue(place, asked=True)


_LOOPS: Final = (core.For, core.While)


def _within(nodes: Sequence[Stmt], kinds: type[Stmt] | tuple[type[Stmt], ...], *, loops: bool) -> Iterator[Stmt]:
    """The statements of `kinds` in `nodes`, also those in `loops` in it."""
    for node in nodes:
        if isinstance(node, kinds):
            yield node
        elif isinstance(node, core.If):
            yield from _within([*node.body, *node.orelse], kinds, loops=loops)
        elif isinstance(node, core.With) or (loops and isinstance(node, _LOOPS)):
            yield from _within(node.body, kinds, loops=loops)
