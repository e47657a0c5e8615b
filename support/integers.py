"""What integer operations mean: one table by width and sign, from which all derives that computes with integers.

A register of a width holds bits. An operation reads them as numbers, signed or unsigned, computes exactly, and keeps
the lower bits of what comes out. Here the number that stands for the contents of a register is the signed reading; of a
truth value, a register of one bit, it is 0 or 1, although to a signed reading true is -1.

What is not defined (a divisor of zero, the least number divided by -1, a shift by the width or more, a broken promise
not to wrap) is said here, too, and nowhere else: the result is None.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

RELATIONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less_than": operator.lt,
    "less_than_or_equal": operator.le,
    "greater_than": operator.gt,
    "greater_than_or_equal": operator.ge,
}
"""What the predicates of comparisons mean, of numbers and of NumPy's arrays."""


def limits(width: int, *, signed: bool = True) -> tuple[int, int]:
    """The least and the greatest number that a register of a width is read as."""
    return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)


def contents(width: int) -> tuple[int, int]:
    """The least and the greatest number that stands for the contents of a register."""
    return limits(width, signed=width > 1)


def wrapped(number: int, width: int) -> int:
    """What stands for the contents of a register that keeps the lower bits of a number."""
    bits = number & ((1 << width) - 1)
    return bits - (1 << width) if width > 1 and bits >> (width - 1) else bits


def read(content: int, width: int, *, signed: bool) -> int:
    """The number that the contents of a register are read as."""
    if not signed:
        return content & ((1 << width) - 1)
    return -content if width == 1 else content


def quotient(a: int, b: int, rounding: str) -> int:
    """`a / b`, rounded to `zero`, down (`negative_inf`) or up (`positive_inf`). `b` is not zero."""
    down, rest = divmod(a, b)
    up = rest and (rounding == "positive_inf" or (rounding == "zero" and down < 0))
    return down + bool(up)


def remainder(a: int, b: int) -> int:
    """What a quotient that is rounded to zero leaves: it has the dividend's sign. `b` is not zero."""
    left = abs(a) % abs(b)
    return -left if a < 0 else left


@dataclass(frozen=True, slots=True)
class Meaning:
    """What one operation computes."""

    name: str
    """Its name in Tile IR: `addi`, `divi`, ..."""
    width: int
    """Of its operands, in bits."""
    result_width: int
    signed: bool = True
    """How it reads its operands, where it says so."""
    detail: str = ""
    """The rounding of a division, or the predicate of a comparison."""
    promise: str = "none"
    """What it promises about overflow: `no_signed_wrap`, `no_unsigned_wrap`, `no_wrap`."""

    def readings(self) -> tuple[bool, ...]:
        """Of each operand, whether it is read as signed: for an operation to which that is all the same, it is."""
        if self.detail in ("equal", "not_equal"):
            return True, True
        return tuple(self.signed if how == _DECLARED else how == _SIGNED for how in _TABLE[self.name].reads)

    def numbers(self, operands: Sequence[int]) -> list[int]:
        """What the contents of the operands' registers are read as."""
        return [read(x, self.width, signed=how) for x, how in zip(operands, self.readings(), strict=True)]

    def exact(self, *numbers: int) -> int:
        """The number that the operation computes of those that it has read. It is defined for them."""
        return _TABLE[self.name].exact(self, *numbers)

    def undefined(self) -> Sequence[tuple[Callable[..., Any], str]]:
        """Where it is not defined: predicates of the numbers that it has read, or of arrays of them; and why."""
        return _TABLE[self.name].undefined(self)

    def broken(self, operands: Sequence[int]) -> str | None:
        """As what the result wraps that is promised not to: `signed` or `unsigned`; None where the promise is kept."""
        for what, words in (("signed", ("no_signed_wrap", "no_wrap")), ("unsigned", ("no_unsigned_wrap", "no_wrap"))):
            signed = what == "signed"
            if self.promise not in words or (self.name == "negi" and not signed):
                continue  # unsigned negation always wraps, and nothing else is promised of it
            # The amount of a shift is unsigned in either case.
            first, *others = [read(x, self.width, signed=signed) for x in operands]
            if self.name == "shli":
                others = [read(operands[1], self.width, signed=False)]
            low, high = limits(self.result_width, signed=signed)
            if not low <= self.exact(first, *others) <= high:
                return what
        return None

    def __call__(self, *operands: int) -> int | None:
        """What the result's register holds, of what the operands' registers hold; None where it is not defined."""
        numbers = self.numbers(operands)
        if any(where(*numbers) for where, _ in self.undefined()):
            return None
        if self.broken(operands) is not None:
            return None
        return wrapped(self.exact(*numbers), self.result_width)


