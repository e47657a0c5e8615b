"""What operations fold to, against Python's own arithmetic, and that `canonicalize` of xDSL uses it."""

# Kernels are written on one line each, so that a case is a row.
# ruff: noqa: E501

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, IntegerType, bf16, f32, i1
from xdsl.ir import Attribute, Operation
from xdsl.transforms.canonicalize import CanonicalizePass

from freehold.dialects.cuda_tile import (
    SIGNED,
    UNSIGNED,
    AbsIOp,
    AddIOp,
    AndIOp,
    BroadcastOp,
    CmpIOp,
    ConstantOp,
    CudaTile,
    DenseElementsAttr,
    DivIOp,
    ExtIOp,
    IntegerOverflowAttr,
    MaxIOp,
    MinIOp,
    MulhiIOp,
    MulIOp,
    NegIOp,
    OrIOp,
    RemIOp,
    RoundingModeAttr,
    ShlIOp,
    ShrIOp,
    SignednessAttr,
    SubIOp,
    TruncIOp,
    XOrIOp,
)
from freehold.dialects.cuda_tile.folding import fold
from freehold.dialects.cuda_tile.text import parse_disassembly, print_module
from freehold.dialects.cuda_tile.types import is_int, tile

WIDTHS = st.sampled_from([1, 8, 16, 32, 64])
SIGNEDNESS = st.sampled_from([SIGNED, UNSIGNED])


def folded_bits(op: Operation) -> int | None:
    """The bits an operation folds to, or None."""
    result = fold(op)
    if result is None:
        return None
    (found,) = result
    if not isinstance(found, DenseElementsAttr):  # one of the operands, which are all constants here
        owner = found.owner  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
        assert isinstance(owner, ConstantOp)
        found = owner.value
    element = found.type.element_type
    assert is_int(element)
    return int.from_bytes(found.elements()[0], "little") & ((1 << element.width.data) - 1)


def signed(bits: int, width: int) -> int:
    return bits - (1 << width) if bits >> (width - 1) else bits


@st.composite
def pairs(draw: st.DrawFn) -> tuple[int, int, int, ConstantOp, ConstantOp]:
    """A width, two bit patterns of it, and their constants. Edges come often."""
    width = draw(WIDTHS)
    top = (1 << width) - 1
    bits = st.one_of(st.integers(0, top), st.sampled_from([0, 1 & top, top, 1 << (width - 1), top >> 1]))
    a, b = draw(bits), draw(bits)
    element = IntegerType(width)
    return width, a, b, ConstantOp.scalar(a, element), ConstantOp.scalar(b, element)


@given(pairs())
def test_wrapping(pair: tuple[int, int, int, ConstantOp, ConstantOp]) -> None:
    width, a, b, x, y = pair
    mask = (1 << width) - 1
    assert folded_bits(AddIOp(x.result, y.result)) == (a + b) & mask
    assert folded_bits(SubIOp(x.result, y.result)) == (a - b) & mask
    assert folded_bits(MulIOp(x.result, y.result)) == (a * b) & mask
    assert folded_bits(AndIOp(x.result, y.result)) == a & b
    assert folded_bits(OrIOp(x.result, y.result)) == a | b
    assert folded_bits(XOrIOp(x.result, y.result)) == a ^ b
    assert folded_bits(MulhiIOp(x.result, y.result)) == a * b >> width
    assert folded_bits(NegIOp(x.result)) == -a & mask
    assert folded_bits(AbsIOp(x.result)) == abs(signed(a, width)) & mask


