"""
What a value of a block may be the same as: of code that the assembler finds to be nothing, for `wrong_code`.

The assembler leaves out what changes nothing, alone or together: `-(-t)`, `(t + u) - u`, two reshapes. A value that is
made of another one so is that one to it. Which operations these are is not listed: values are tried on numbers. Each
value from outside the block, and each that is not understood, stands for some numbers, drawn at random, and what is
computed of it for what comes out. Two values with the same numbers count as one, if their elements lie alike, as far as
that is known (`backend.arrangement`). A tile has one number in each try, and floats are exact. So more values count as
one than are, and none counts as another one that the assembler may take for it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import product
from math import ceil, floor, isfinite, trunc
from random import Random
from typing import TYPE_CHECKING, Any, Final, cast

from xdsl.ir import Operation, SSAValue

from freehold.backend.arrangement import Arrangement, arranged, lie_alike
from freehold.dialects.cuda_tile.folding import literal
from freehold.support.integers import RELATIONS, wrapped

if TYPE_CHECKING:
    from xdsl.ir import Block

    from freehold.dialects.cuda_tile.ops.control_flow import ForOp, IfOp, LoopOp
    from freehold.dialects.cuda_tile.ops.conversion import BitcastOp
    from freehold.dialects.cuda_tile.types import TileType

Numbers = tuple[Any, ...]
"""What a value is in each try: an integer, as registers hold it (`support.integers`), or a fraction."""
Guess = tuple[Numbers, Arrangement]
"""What a value may be: its numbers, and how its elements lie."""

_TRIES: Final = 16
_MOST: Final = 16
"""Guesses for one value, by way of branches: of more, those are kept that are a value which the block is given."""


class Likeness:
    """
    What the values in a block may be: of a loop, or of a kernel. `loops`: whether what a loop inside yields may be what
    it was given, and else is a value of its own.
    """

    def __init__(self, block: Block, *, loops: bool = True):
        self._loops = loops
        self._random = Random(0)
        self._found: dict[SSAValue, frozenset[Guess]] = {}
        self._bits: dict[Any, int] = {}
        self._floats: dict[int, Any] = {}
        self._given = [self._other(value) for value in block.args]
        self.outside: set[Guess] = set()
        """What is used of other blocks, around this one."""
        self._block(block)

    def carried(self, loop: ForOp | LoopOp) -> list[Guess]:
        """What the loop whose block this is carries at the beginning of a turn: it may be nothing."""
        return self._given[len(self._given) - len(loop.carried) :]

    def may_be(self, value: SSAValue, those: Iterable[Guess]) -> bool:
        """Whether a value may be one of those."""
        return any(_same(one, other) for other in those for one in self.of(value))

    def alike(self, one: SSAValue, other: SSAValue) -> bool:
        """Whether two values are the same, as far as this is known."""
        ways, others = self.of(one), self.of(other)
        if one is other:
            return True
        if any(all(n == numbers[0] for n in numbers) for numbers, _ in ways):
            return False  # a constant: each that is equal to it is the same value, but for flags that hardly ever hold
        return all(any(_same(a, b) for b in others) for a in ways) and all(
            any(_same(a, b) for a in ways) for b in others
        )

    def of(self, value: SSAValue) -> frozenset[Guess]:
        """All that a value may be: branches and inner loops yield one of several."""
        if value not in self._found:  # it comes from outside, or of a loop inside
            if literal(value) is None:
                self.outside.add(self._other(value))
            else:
                self._computed(cast("Operation", value.owner))
        return self._found[value]

    def _other(self, value: SSAValue) -> Guess:
        """Lets a value stand for numbers of its own."""
        from freehold.dialects.cuda_tile.types import TileType

        tile = value.type if isinstance(value.type, TileType) else None
        drawn = tuple(self._drawn(tile and tile.width) for _ in range(_TRIES))
        guess = drawn, (("from", None, tile.dims if tile else ()),)
        self._found[value] = frozenset((guess,))
        return guess

    def _drawn(self, width: int | None) -> Any:
        if width == 1:
            return self._random.getrandbits(1)
        if width is not None:
            return self._random.randrange(-(1 << (width - 1)), 1 << (width - 1))
        return Fraction(self._random.randrange(-(1 << 40), 1 << 40), 1 << self._random.randrange(20, 48))

    def _may_be(self, result: SSAValue, ways: Sequence[SSAValue]) -> None:
        """Lets a value be any of several."""
        self._known(result, {guess for way in ways for guess in self.of(way)})

    def _known(self, result: SSAValue, found: set[Guess]) -> None:
        if len(found) > _MOST:
            found = {*found.intersection(self._given), self._other(result)}
        self._found[result] = frozenset(found)

    def _block(self, block: Block) -> None:
        from freehold.dialects.cuda_tile.ops.control_flow import ForOp, IfOp, LoopOp

        for op in block.ops:
            if isinstance(op, IfOp):
                self._if(op)
            elif isinstance(op, ForOp | LoopOp):
                self._loop(op)
            elif op.results:
                self._computed(op)

    def _if(self, op: IfOp) -> None:
        from freehold.dialects.cuda_tile.ops.control_flow import YieldOp

        ends: list[YieldOp] = []
        for region in op.regions:
            for block in region.blocks:
                self._block(block)
                if isinstance(block.last_op, YieldOp):
                    ends.append(block.last_op)
        for number, result in enumerate(op.results):
            self._may_be(result, [end.operands[number] for end in ends])

    def _loop(self, op: ForOp | LoopOp) -> None:
        """A loop inside: what it carries may be what it had at first, what a turn made of that, or anything."""
        from freehold.dialects.cuda_tile.ops.control_flow import BreakOp, ContinueOp, ForOp, ends_of

        if not self._loops:
            return
        for place, first in zip(op.carried, op.initValues, strict=True):
            self._found[place] = self.of(first) | {self._other(place)}
        self._block(op.block)
        turns = ends_of(op, ContinueOp)
        for number, place in enumerate(op.carried):
            self._may_be(place, [place, *(end.operands[number] for end in turns)])
        self._block(op.block)
        ends = turns if isinstance(op, ForOp) else ends_of(op, BreakOp)
        for number, result in enumerate(op.results):
            ways = [end.operands[number] for end in ends]
            self._may_be(result, [*ways, op.initValues[number]] if isinstance(op, ForOp) else ways)

    def _computed(self, op: Operation) -> None:
        """An operation, of each combination of what its operands may be."""
        from freehold.dialects.cuda_tile.ops.shape import InsertOp

        result = op.results[0]
        if isinstance(op, InsertOp):
            whole = op.source.type == result.type
            ways = self.of(op.source) if whole else self.of(op.source) | self.of(op.destination)
            self._known(result, {(numbers, at if whole else None) for numbers, at in ways})
        elif (meaning := self._meaning(op)) is None:
            for one in op.results:
                self._other(one)
        else:
            found = set[Guess]()
            for guesses in product(*map(self.of, op.operands)):
                numbers = self._made(meaning, [numbers for numbers, _ in guesses])
                at = arranged(op, [at for _, at in guesses])
                found.add(self._other(result) if numbers is None else (numbers, at))
                if len(found) > _MOST:
                    break
            self._known(result, found)

    def _made(self, meaning: Callable[..., Any], numbers: Sequence[Numbers]) -> Numbers | None:
        """What an operation makes of numbers; None where it is not known of all of them."""
        tries = zip(*numbers, strict=True) if numbers else ((),) * _TRIES
        try:
            made = tuple(meaning(*each) for each in tries)
        except (ArithmeticError, ValueError, TypeError):  # of infinities, or of what is no integer
            return None
        return None if None in made else made

    def _meaning(self, op: Operation) -> Callable[..., Any] | None:
        """What an operation makes of one number for each operand; None where it is another number, as far as known."""
        from freehold.dialects.cuda_tile.integers import meaning_of
        from freehold.dialects.cuda_tile.ops.arith_float import CmpFOp
        from freehold.dialects.cuda_tile.ops.conversion import BitcastOp, FToIOp

        if (filled := literal(op.results[0])) is not None:
            number = filled.splat_value if filled.is_splat else None
            if isinstance(number, float):
                number = Fraction(number) if isfinite(number) else number
            return lambda: number
        if isinstance(op, BitcastOp):
            return self._bitcast(op)
        if isinstance(op, FToIOp):
            width = cast("TileType", op.results[0].type).width or 1
            return partial(_truncated, width)
        if isinstance(op, CmpFOp):
            return RELATIONS.get(op.comparison_predicate.data.value)
        return _meanings().get(type(op)) or meaning_of(op)

    def _bitcast(self, op: BitcastOp) -> Callable[[Any], Any]:
        """A float's bits are an integer of its own, and back."""
        width = cast("TileType", op.results[0].type).width

        def meaning(number: Any) -> Any:
            if (width is None) == isinstance(number, Fraction):
                return number if width is None else wrapped(number, width)
            if width is None:
                found = self._floats.setdefault(number, Fraction(number, 3))
                self._bits[found] = number
                return found
            found = self._bits.setdefault(number, self._drawn(width))
            self._floats[found] = number
            return found

        return meaning


