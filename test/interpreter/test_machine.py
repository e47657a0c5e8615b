"""Memory of a run, boxes of it, and elements that indices name: at the ends of arrays, and where several meet."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from xdsl.dialects import test as operations

import freehold as fh
from freehold.dialects.cuda_tile.attrs import BoundedAttr, DivByAttr, SameElementsAttr
from freehold.dialects.ownership import Duty, Rung
from freehold.runtime.interpreter import control, ownership, pointers, rounding, scattered, shapes, views, windows
from freehold.runtime.interpreter.adversary import Adversary
from freehold.runtime.interpreter.elements import by_name
from freehold.runtime.interpreter.errors import OutsideIndexSpace
from freehold.runtime.interpreter.machine import Machine, Memory, Part, clean, part_of
from freehold.runtime.interpreter.marks import Marked, Origin, any_of, mark_of, marked, origin_of, plain
from freehold.runtime.interpreter.windows import BYTE, Window

OP = operations.TestOp()
F32, I32 = by_name("f32"), by_name("i32")
inner_of_scattered: Any = scattered
inner_of_pointers: Any = pointers
inner_of_rounding: Any = rounding
strided: Any = np.lib.stride_tricks.as_strided


def machine(**arrays: Any) -> Machine:
    memory = Memory()
    memory.add((part_of(name, array), array) for name, array in arrays.items())
    return Machine(memory)


def refused(code: str, run: Any) -> str:
    with pytest.raises(fh.Rejected) as caught:
        run()
    assert caught.value.codes == (code,)
    return str(caught.value)


# --- Addresses --------------------------------------------------------------------------------------------------------


def test_addresses_lie_in_the_array_that_has_them() -> None:
    base = np.zeros(100, np.uint8)
    at = base.ctypes.data
    one, other, inside = base[8:24], base[40:56], base[44:48]
    memory = machine(one=one, other=other, inside=inside).memory
    assert [(b.start - at, b.end - at) for b in memory.buffers] == [(8, 24), (40, 56)]
    for offset, wanted in ((7, None), (8, 8), (23, 8), (24, None), (39, None), (40, 40), (55, 40), (56, None)):
        found = memory.find(at + offset)
        assert (None if found is None else found.start - at) == wanted, offset
    for offset, wanted in ((0, 8), (8, 8), (31, 8), (32, 40), (60, 40), (99, 40)):
        found = memory.nearest(at + offset)
        assert found is not None
        assert found.start - at == wanted, offset
    assert Memory().nearest(at) is None
    memory.release(memory.buffers[0])
    assert memory.find(at + 8) is None
    assert memory.find(at + 40) is not None


def test_arrays_that_touch_are_apart_and_those_that_overlap_are_one() -> None:
    base = np.zeros(32, np.uint8)
    assert len(machine(a=base[:16], b=base[16:]).memory.buffers) == 2
    assert len(machine(a=base[:17], b=base[16:]).memory.buffers) == 1
    (joined,) = machine(long=base[:20], short=base[4:8], last=base[19:]).memory.buffers
    assert (joined.end - joined.start, len(joined.parts)) == (32, 3)


@pytest.mark.parametrize(("size", "alignment", "itemsize", "count"), [(16, 64, 4, 4), (0, 16, 4, 1), (3, 8, 4, 1)])
def test_memory_of_its_own(size: int, alignment: int, itemsize: int, count: int) -> None:
    memory = Memory()
    made = memory.allocate("scratch", size, alignment, itemsize, initialised=False)
    assert made.start % alignment == 0
    assert made.parts[0].shape == (count,)
    assert not made.parts[0].initialised
    assert not made.data.any()


def test_an_address_is_told_as_an_index() -> None:
    x = np.zeros((4, 6), np.float32)
    part = part_of("x", x)
    for i, j in product(range(4), range(6)):
        assert part.index(x.ctypes.data + (i * 6 + j) * 4) == f"[{i}, {j}]"
    assert part.end == x.ctypes.data + x.nbytes
    turned = part_of("t", x.T)
    assert turned.index(x.ctypes.data + (2 * 6 + 5) * 4) == "[5, 2]"
    assert part_of("one", x[1:2, 3:4]).index(x[1:2, 3:4].ctypes.data) == "[0, 0]"
    assert part_of("s", x.reshape(-1)[0:1].reshape(())).index(x.ctypes.data) == "[]"
    row = machine(x=x[0:1], y=x[2:3])
    assert row.element_at(x.ctypes.data + 8) == ("x", "[0, 2]")
    assert row.element_at(x[2].ctypes.data + 20) == ("y", "[0, 5]")


def test_of_arrays_that_overlap_the_first_that_has_an_address_is_named() -> None:
    base = np.zeros(32, np.uint8)
    run, at = machine(one=base[:16], two=base[8:24], apart=base[28:]), base.ctypes.data
    names = [views.name_at(run, at + offset) for offset in range(33)]
    assert names == ["one"] * 16 + ["two"] * 8 + ["?"] * 4 + ["apart"] * 4 + ["?"]
    assert [run.element_at(at + offset) for offset in (15, 16, 23)] == [
        ("one", "[15]"),
        ("two", "[8]"),
        ("two", "[15]"),
    ]


@pytest.mark.parametrize("cut", ["[:]", "[::2]", "[:, :3]", "[1:2, 3:4]", "[:, ::2]", ".T", "[1:, 1:].T", "[0]"])
def test_bytes_of_elements_are_told_from_those_between(cut: str) -> None:
    base = np.zeros((4, 6), np.int32)
    part, begin = part_of("x", eval(f"base{cut}", {"base": base})), base.ctypes.data
    starts = {
        part.address + sum(i * s for i, s in zip(place, part.strides, strict=True)): list(place)
        for place in np.ndindex(part.shape)
    }
    for address in range(begin - 8, begin + base.nbytes + 8):
        element = next((at for at in starts if at <= address < at + 4), None)
        assert part.holds(address) is (element is not None), address - begin
        if element is not None:
            assert part.index(address) == str(starts[element])


def test_accesses_may_lie_in_several_arrays_and_have_to_lie_in_one_each() -> None:
    base = np.arange(12, dtype=np.int32)
    a, b = base[:4], base[6:10]
    run, at = machine(a=a, b=b), base.ctypes.data
    places = np.array([at, at + 36, at + 12, at + 24], np.int64)
    assert run.gather(OP, places, I32).tolist() == [0, 9, 3, 6]
    assert [(buffer.start - at, mask is None) for buffer, mask in run.locate(OP, "load", places, 4)] == [
        (0, False),
        (24, False),
    ]
    run.scatter(OP, places, np.array([10, 20, 30, 40], np.int32), I32)
    assert base.tolist() == [10, 1, 2, 30, 4, 5, 40, 7, 8, 20, 10, 11]
    assert run.locate(OP, "load", places[:1], 4)[0][1] is None
    assert run.gather(OP, places[:0], I32).size == 0
    said = refused("O521", lambda: run.gather(OP, np.array([at, at + 16]), I32))
    assert "`a` has 16 bytes, and this is byte 16" in said
    assert "`b` has 16 bytes, and this is byte -4" in refused("O521", lambda: run.gather(OP, np.array([at + 20]), I32))
    assert f"{at + 2:#x}" in refused("O522", lambda: run.gather(OP, np.array([at, at + 2]), I32))
    half = machine(a=base.view(np.uint8)[:6])
    refused("O521", lambda: half.gather(OP, np.array([at + 4]), I32))  # its last bytes are nobody's


def test_memory_as_tiles_has_no_bits_that_the_type_has_not() -> None:
    bits = np.array([0x3F801FFF, 0x3F802000], np.uint32).view(np.float32)
    assert clean(bits, by_name("tf32")).view(np.uint32).tolist() == [0x3F800000, 0x3F802000]
    assert clean(np.array([0, 1, 2, 255], np.uint8), by_name("i1")).tolist() == [False, True, True, True]
    assert clean(bits, F32) is bits


def test_late_stores_are_done_in_their_order_and_by_place() -> None:
    run, done = machine(), list[str]()
    run.late = [("x", lambda: done.append("1")), ("y", lambda: done.append("2")), ("x", lambda: done.append("3"))]
    run.settle("x")
    assert done == ["1", "3"]
    run.settle("x")
    run.settle()
    assert done == ["1", "3", "2"]
    assert run.late == []
    own = run.of_block(7, "(7)")
    assert (own.turn, own.label, own.late) == (7, "(7)", [])
    assert own.one_by_one(3).tolist() == [0, 1, 2]
    own.adversary = Adversary(2)
    assert sorted(own.one_by_one(30).tolist()) == list(range(30))
    assert own.one_by_one(30).tolist() != list(range(30))


# --- Boxes ------------------------------------------------------------------------------------------------------------


def window(array: Any, *, constant: bool = False, slowly: bool = False) -> Window:
    held = None if slowly else array
    return Window(
        "x",
        array.ctypes.data,
        array.shape,
        array.strides,
        by_name(array.dtype.name.replace("float", "f").replace("int", "i")),
        held,
        constant,
    )


@pytest.mark.parametrize("slowly", [False, True])
@pytest.mark.parametrize("start", [0, 1, 3, 4])
def test_boxes_at_the_end_are_padded_and_clipped(start: int, slowly: bool) -> None:
    x = np.arange(30, dtype=np.float32).reshape(5, 6)
    run, seen = machine(x=x), window(x, slowly=slowly)
    found = windows.load_box(run, OP, seen, (start, 3), (2, 4), np.float32(-1))
    wanted = np.full((2, 4), -1, np.float32)
    inside = x[start : start + 2, 3:6]
    wanted[: inside.shape[0], :3] = inside
    np.testing.assert_array_equal(found, wanted)
    before = x.copy()
    windows.store_box(run, OP, seen, (start, 3), np.full((2, 4), 77, np.float32))
    before[start : start + 2, 3:6] = 77
    np.testing.assert_array_equal(x, before)


def test_a_tile_of_what_nobody_writes_is_a_view_and_another_is_none() -> None:
    x = np.arange(8, dtype=np.float32)
    run = machine(x=x)
    kept = windows.load_box(run, OP, window(x, constant=True), (2,), (4,), np.float32(0))
    assert np.shares_memory(kept, x)
    copied = windows.load_box(run, OP, window(x), (4,), (4,), np.float32(0))
    assert not np.shares_memory(copied, x)
    assert copied.tolist() == [4, 5, 6, 7]
    assert [n.tolist() for n in windows.box_ranges(window(x), (6,), (4,))] == [[6, 7]]
    assert [n.tolist() for n in windows.box_ranges(window(x), (9,), (4,))] == [[]]
    assert [n.tolist() for n in windows.box_ranges(window(x), (-2,), (4,))] == [[0, 1]]


def test_products_of_ranges_are_read_and_written() -> None:
    x = np.arange(30, dtype=np.int32).reshape(5, 6)
    for slowly in (False, True):
        run, seen, index = machine(x=x), window(x, slowly=slowly), [np.array([4, 0]), np.array([1, 5, 2])]
        assert windows.load_at(run, OP, seen, index).tolist() == x[np.ix_([4, 0], [1, 5, 2])].tolist()
        windows.store_at(run, OP, seen, index, -x[np.ix_([4, 0], [1, 5, 2])])
    assert x.tolist() == np.arange(30).reshape(5, 6).tolist()


def test_views_of_memory_that_there_is_not_are_looked_at_one_by_one() -> None:
    x = np.zeros((4, 6), np.float32)
    run, at = machine(x=x), x.ctypes.data
    assert windows.window_at(run, "v", at, (4, 6), (6, 1), F32).array is not None
    assert windows.window_at(run, "v", at + 4, (4, 5), (6, 1), F32).array is not None
    assert windows.window_at(run, "v", at + 4, (4, 6), (6, 1), F32).array is None  # one element too far
    assert windows.window_at(run, "v", at + 2, (1,), (1,), F32).array is None
    empty = windows.window_at(run, "v", 12345, (0, 3), (3, 1), F32)
    assert (empty.array is not None, empty.strides) == (True, (12, 4))
    four = windows.window_at(run, "v", at, (4, 6), (6, 1), by_name("f4E2M1FN"))
    assert (four.array, four.strides) == (None, (6, 1))


def test_paddings() -> None:
    assert windows.padding_of(None, F32) == 0
    assert not np.signbit(windows.padding_of("zero", F32))
    assert np.signbit(windows.padding_of("neg_zero", F32))
    assert np.isnan(windows.padding_of("nan", F32))
    assert (windows.padding_of("pos_inf", F32), windows.padding_of("neg_inf", F32)) == (np.inf, -np.inf)
    assert BYTE.bits == 8


# --- Elements that indices name ---------------------------------------------------------------------------------------


def place(array: Any, *indices: Any, mask: Any = None, shape: tuple[int, ...] | None = None, checked: Any = ()) -> Any:
    extents = np.broadcast_shapes(*(np.shape(i) for i in indices)) if shape is None else shape
    run = machine(x=array)
    run.label = "(3, 1)"
    return inner_of_scattered._place(
        run, OP, window(array), list(map(np.asarray, indices)), mask, extents, frozenset(checked)
    )


def test_elements_outside_are_left_out_or_end_the_run() -> None:
    x = np.arange(12, dtype=np.int32).reshape(3, 4)
    found = place(x, [0, 2, 3, -1, 2], [3, 4, 0, 1, 0])
    assert found.chosen.tolist() == [True, False, False, False, True]
    assert [i.tolist() for i in found.index] == [[0, 2], [3, 0]]
    masked = place(x, [0, 3], [1, 1], mask=np.array([True, False]), checked={0})
    assert masked.chosen.tolist() == [True, False]
    said = refused("O532", lambda: place(x, [0, 3], [1, 1], checked={0}))
    assert "3" in said
    assert "(3, 1)" in said
    assert place(x, [0, 3], [1, 1], checked={1}).chosen.tolist() == [True, False]
    read = inner_of_scattered._read(window(x), found, (5,), np.int32(-7))
    assert read.tolist() == [3, -7, -7, -7, 8]
    assert inner_of_scattered._flat(np.int32(5), (5,), found).tolist() == [5, 5]
    line = inner_of_scattered._from_element(OP, (1, 2), (2, 3))
    assert [i.shape for i in line] == [(2, 1), (1, 3)]
    assert [i.reshape(-1).tolist() for i in line] == [[1, 2], [2, 3, 4]]


@pytest.mark.parametrize(("mode", "wanted"), [
    ("add", [1, 2 + 10 + 30, 3, 4 + 20]), ("max", [1, 30, 3, 20]), ("min", [1, 2, 3, 4]), ("xchg", [1, 30, 3, 20]),
])  # fmt: skip
def test_updates_of_one_element_all_count(mode: str, wanted: list[int]) -> None:
    x = np.array([1, 2, 3, 4], np.int32)
    where = place(x, [1, 3, 1])
    old = inner_of_scattered._combine(machine(x=x), window(x), where, np.array([10, 20, 30], np.int32), mode)
    assert x.tolist() == wanted
    assert old[:2].tolist() == [2, 4]
    y = np.array([1, 2, 3, 4], np.int32)
    apart = inner_of_scattered._combine(machine(x=y), window(y), place(y, [1, 3]), np.array([10, 20], np.int32), mode)
    assert apart.tolist() == [2, 4]


def test_updates_of_other_elements_between_count_once() -> None:
    x = np.zeros(3, np.int32)
    places = x.ctypes.data + 4 * np.array([0, 1, 0, 2])
    old = pointers.update(machine(x=x), OP, places, np.array([1, 10, 100, 1000], np.int32), I32, "add")
    assert (x.tolist(), old.tolist()) == ([101, 10, 1000], [0, 0, 1, 0])


def test_different_values_for_one_element_are_told() -> None:
    x = np.zeros((2, 3), np.int32)
    where = place(x, [0, 1, 0, 1], [1, 2, 1, 2])
    run = machine(x=x)
    inner_of_scattered._apart(run, OP, window(x), where, np.array([5, 6, 5, 6], np.int32))
    said = refused(
        "O534", lambda: inner_of_scattered._apart(run, OP, window(x), where, np.array([5, 6, 7, 8], np.int32))
    )
    assert "[0, 1]" in said
    assert "5" in said
    assert "7" in said
    at = x.ctypes.data
    places = np.array([at + 4, at + 20, at + 4, at + 20])
    inner_of_pointers._apart(run, OP, places, np.array([5, 6, 5, 6], np.int32))
    said = refused("O534", lambda: inner_of_pointers._apart(run, OP, places, np.array([5, 6, 7, 8], np.int32)))
    assert "[0, 1]" in said
    assert "[1, 2]" not in said
    said = refused("O534", lambda: inner_of_pointers._apart(run, OP, places, np.array([5, 6, 5, 8], np.int32)))
    assert "[1, 2]" in said


def test_products_and_sums_leave_no_error() -> None:
    chosen = np.random.default_rng(0)
    a, b = (chosen.standard_normal(200) * 2.0 ** chosen.integers(-30, 30, 200) for _ in range(2))
    for name, exact in (("_two_product", Fraction.__mul__), ("_two_sum", Fraction.__add__)):
        high, low = getattr(inner_of_rounding, name)(a, b)
        for x, y, h, r in zip(a, b, high, low, strict=True):
            assert Fraction(float(h)) + Fraction(float(r)) == exact(Fraction(float(x)), Fraction(float(y))), name
        assert np.any(low != 0)


# --- Marks of padding -------------------------------------------------------------------------------------------------


def test_marks_go_with_what_changed_something_first() -> None:
    load, folded = Origin(OP), Origin(OP, fold=OP)
    a = marked(np.zeros(3), np.array([True, False, False]), load)
    b = marked(np.zeros(3), np.array([False, True, False]), folded)
    assert isinstance(a, Marked)
    assert origin_of([a, b]) is folded
    assert origin_of([b, a]) is folded
    assert origin_of([np.zeros(3), a]) is load
    assert origin_of([np.zeros(3)]) is None
    assert any_of([a, b]).tolist() == [True, True, False]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    assert mark_of(1.0) is False
    assert type(plain(a)) is np.ndarray
    assert not isinstance(marked(np.zeros(3), False, load), Marked)
    assert not isinstance(marked(np.zeros(3), np.ones(3, bool), None), Marked)


@pytest.mark.parametrize(("count", "said"), [(1, "1 tile"), (2, "2 tiles"), (0, "0 tiles")])
def test_counts_are_phrases(count: int, said: str) -> None:
    assert OutsideIndexSpace(None, "x", 0, count, count).tiles == said


@pytest.mark.parametrize(
    ("shape", "strides", "address", "said", "end"),
    [
        ((3, 4), (16, 4), 100, "[0, 0]", 148),
        ((3, 4), (16, 4), 124, "[1, 2]", 148),
        ((4, 3), (4, 16), 124, "[2, 1]", 148),
        ((3, 4), (0, 4), 108, "[0, 2]", 116),  # rows that are one
        ((1, 4), (999, 4), 112, "[0, 3]", 116),
        ((), (), 100, "[]", 104),
    ],
)
def test_an_address_is_told_as_an_index_whatever_the_strides(
    shape: tuple[int, ...], strides: tuple[int, ...], address: int, said: str, end: int
) -> None:
    part = Part("x", 100, shape, strides, 4)
    assert part.index(address) == said
    assert part.end == end


@pytest.mark.parametrize(
    ("predicate", "value", "stride", "found"),
    [
        (DivByAttr(4), [0, 8, -4], 1, True),
        (DivByAttr(4), [0, 8, 6], 1, False),
        (DivByAttr(4, 2, 0), [4, 5, 8, 9], 1, True),
        (DivByAttr(4, 2, 0), [4, 6, 8, 10], 1, False),
        (DivByAttr(4, 2, 0), [4, 6, 8, 10], 2, True),  # addresses of elements of two bytes
        (DivByAttr(4, 2, 0), [4, 5, 8, 9], 2, False),
        (DivByAttr(4, 2, 0), [5, 6, 8, 9], 1, False),
        (DivByAttr(4, 2, 0), [4, 5, 8], 1, True),
        (DivByAttr(4, 2, 1), [[4, 5], [8, 9]], 1, True),
        (DivByAttr(4, 2, 0), [[4, 5], [8, 9]], 1, False),
        (DivByAttr(4, 2, 0), [[4, 8], [5, 9]], 1, True),
        (SameElementsAttr((2, 1)), [[1, 2], [1, 2], [3, 4]], 1, True),
        (SameElementsAttr((2, 1)), [[1, 2], [1, 3]], 1, False),
        (SameElementsAttr((1, 2)), [[1, 1], [2, 2]], 1, True),
        (SameElementsAttr((2, 2)), [[1, 1], [2, 2]], 1, False),
        (BoundedAttr(0, 5), [0, 5], 1, True),
        (BoundedAttr(0, 5), [-1, 5], 1, False),
        (BoundedAttr(0, 5), [0, 6], 1, False),
        (BoundedAttr(None, 5), [-9, 5], 1, True),
        (BoundedAttr(0, None), [0, 99], 1, True),
    ],
)
def test_assumptions_that_hold(predicate: Any, value: Any, stride: int, found: bool) -> None:
    assert control.holds(predicate, np.array(value, np.int32), 32, stride) is found


def test_bounds_of_truth_values_are_those_of_one_bit_with_a_sign() -> None:
    for value, low, high in ((False, True, True), (True, False, True)):
        assert control.holds(BoundedAttr(0, None), np.array([value]), 1, 1) is low
        assert control.holds(BoundedAttr(None, 0), np.array([value]), 1, 1) is high


# --- Small pieces, at their limits ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("begin", "distance", "name", "byte"),
    [
        (40, -5, "x", -5), (40, -1, "x", -1), (40, 16, "x", 16), (40, 17, "x", 17), (40, 39, "y", -1),
        (40, 64, "y", 24), (8, -4, "x", -4), (8, 64, "y", 56), (8, 70, "y", 62),
    ],
)  # fmt: skip
def test_what_an_address_outside_is_near_to(begin: int, distance: int, name: str, byte: int) -> None:
    """Of all arrays, those that overlap, too, that which it is least far from, and the byte of it that it would be."""
    memory = np.zeros(64, np.uint8)
    of = Memory()
    x, y = memory[:16].view(np.float32), memory[begin:64].view(np.float32)
    of.add((part_of(n, a), a) for n, a in (("x", x), ("y", y)))
    run = Machine(of)
    run.label = "7"
    size = {"x": 16, "y": 64 - begin}[name]
    said = refused("O521", lambda: run.outside(OP, "load", memory.ctypes.data + distance, 4))
    assert f"in block 7; `{name}` has {size} bytes, and this is byte {byte}\n" in said


def test_values_as_printf_shows_them() -> None:
    shown: Any = control.format_tile
    assert shown(np.array([[1, -2], [3, 4]], np.int8), "", "d") == "[[1, -2], [3, 4]]"
    assert shown(np.array(-2, np.int8), "", "u") == "254"
    assert shown(np.array(-1, np.int64), "", "u") == str(2**64 - 1)
    assert shown(np.array(-2, np.int16), "", "x") == "fffe"
    assert shown(np.array(-2, np.int16), "#", "X") == "0XFFFE"
    assert shown(np.array(-8, np.int32), "", "o") == "37777777770"
    assert shown(np.array(-2, np.int16), "", "i") == "-2"
    assert shown(np.array(-2, np.int16), "+5", "d") == "   -2"
    assert shown(np.array(0, np.int16), "", "x") == "0"
    assert shown(np.array(65, np.int8), "", "c") == "A"
    assert shown(np.array(1.5, np.float32), ".3", "f") == "1.500"
    assert shown(np.array(2, np.int32), "", "e") == "2.000000e+00"
    assert shown(np.array(True), "", "d") == "1"
    assert shown(np.array(1.5, np.float32), "", "s") == "1.5"


@pytest.mark.parametrize(
    ("data", "element", "found"),
    [
        (bytes([0, 1, 255]), "i1", [False, True, True]),
        (bytes([0x07, 0x08, 0x0F, 0xF9]), "i4", [7, -8, -1, -7]),
        (bytes([127, 128, 255]), "i8", [127, -128, -1]),
        (b"\x00\x00\x80\x3f\x00\x00\x00\xc0", "f32", [1.0, -2.0]),
        (b"\x00\xfc\x01\x00\x00\x02", "tf32", [1.0, 2.0]),
        (bytes([0x12, 0x2E]), "f4E2M1FN", [1.0, -4.0]),
        (b"\x00\x3c\x00\xc0", "f16", [1.0, -2.0]),
    ],
)
def test_literals(data: bytes, element: str, found: list[Any]) -> None:
    assert np.asarray(shapes.from_bytes(data, by_name(element))).astype(np.float64).tolist() == found


def test_points_are_dealt_out_to_blocks() -> None:
    dealt = ownership.numbers_by_block
    assert [*dealt(7, 3, "increasing")] == [0, 3, 6, 1, 4, 2, 5]
    assert [*dealt(7, 3, "decreasing")] == [2, 5, 1, 4, 0, 3, 6]
    assert [*dealt(3, 7, "increasing")] == [0, 1, 2]
    mixed = [*dealt(50, 3, 1)]
    assert sorted(mixed) == [*range(50)]
    assert mixed not in ([*dealt(50, 3, "increasing")], [*dealt(50, 3, 2)])
    assert mixed == [*dealt(50, 3, 1)]


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 16, 17])
def test_no_point_is_left_out_where_another_chunk_begins(count: int) -> None:
    inner: Any = ownership
    chunks = [chunk.tolist() for chunk in inner._chunks(iter(range(count)), 8)]
    assert chunks == [[*range(begin, min(begin + 8, count))] for begin in range(0, count, 8)]


@pytest.mark.parametrize("rung", Rung)
@pytest.mark.parametrize("duty", Duty)
def test_only_what_the_kernel_checks_of_an_index_is_named_as_its_check(duty: Duty, rung: Rung) -> None:
    owed: Any = SimpleNamespace(duty=duty, rung=rung, axis=SimpleNamespace(data=1), text="i < N")
    found = ownership.kernel_checks(cast(Any, SimpleNamespace(owes=[owed])))
    assert found == ({1: "i < N"} if (duty, rung) == (Duty.IN_BOUNDS, Rung.KERNEL) else {})


@pytest.mark.parametrize("units", range(-9, 10))
@pytest.mark.parametrize("base", [1.0, -1.0, 1.0 + 2.0**-52, 2.0**-30, 0.0])
def test_sums_are_rounded_to_odd(base: float, units: int) -> None:
    """What no double is becomes the neighbour with an odd last bit, so that any rounding after it is right."""
    small = units * 2.0**-54
    found = rounding.add_to_odd(np.array([base]), np.array([small]))
    exact, near = Fraction(base) + Fraction(small), Fraction(float(found[0]))
    if Fraction(base + small) == exact:
        assert near == exact
        return
    assert found.view(np.int64)[0] & 1
    assert Fraction(float(np.nextafter(found[0], -np.inf))) < exact < Fraction(float(np.nextafter(found[0], np.inf)))


@pytest.mark.parametrize(
    ("value", "mode", "found"),
    [
        (Fraction(1), "nearest_even", 1.0),
        (Fraction(2**53 + 1), "nearest_even", 2.0**53),
        (Fraction(2**53 + 3), "nearest_even", 2.0**53 + 4),
        (Fraction(2**54 + 3), "nearest_even", 2.0**54 + 4),
        (Fraction(2**53 + 1), "zero", 2.0**53),
        (Fraction(2**53 + 1), "positive_inf", 2.0**53 + 2),
        (Fraction(2**53 + 1), "negative_inf", 2.0**53),
        (Fraction(-(2**53) - 1), "positive_inf", -(2.0**53)),
        (Fraction(-(2**53) - 1), "negative_inf", -(2.0**53) - 2),
        (Fraction(-(2**53) - 1), "zero", -(2.0**53)),
        (Fraction(2**53), "positive_inf", 2.0**53),
        (Fraction(-(2**53)), "negative_inf", -(2.0**53)),
        (Fraction(1, 3), "nearest_even", 1 / 3),
        (Fraction(1, 2**1074), "nearest_even", 5e-324),
        (Fraction(1, 2**1075), "nearest_even", 0.0),
        (Fraction(3, 2**1076), "nearest_even", 5e-324),
        (Fraction(1, 2**1090), "positive_inf", 5e-324),
        (Fraction(-1, 2**1090), "positive_inf", -0.0),
        (Fraction(2**1024 - 2**970), "nearest_even", float("inf")),
        (Fraction(2**1024 - 2**970 - 1), "nearest_even", 1.7976931348623157e308),
        (Fraction(2**1025), "zero", 1.7976931348623157e308),
        (Fraction(2**1025), "negative_inf", 1.7976931348623157e308),
        (Fraction(2**1025), "positive_inf", float("inf")),
        (Fraction(-(2**1025)), "negative_inf", float("-inf")),
        (Fraction(-(2**1025)), "positive_inf", -1.7976931348623157e308),
        (Fraction(-(2**1025)), "zero", -1.7976931348623157e308),
    ],
)
def test_fractions_are_rounded_to_doubles(value: Fraction, mode: str, found: float) -> None:
    made = rounding.round_fraction(value, mode)
    assert (made, np.signbit(made)) == (found, np.signbit(found))


@pytest.mark.parametrize(
    ("value", "mode"), [(v, m) for v in (2.0, 3.0, 0.1, 5e-324, 1e308, 9.0, 2.0**-1073) for m in
                        ("nearest_even", "zero", "negative_inf", "positive_inf")]
)  # fmt: skip
def test_roots_are_the_nearest_on_their_side(value: float, mode: str) -> None:
    root = inner_of_rounding._root(value, mode)
    below, above = np.nextafter(root, 0.0), np.nextafter(root, np.inf)
    square, exact = Fraction(root) ** 2, Fraction(value)
    match mode:
        case "zero" | "negative_inf":
            assert square <= exact < Fraction(float(above)) ** 2
        case "positive_inf":
            assert Fraction(float(below)) ** 2 < exact <= square
        case _:
            low, high = (Fraction(root) + Fraction(float(n)) for n in (below, above))
            assert (low / 2) ** 2 <= exact <= (high / 2) ** 2


def test_numbers_of_four_bits_in_memory_leave_their_neighbours_alone() -> None:
    nibble = by_name("i4")
    codes = np.array([0xAB, 0xCD, 0xEF], np.uint8)
    run = machine(x=codes)
    window = Window("x", codes.ctypes.data, (6,), (1,), nibble, None)
    for place, value in ((0, -1), (3, 1), (4, 0)):
        windows.store_at(run, OP, window, [np.array([place])], np.array([value], np.int8))
    assert codes.tolist() == [0xAF, 0x1D, 0xE0]


@pytest.mark.parametrize(
    ("value", "dtype", "found"), [(-1, "u8", 255), (-1, "i8", -1), (-2, "u32", 2**32 - 2), (5, "u8", 5)]
)
def test_numbers_that_a_failed_check_shows(value: int, dtype: str, found: int) -> None:
    inner: Any = ownership
    assert inner._as(value, dtype) == found