@given(pairs(), SIGNEDNESS)
def test_reading_signs(pair: tuple[int, int, int, ConstantOp, ConstantOp], signedness: SignednessAttr) -> None:
    width, a, b, x, y = pair
    mask = (1 << width) - 1
    left, right = (signed(a, width), signed(b, width)) if signedness is SIGNED else (a, b)
    assert folded_bits(MaxIOp(x.result, y.result, signedness)) == max(left, right) & mask
    assert folded_bits(MinIOp(x.result, y.result, signedness)) == min(left, right) & mask
    assert folded_bits(CmpIOp("less_than", x.result, y.result, signedness)) == int(left < right)
    assert folded_bits(CmpIOp("equal", x.result, y.result, signedness)) == int(left == right)
    shifted = folded_bits(ShrIOp(x.result, y.result, signedness))
    assert shifted == ((left >> b) & mask if b < width else None)
    assert folded_bits(ShlIOp(x.result, y.result)) == ((a << b) & mask if b < width else None)
    wide = ExtIOp(x.result, IntegerType(64), signedness) if width < 64 else None
    if wide is not None:
        assert folded_bits(wide) == left & ((1 << 64) - 1)
    if width > 1:
        assert folded_bits(TruncIOp(x.result, IntegerType(1))) == a & 1
        assert fold(TruncIOp(x.result, IntegerType(4))) is None  # there are no constants of i4


@given(pairs(), SIGNEDNESS, st.sampled_from(["zero", "negative_inf", "positive_inf"]))
def test_division(
    pair: tuple[int, int, int, ConstantOp, ConstantOp], signedness: SignednessAttr, rounding: str
) -> None:
    width, a, b, x, y = pair
    left, right = (signed(a, width), signed(b, width)) if signedness is SIGNED else (a, b)
    quotient = folded_bits(DivIOp(x.result, y.result, signedness, RoundingModeAttr.of(rounding)))
    remainder = folded_bits(RemIOp(x.result, y.result, signedness))
    overflows = signedness is SIGNED and right == -1 and left == -(1 << (width - 1))
    if right == 0 or overflows:
        assert quotient is None
        assert remainder is None
        return
    exact = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
    rest = left - exact * right
    assert remainder == rest & ((1 << width) - 1)
    if rest and rounding == "negative_inf" and (left < 0) != (right < 0):
        exact -= 1
    if rest and rounding == "positive_inf" and (left < 0) == (right < 0):
        exact += 1
    assert quotient == exact & ((1 << width) - 1)


@given(pairs(), st.sampled_from(["no_signed_wrap", "no_unsigned_wrap", "no_wrap"]))
def test_a_broken_promise_is_left_alone(pair: tuple[int, int, int, ConstantOp, ConstantOp], promise: str) -> None:
    width, a, b, x, y = pair
    exact = signed(a, width) + signed(b, width)
    broken = (promise != "no_unsigned_wrap" and not -(1 << (width - 1)) <= exact < 1 << (width - 1)) or (
        promise != "no_signed_wrap" and a + b >= 1 << width
    )
    bits = folded_bits(AddIOp(x.result, y.result, IntegerOverflowAttr.of(promise)))
    assert bits == (None if broken else (a + b) & ((1 << width) - 1))


def canonical(body: str, arguments: str = "") -> str:
    """What xDSL's `canonicalize` leaves of a kernel's body."""
    context = Context()
    context.load_dialect(Builtin)
    context.load_dialect(CudaTile)
    module = parse_disassembly(f"entry @k({arguments}) {{\n{body}\n}}")
    module.verify()
    CanonicalizePass().apply(context, module)
    module.verify()
    lines = print_module(module).splitlines()
    return "\n".join(line.strip() for line in lines[2:-2])


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ("%c = constant <i32: 0> : tile<i32>\n%0 = addi %x, %c : tile<i32>", "%x"),
        ("%c = constant <i32: 1> : tile<i32>\n%0 = muli %c, %x : tile<i32>", "%x"),
        ("%c = constant <i32: -1> : tile<i32>\n%0 = andi %c, %x : tile<i32>", "%x"),
        ("%c = constant <i32: 1> : tile<i32>\n%0 = divi %x, %c signed : tile<i32>", "%x"),
        ("%0 = maxi %x, %x signed : tile<i32>", "%x"),
        ("%c = constant <i1: true> : tile<i1>\n%y = addi %x, %x : tile<i32>\n%0 = select %c, %x, %y : tile<i1>, tile<i32>", "%x"),
        ("%0 = reshape %x : tile<i32> -> tile<i32>", "%x"),
        ("%0 = bitcast %x : tile<i32> -> tile<i32>", "%x"),
        ("%c = constant <i1: true> : tile<i1>\n%0 = if %c -> (tile<i32>) {\nyield %x : tile<i32>\n} else {\n%y = addi %x, %x : tile<i32>\nyield %y : tile<i32>\n}", "%x"),
        ("%c = constant <i32: 1> : tile<i32>\n%0 = for %i in (%c to %c, step %c) : tile<i32> iter_values(%v = %x) -> (tile<i32>) {\ncontinue %i : tile<i32>\n}", "%x"),
    ],
)  # fmt: skip
def test_canonicalize(body: str, left: str) -> None:
    text = canonical(f'{body}\n%t = print_tko "%d", %0 : tile<i32> -> token', "%x: tile<i32>")
    assert text == f'%t = print_tko "%d", {left} : tile<i32> -> token\nreturn'