@cache
def _meanings() -> dict[type[Operation], Callable[..., Any]]:
    """What operations make of numbers that are not in the table of integers."""
    from freehold.dialects.cuda_tile.ops import arith_float as floats
    from freehold.dialects.cuda_tile.ops import conversion, misc, shape

    return {
        floats.AddFOp: operator.add,
        floats.SubFOp: operator.sub,
        floats.MulFOp: operator.mul,
        floats.DivFOp: _divided,
        floats.FmaOp: _multiplied_and_added,
        floats.NegFOp: operator.neg,
        floats.AbsFOp: abs,
        floats.MaxFOp: max,
        floats.MinFOp: min,
        floats.FloorOp: _floor,
        floats.CeilOp: _ceil,
        conversion.IToFOp: Fraction,
        shape.SelectOp: _chosen,
        shape.CatOp: _common,
        **dict.fromkeys(
            (conversion.FToFOp, misc.AssumeOp, shape.ReshapeOp, shape.PermuteOp, shape.BroadcastOp), _first
        ),
        **dict.fromkeys((shape.ExtractOp, shape.PackOp, shape.UnpackOp), _first),
    }


def _truncated(width: int, number: Any) -> int:
    return wrapped(trunc(number), width)


def _first(number: Any, *_: Any) -> Any:
    return number


def _multiplied_and_added(a: Any, b: Any, c: Any) -> Any:
    return a * b + c


def _divided(a: Any, b: Any) -> Any:
    return a / b


def _floor(number: Fraction) -> Fraction:
    return Fraction(floor(number))


def _ceil(number: Fraction) -> Fraction:
    return Fraction(ceil(number))


def _chosen(condition: Any, one: Any, other: Any) -> Any:
    return one if condition else other


def _common(one: Any, other: Any) -> Any:
    return one if one == other else None


def _same(one: Guess, other: Guess) -> bool:
    return one[0] == other[0] and lie_alike(one[1], other[1])
