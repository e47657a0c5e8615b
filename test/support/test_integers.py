"""What integer operations mean, in registers of 8 bits and of one: by numbers that were worked out by hand."""

from __future__ import annotations

import pytest

from freehold.support import integers
from freehold.support.integers import Meaning

WRAPS = ("none", "no_signed_wrap", "no_unsigned_wrap", "no_wrap")


def of(name: str, width: int = 8, result_width: int = 8, **more: object) -> Meaning:
    return Meaning(name, width, result_width, **more)  # pyright: ignore[reportArgumentType] -- as a table gives them


@pytest.mark.parametrize(
    ("width", "signed", "limits"),
    [(8, True, (-128, 127)), (8, False, (0, 255)), (1, True, (-1, 0)), (1, False, (0, 1)), (16, True, (-32768, 32767))],
)
def test_limits(width: int, signed: bool, limits: tuple[int, int]) -> None:
    assert integers.limits(width, signed=signed) == limits
    assert integers.limits(width) == integers.limits(width, signed=True)
    assert integers.contents(width) == ((0, 1) if width == 1 else integers.limits(width))


def test_registers_keep_the_lower_bits() -> None:
    assert [integers.wrapped(n, 8) for n in (127, 128, 255, 256, -128, -129, 513)] == [127, -128, -1, 0, -128, 127, 1]
    assert [integers.wrapped(n, 1) for n in (0, 1, 2, 3, -1)] == [0, 1, 0, 1, 1]
    assert [integers.wrapped(n, 2) for n in (1, 2, 3, 4)] == [1, -2, -1, 0]
    assert [integers.read(n, 8, signed=False) for n in (5, -1, -128)] == [5, 255, 128]
    assert [integers.read(n, 8, signed=True) for n in (5, -1, -128)] == [5, -1, -128]
    assert [integers.read(n, 1, signed=signed) for n in (0, 1) for signed in (True, False)] == [0, 0, -1, 1]


@pytest.mark.parametrize(
    ("rounding", "quotients"),
    [("zero", [3, -3, -3, 3, 4, -4]), ("negative_inf", [3, -4, -4, 3, 4, -4]), ("positive_inf", [4, -3, -3, 4, 4, -4])],
)
def test_quotients(rounding: str, quotients: list[int]) -> None:
    pairs = [(7, 2), (-7, 2), (7, -2), (-7, -2), (8, 2), (-8, 2)]
    assert [integers.quotient(a, b, rounding) for a, b in pairs] == quotients
    assert [integers.remainder(a, b) for a, b in pairs] == [1, -1, 1, -1, 0, 0]


CALLS = [  # contents of registers, as signed numbers
    (of("addi"), (100, 27), 127),
    (of("addi"), (100, 28), -128),
    (of("subi"), (-100, 29), 127),
    (of("subi"), (5, 7), -2),
    (of("muli"), (16, 16), 0),
    (of("muli"), (-3, 5), -15),
    (of("mulhii"), (16, 17), 1),
    (of("mulhii"), (-1, -1), -2),  # 255 * 255 is 254 * 256 + 1
    (of("divi", detail="zero"), (-7, 2), -3),
    (of("divi", detail="negative_inf"), (-7, 2), -4),
    (of("divi", detail="positive_inf"), (7, 2), 4),
    (of("divi", detail="zero", signed=False), (-1, 2), 127),
    (of("divi", detail="zero"), (7, 0), None),
    (of("divi", detail="zero", signed=False), (7, 0), None),
    (of("divi", detail="zero"), (-128, -1), None),
    (of("divi", detail="zero"), (-127, -1), 127),
    (of("divi", detail="zero"), (-128, 1), -128),
    (of("divi", detail="zero", signed=False), (-128, -1), 0),
    (of("remi"), (-7, 2), -1),
    (of("remi"), (7, -2), 1),
    (of("remi", signed=False), (-1, 10), 5),
    (of("remi"), (-128, -1), None),
    (of("remi"), (1, 0), None),
    (of("mini"), (-1, 1), -1),
    (of("mini", signed=False), (-1, 1), 1),
    (of("maxi"), (-1, 1), 1),
    (of("maxi", signed=False), (-1, 1), -1),
    (of("cmpi", 8, 1, detail="less_than"), (-1, 1), 1),
    (of("cmpi", 8, 1, detail="less_than", signed=False), (-1, 1), 0),
    (of("cmpi", 8, 1, detail="less_than"), (1, 1), 0),
    (of("cmpi", 8, 1, detail="less_than_or_equal"), (1, 1), 1),
    (of("cmpi", 8, 1, detail="greater_than"), (1, 1), 0),
    (of("cmpi", 8, 1, detail="greater_than"), (2, 1), 1),
    (of("cmpi", 8, 1, detail="greater_than_or_equal"), (1, 1), 1),
    (of("cmpi", 8, 1, detail="equal"), (1, 1), 1),
    (of("cmpi", 8, 1, detail="not_equal"), (1, 1), 0),
    (of("cmpi", 1, 1, detail="less_than"), (1, 0), 1),  # as signed numbers, true is -1
    (of("andi"), (12, 10), 8),
    (of("ori"), (12, 10), 14),
    (of("xori"), (12, 10), 6),
    (of("xori", 1, 1), (1, 1), 0),
    (of("shli"), (3, 6), -64),
    (of("shli"), (1, 7), -128),
    (of("shli"), (1, 8), None),
    (of("shli"), (1, -1), None),
    (of("shri"), (-8, 1), -4),
    (of("shri", signed=False), (-8, 1), 124),
    (of("shri"), (-8, 7), -1),
    (of("shri"), (-8, 8), None),
    (of("negi"), (5,), -5),
    (of("negi"), (-128,), -128),
    (of("absi"), (-5,), 5),
    (of("absi"), (5,), 5),
    (of("absi"), (-128,), -128),
    (of("exti", 8, 16), (-1,), -1),
    (of("exti", 8, 16, signed=False), (-1,), 255),
    (of("exti", 1, 8), (1,), -1),
    (of("exti", 1, 8, signed=False), (1,), 1),
    (of("trunci", 16, 8), (257,), 1),
    (of("trunci", 16, 8), (128,), -128),
    (of("trunci", 8, 1), (3,), 1),
]


