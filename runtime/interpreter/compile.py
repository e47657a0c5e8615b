"""From IR to closures: every operation becomes a function of a frame, every value a slot of it.

A frame is a list; slot 0 is the machine (memory, place in the grid). Values of one kernel share one frame, because a
kernel does not call itself. What an operation does is looked up once, here; a run is a loop over closures.

A step returns None, or where control goes: `BREAK`, `CONTINUE` or `RETURN`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn

from freehold.dialects.location import span_of
from freehold.runtime.interpreter.adversary import ACCESSES, Adversary, pausing
from freehold.runtime.interpreter.errors import NoMeaning, Undefined
from freehold.runtime.interpreter.marks import tracking
from freehold.support.diagnostic import Error, Rejected

if TYPE_CHECKING:
    from xdsl.ir import Block, Operation, SSAValue

    from freehold.runtime.interpreter.order import Order

Frame = list[Any]
Step = Callable[[Frame], "int | None"]
Function = Callable[..., Any]
"""What an operation computes from its operands' values: its result's value, or a tuple of several."""

BREAK: Final = 1
CONTINUE: Final = 2
RETURN: Final = 3


def nullary(function: Callable[[], Any]) -> Function:
    """A function of no operands."""
    return function


def unary(function: Callable[[Any], Any]) -> Function:
    """A function of one operand."""
    return function


def binary(function: Callable[[Any, Any], Any]) -> Function:
    """A function of two operands."""
    return function


Pure = Callable[["Operation", "Compiler"], Function]
Effect = Callable[["Operation", "Compiler"], Step]

_ENDS: Final = frozenset({"cuda_tile.break", "cuda_tile.continue", "cuda_tile.return"})
_LOOPS: Final = frozenset({"cuda_tile.for", "cuda_tile.loop"})


class TooManyTurns(Exception):
    """A run has taken as many turns of loops as it may."""


def reject(error: Error) -> NoReturn:
    """Ends the run with an error."""
    raise Rejected([error])


class Compiler:
    """Turns the blocks of one kernel into steps. `template` is the frame that each block of the grid starts from."""

    def __init__(
        self,
        pure: dict[str, Pure],
        effects: dict[str, Effect],
        *,
        checked: bool = False,
        adversarial: bool = False,
        turns: int | None = None,
    ):
        self.checked = checked
        """Whether undefined results are errors and accesses are remembered."""
        self.adversarial = adversarial
        """Whether several blocks are under way at once, and take turns at accesses."""
        self.turns = turns
        """How many turns of loops may be taken, all together; None for any number."""
        self.template: Frame = [None]
        self.warned: dict[Operation, dict[Any, Any]] = {}
        """What `warnings` remembers of each operation that has been warned of."""
        self._pure = pure
        self._effects = effects
        self._slots: dict[SSAValue, int] = {}

    def slot(self, value: SSAValue) -> int:
        """The slot of a value."""
        slot = self._slots.get(value)
        if slot is None:
            slot = self._slots[value] = len(self.template)
            self.template.append(None)
        return slot

    def slots(self, values: Sequence[SSAValue]) -> list[int]:
        """The slots of values."""
        return [self.slot(v) for v in values]

    def share(self, value: SSAValue, slot: int) -> None:
        """Gives a value the slot of another, whose lifetime ends where its own begins."""
        assert value not in self._slots
        self._slots[value] = slot

    def adversary(self, order: Order) -> Adversary | None:
        """Who decides what a run leaves open: in adversarial mode, by the seed that `order` is."""
        return Adversary(order if isinstance(order, int) else 0) if self.adversarial else None

    def counting(self, body: Step) -> Step:
        """The body of a loop, whose turns are counted where there may be only so many of them."""
        if self.turns is None:
            return body

        def turn(v: Frame) -> int | None:
            assert self.turns is not None
            self.turns -= 1
            if self.turns < 0:
                raise TooManyTurns
            return body(v)

        return turn

    def undefined(self, op: Operation, reason: str) -> NoReturn:
        """Ends the run: the operation has no defined result."""
        reject(Undefined(span_of(op), op.name, reason))

    def operation(self, op: Operation) -> Step | None:
        """The step of one operation; None where everything was done at once."""
        effect = self._effects.get(op.name)
        if effect is not None:
            step = effect(op, self)
            return pausing(step) if self.adversarial and op.name in ACCESSES else step
        pure = self._pure.get(op.name)
        if pure is None:
            reject(NoMeaning(span_of(op), op.name, "it has no definition there"))
        function = pure(op, self)
        if self.checked:
            function = tracking(op, function)
        if not op.operands and len(op.results) == 1:
            self.template[self.slot(op.results[0])] = function()
            return None
        return bind(function, self.slots(op.operands), self.slots(op.results))

    def block(self, block: Block) -> Step:
        """The steps of a block as one."""
        steps: list[Step] = []
        jumps = False
        for op in block.ops:
            jumps = jumps or may_jump(op)
            step = self.operation(op)
            if step is not None:
                steps.append(step)
        return sequence(steps, jumps)


def may_jump(op: Operation) -> bool:
    """Whether control may leave the block at this operation."""
    if op.name in _ENDS:
        return True
    inner = _ends_inside(op)
    return bool(inner - {"cuda_tile.break", "cuda_tile.continue"}) if op.name in _LOOPS else bool(inner)


def _ends_inside(op: Operation) -> set[str]:
    found: set[str] = set()
    for region in op.regions:
        for block in region.blocks:
            for each in block.ops:
                if each.name in _ENDS:
                    found.add(each.name)
                elif each.name in _LOOPS:
                    found |= _ends_inside(each) & {"cuda_tile.return"}
                else:
                    found |= _ends_inside(each)
    return found


def sequence(steps: Sequence[Step], jumps: bool) -> Step:
    """Steps one after another; with `jumps`, until one says where control goes."""
    steps = tuple(steps)
    if len(steps) == 1:
        return steps[0]

    def straight(v: Frame) -> None:
        for step in steps:
            step(v)

    def jumping(v: Frame) -> int | None:
        for step in steps:
            jump = step(v)
            if jump is not None:
                return jump
        return None

    return jumping if jumps else straight


def copy(sources: Sequence[int], targets: Sequence[int], jump: int | None = None) -> Step:
    """Moves values between slots, all at once, then jumps."""
    if len(sources) == 1:
        (source,), (target,) = sources, targets

        def one(v: Frame) -> int | None:
            v[target] = v[source]
            return jump

        return one
    pairs = tuple(zip(targets, sources, strict=True))
    if not {*sources} & {*targets}:

        def apart(v: Frame) -> int | None:
            for target, source in pairs:
                v[target] = v[source]
            return jump

        return apart

    def together(v: Frame) -> int | None:
        values = [v[source] for source in sources]
        for target, value in zip(targets, values, strict=True):
            v[target] = value
        return jump

    return together


def bind(function: Function, operands: Sequence[int], results: Sequence[int]) -> Step:
    """The step that calls a function on slots."""
    if len(results) != 1:
        operands = tuple(operands)

        def several(v: Frame) -> None:
            for slot, value in zip(results, function(*[v[i] for i in operands]), strict=True):
                v[slot] = value

        return several
    (out,) = results
    match operands:
        case []:

            def none(v: Frame) -> None:
                v[out] = function()

            return none
        case [a]:

            def one(v: Frame) -> None:
                v[out] = function(v[a])

            return one
        case [a, b]:

            def two(v: Frame) -> None:
                v[out] = function(v[a], v[b])

            return two
        case [a, b, c]:

            def three(v: Frame) -> None:
                v[out] = function(v[a], v[b], v[c])

            return three
        case _:
            operands = tuple(operands)

            def many(v: Frame) -> None:
                v[out] = function(*[v[i] for i in operands])

            return many