def test_filled_tiles_stay_filled() -> None:
    text = canonical(
        "%c = constant <i32: 3> : tile<i32>\n%r = reshape %c : tile<i32> -> tile<1xi32>\n"
        "%b = broadcast %r : tile<1xi32> -> tile<8xi32>\n%d = muli %b, %b : tile<8xi32>\n"
        '%t = print_tko "%d", %d : tile<8xi32> -> token'
    )
    assert "constant <i32: 9> : tile<8xi32>" in text
    assert "muli" not in text


@pytest.mark.parametrize(
    ("bit", "truth"), [("true", "true"), ("false", "false"), ('"0x01"', "true"), ('"0x00"', "false")]
)
def test_a_truth_value_fills_a_tile_with_itself(bit: str, truth: str) -> None:
    text = canonical(
        f"%c = constant <i1: {bit}> : tile<i1>\n"
        "%r = reshape %c : tile<i1> -> tile<1xi1>\n%b = broadcast %r : tile<1xi1> -> tile<8xi1>\n"
        '%t = print_tko "%d", %b : tile<8xi1> -> token'
    )
    assert f"constant <i1: {truth}> : tile<8xi1>" in text


@pytest.mark.parametrize(
    ("element", "data"), [(i1, b"\x01"), (i1, b"\x00"), (f32, b"\0\0\xc0\x3f"), (bf16, b"\xc0\x3f")]
)
def test_the_one_element_of_a_tile_fills_a_larger_one(element: Attribute, data: bytes) -> None:
    """In files a truth value may be the one bit that it needs, which fills no other bits as it stands."""
    one = ConstantOp(DenseElementsAttr(tile((1,), element), data))
    folded = fold(BroadcastOp(one.result, (16,)))
    assert folded is not None
    (filled,) = folded
    assert isinstance(filled, DenseElementsAttr)
    filled.verify()
    assert filled.type == tile((16,), element)
    assert filled.elements() == [data] * 16


@pytest.mark.parametrize(
    "change",
    [
        "reshape %c : tile<2x1xi32> -> tile<1x2xi32>",
        "broadcast %c : tile<2x1xi32> -> tile<2x4xi32>",
        "permute %c [1, 0] : tile<2x1xi32> -> tile<1x2xi32>",
    ],
)
def test_what_does_not_fill_a_tile_is_not_taken_for_a_fill(change: str) -> None:
    """Elements that differ stay in their places: a change of shape has none of its own for them."""
    type_ = change.rpartition(" ")[2]
    text = canonical(
        f'%c = constant <i32: [[1], [2]]> : tile<2x1xi32>\n%r = {change}\n%t = print_tko "%d", %r : {type_} -> token'
    )
    assert change in text


def test_a_branch_that_leaves_is_kept() -> None:
    text = canonical('%c = constant <i1: true> : tile<i1>\nif %c {\nreturn\n}\n%t = print_tko "after" -> token')
    assert "if %c" in text


def test_a_branch_that_is_not_taken_goes() -> None:
    text = canonical('%c = constant <i1: false> : tile<i1>\nif %c {\nreturn\n}\n%t = print_tko "after" -> token')
    assert text == '%t = print_tko "after" -> token\nreturn'