@pytest.mark.parametrize(("meaning", "operands", "expected"), CALLS)
def test_what_is_computed(meaning: Meaning, operands: tuple[int, ...], expected: int | None) -> None:
    assert meaning(*operands) == expected


def test_every_operation_was_asked() -> None:
    assert {meaning.name for meaning, _, _ in CALLS} == {*integers.OPERATIONS}


@pytest.mark.parametrize(
    ("name", "operands", "broken"),
    [
        ("addi", (100, 27), [None, None, None, None]),
        ("addi", (100, 28), [None, "signed", None, "signed"]),
        ("addi", (-1, 1), [None, None, "unsigned", "unsigned"]),
        ("addi", (-128, -128), [None, "signed", "unsigned", "signed"]),
        ("subi", (0, 1), [None, None, "unsigned", "unsigned"]),
        ("subi", (-128, 1), [None, "signed", None, "signed"]),
        ("muli", (16, 16), [None, "signed", "unsigned", "signed"]),
        ("muli", (16, 8), [None, "signed", None, "signed"]),
        ("muli", (-1, -1), [None, None, "unsigned", "unsigned"]),
        ("shli", (1, 7), [None, "signed", None, "signed"]),
        ("shli", (-1, 7), [None, None, "unsigned", "unsigned"]),
        ("shli", (3, 7), [None, "signed", "unsigned", "signed"]),
        ("negi", (5,), [None, None, None, None]),
        ("negi", (-128,), [None, "signed", None, "signed"]),
    ],
)
def test_promises_that_are_broken(name: str, operands: tuple[int, ...], broken: list[str | None]) -> None:
    meanings = [of(name, promise=promise) for promise in WRAPS]
    assert [m.broken(operands) for m in meanings] == broken
    assert [m(*operands) is None for m in meanings] == [found is not None for found in broken]


def test_how_operands_are_read_and_where_nothing_is_defined() -> None:
    assert of("divi").readings() == (True, True)
    assert of("divi", signed=False).readings() == (False, False)
    assert of("cmpi", 8, 1, detail="equal", signed=False).readings() == (True, True)
    assert of("cmpi", 8, 1, detail="less_than", signed=False).readings() == (False, False)
    assert of("shli", signed=False).readings() == (True, False)
    assert of("shri").readings() == (True, False)
    assert of("mulhii").readings() == (False, False)
    assert of("shri").numbers((-8, -1)) == [-8, 255]
    assert of("exti", 8, 16, signed=False).numbers((-1,)) == [255]
    assert of("addi").undefined() == ()
    assert [why for _, why in of("divi").undefined()] == [
        "division by zero",
        "-128 divided by -1 does not fit in 8 bits",
    ]
    assert [why for _, why in of("remi", signed=False).undefined()] == ["division by zero"]
    assert [why for _, why in of("shri", 16, 16).undefined()] == ["a shift by 16 or more of a number of 16 bits"]
    assert of("addi").exact(100, 100) == 200
