"""What a function does with its variables: which are read later, and what its loops assign."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from freehold.frontend.syntax import core
from freehold.frontend.syntax.core import Loop, Node, Stmt
from freehold.frontend.syntax.early_exits import Turn, turn_of
from freehold.frontend.syntax.names import assigned, breaks, exposed, free, of_target, read_first


@dataclass(frozen=True, slots=True)
class LoopFacts:
    """What a loop does to the variables around it."""

    assigned: dict[str, Node]
    """The variables its body assigns, each with the node that does so first."""
    exposed: frozenset[str]
    """The variables that a turn may read before it assigns them."""
    leaves: bool
    """Whether a `break` of its own stands in it."""
    targets: frozenset[str]
    """The variables that say which turn it is."""


class Facts:
    """What one function does with its variables."""

    def __init__(self, function: core.Function):
        self.captured = frozenset(name for inner in function.inner for name in free(inner))
        """The names that functions defined in it read: they may do so at every call."""
        self._after: dict[Stmt, frozenset[str]] = {}
        self._loops: dict[Loop, LoopFacts] = {}
        self._turns: dict[core.For, Turn] = {}
        end = frozenset((core.RESULT,))
        self._before(function.body, end, end, end)

    def is_live(self, name: str, after: Stmt) -> bool:
        """Whether a variable may be read after an `if` or a loop."""
        return name in self.captured or name in self._after.get(after, ())

    def loop(self, node: Loop) -> LoopFacts:
        """The facts of a loop."""
        return self._loops[node]

    def turn(self, node: core.For) -> Turn:
        """What a turn of a loop does that is written out."""
        if node not in self._turns:
            live = self._at_turn(node)
            made = self._turns[node] = turn_of(node, live | self.captured)
            self._before(made.body, live.union((made.left,)), frozenset(), frozenset())
        return self._turns[node]

    def _before(
        self, nodes: Sequence[Stmt], after: frozenset[str], at_break: frozenset[str], at_continue: frozenset[str]
    ) -> frozenset[str]:
        """What is live before some statements, given what is after them, and where a turn or the loop goes on."""
        live = after
        for node in reversed(nodes):
            match node:
                case core.Break():
                    live = at_break
                case core.Continue():
                    live = at_continue
                case core.If():
                    self._after[node] = live.union(self._after.get(node, ()))
                    branches = (self._before(body, live, at_break, at_continue) for body in (node.body, node.orelse))
                    live = frozenset[str]().union(*branches)
                case core.For() | core.While():
                    live = self._around(node, live)
                case core.With():
                    live = self._before(node.body, live, at_break, at_continue)
                case core.Assign():
                    live = live.difference(name.id for target in node.targets for name in of_target(target))
                case core.Define():
                    live = live.difference((node.function.name,))
                case _:
                    pass
            live = live.union(read_first(node))
        return live

    def _around(self, node: Loop, after: frozenset[str]) -> frozenset[str]:
        """What is live before a loop."""
        test = node.test if isinstance(node, core.While) else None
        self._after[node] = after.union(self._after.get(node, ()))
        targets = frozenset(n.id for n in of_target(node.target)) if isinstance(node, core.For) else frozenset[str]()
        inside = frozenset(exposed(node.body, test))
        self._loops[node] = LoopFacts(assigned(node.body), inside, any(breaks(node.body)), targets)
        turn = self._at_turn(node)
        self._before(node.body, turn, after, turn)
        return turn

    def _at_turn(self, node: Loop) -> frozenset[str]:
        """What is live where a turn of a loop may begin."""
        facts = self._loops[node]
        return self._after[node] | (facts.exposed - facts.targets)


@lru_cache(maxsize=1024)
def facts(function: core.Function) -> Facts:
    """The facts of a function; it does not change, so they are found once."""
    return Facts(function)