_SIGNED: Final = "signed"
_UNSIGNED: Final = "unsigned"
_DECLARED: Final = "as declared"


def _nowhere(_: Meaning) -> Sequence[tuple[Callable[..., Any], str]]:
    return ()


@dataclass(frozen=True, slots=True)
class _Entry:
    exact: Callable[..., int]
    """Of the meaning, and the numbers that were read."""
    reads: tuple[str, ...]
    undefined: Callable[[Meaning], Sequence[tuple[Callable[..., Any], str]]] = _nowhere


def _zero(_: Any, divisor: Any) -> Any:
    return divisor == 0


def _division(m: Meaning) -> Sequence[tuple[Callable[..., Any], str]]:
    least = limits(m.width)[0]
    too_large: Callable[[Any, Any], Any] = lambda a, b: (a == least) & (b == -1)  # noqa: E731
    zero = (_zero, "division by zero")
    return (zero, (too_large, f"{least} divided by -1 does not fit in {m.width} bits")) if m.signed else (zero,)


def _shift(m: Meaning) -> Sequence[tuple[Callable[..., Any], str]]:
    too_far: Callable[[Any, Any], Any] = lambda _, amount: amount >= m.width  # noqa: E731
    return ((too_far, f"a shift by {m.width} or more of a number of {m.width} bits"),)


def _unary(exact: Callable[[Meaning, int], int], reads: str = _SIGNED) -> _Entry:
    return _Entry(exact, (reads,))


def _binary(
    exact: Callable[[Meaning, int, int], int],
    left: str = _SIGNED,
    right: str = _SIGNED,
    undefined: Callable[[Meaning], Sequence[tuple[Callable[..., Any], str]]] = _nowhere,
) -> _Entry:
    return _Entry(exact, (left, right), undefined)


_TABLE: Final[dict[str, _Entry]] = {
    "addi": _binary(lambda _, a, b: a + b),
    "subi": _binary(lambda _, a, b: a - b),
    "muli": _binary(lambda _, a, b: a * b),
    "mulhii": _binary(lambda m, a, b: a * b >> m.width, _UNSIGNED, _UNSIGNED),
    "divi": _binary(lambda m, a, b: quotient(a, b, m.detail), _DECLARED, _DECLARED, _division),
    "remi": _binary(lambda _, a, b: remainder(a, b), _DECLARED, _DECLARED, _division),
    "mini": _binary(lambda _, a, b: min(a, b), _DECLARED, _DECLARED),
    "maxi": _binary(lambda _, a, b: max(a, b), _DECLARED, _DECLARED),
    "cmpi": _binary(lambda m, a, b: int(RELATIONS[m.detail](a, b)), _DECLARED, _DECLARED),
    "andi": _binary(lambda _, a, b: a & b),
    "ori": _binary(lambda _, a, b: a | b),
    "xori": _binary(lambda _, a, b: a ^ b),
    "shli": _binary(lambda _, a, b: a << b, _SIGNED, _UNSIGNED, _shift),
    "shri": _binary(lambda _, a, b: a >> b, _DECLARED, _UNSIGNED, _shift),
    "negi": _unary(lambda _, a: -a),
    "absi": _unary(lambda _, a: abs(a)),
    "exti": _unary(lambda _, a: a, _DECLARED),
    "trunci": _unary(lambda _, a: a),
}

OPERATIONS: Final = tuple(_TABLE)
"""The names of the operations that have a meaning here."""
