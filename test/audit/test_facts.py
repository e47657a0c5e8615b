"""Facts of a launch: what is refused of them, where arrays lie, and which elements are touched, counted one by one."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from audited_kernels import ENTRIES, audited
from hypothesis import given, settings
from hypothesis import strategies as st

from freehold.audit import sarif
from freehold.audit.cells import Cells
from freehold.audit.conflicts import _may_clash  # pyright: ignore[reportPrivateUsage]
from freehold.audit.facts import FactsError, Launch, Placed, Tensor, call_of, launch_from, launch_of
from freehold.audit.verdict import Audit, audit
from freehold.audit.whose import sharing, waits
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.support.span import Span
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module


def codes(found: Audit) -> list[str]:
    return [finding.error.code for finding in found.findings]


# --- What is refused ------------------------------------------------------------------------------------------------

X: dict[str, Any] = {"name": "x", "dtype": "i32", "shape": [4]}
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"grid": [0]}, "`grid` is one to three numbers, each at least 1"),
    ({"grid": [1, 1, 1, 1]}, "`grid` is one to three numbers, each at least 1"),
    ({"grid": []}, "`grid` is one to three numbers, each at least 1"),
    ({"grid": "4"}, "grid is no list of numbers"),
    ({"grid": [4.5]}, "grid is no list of numbers"),
    ({"arguments": "x"}, "`arguments` is a list with an entry for each argument"),
    ({"arguments": [7]}, "argument 0 is no mapping"),
    ({"others": "x"}, "`others` is a list of arrays"),
    ({"others": [{"name": "n", "value": 1}]}, "`n` of `others` is no array"),
    ({"others": [7]}, "argument 1 is no mapping"),
    ({"others": [X]}, "two arguments have one name"),
    ({"arguments": [{**X, "dtype": "f99"}]}, "`f99` of `x` is no dtype"),
    ({"arguments": [{**X, "shape": [4, 0]}]}, "`x` has an extent below 1"),
    ({"arguments": [{**X, "shape": "4"}]}, "the shape of `x` is no list of numbers"),
    ({"arguments": [{**X, "strides": [1, 1]}]}, "`x` takes 1 strides, none of them negative"),
    ({"arguments": [{**X, "strides": [-1]}]}, "`x` takes 1 strides, none of them negative"),
    ({"arguments": [{**X, "address": -1}]}, "`address` of `x` is no number"),
    ({"arguments": [{**X, "alignment": "16"}]}, "`alignment` of `x` is no number"),
    ({"arguments": [{**X, "contents": [1, 2, 3]}]}, "the contents of `x` are not [4] numbers"),
    ({"arguments": [{**X, "contents": ["a"] * 4}]}, "the contents of `x` are not [4] numbers"),
    ({"arguments": [{**X, "contents": "nowhere.npy"}]}, "the contents of `x` cannot be read from `nowhere.npy`: "),
    ({"arguments": [{**X, "colour": 1}]}, "`x` has the unknown fact `colour`"),
    ({"arguments": [{"name": "n", "value": "1"}]}, "the value of `n` is no number"),
    ({"arguments": [{"words": [1.5]}]}, "the words of `arg0` are no list of numbers and names of arrays"),
]


@pytest.mark.parametrize(("given", "said"), WRONG, ids=[said for _, said in WRONG])
def test_what_is_no_launch_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(FactsError) as caught:
        launch_from({"grid": [4], "arguments": [X], **given})
    assert str(caught.value).startswith(said)


def test_what_is_a_launch_just_so() -> None:
    given = {**X, "strides": [0], "address": 0, "shift": 0, "contents": [[1, 2], [3, 4]]}
    found = launch_from({"grid": 4, "arguments": [given], "others": [{"name": "y", "shape": 1}]})
    assert found.grid == (4, 1, 1)
    assert [(f.name, f.shape, f.steps, f.address) for f in found.arguments] == [("x", (4,), (0,), 0)]  # type: ignore[union-attr]
    assert found.arguments[0].contents.tolist() == [1, 2, 3, 4]  # type: ignore[union-attr]
    assert [(o.name, o.dtype, o.shape) for o in found.others] == [("y", "f32", (1,))]
    assert launch_from({"grid": (1, 2, 3), "arguments": ()}).grid == (1, 2, 3)


@pytest.mark.parametrize("value", [2, 2.5, -1, True])
def test_a_number_is_what_is_given(value: float) -> None:
    (found,) = launch_from({"grid": 1, "arguments": [{"value": value}]}).arguments
    assert (found.name, found.value) == ("arg0", value)  # type: ignore[union-attr]


def test_other_facts_of_an_array_are_kept() -> None:
    given = {"name": "x", "shape": [4], "alignment": 16, "same": "y", "shift": 3, "unwritten": True}
    (found,) = launch_from({"grid": 1, "arguments": [given]}).arguments
    assert isinstance(found, Tensor)
    assert (found.dtype, found.alignment, found.same, found.shift, found.unwritten) == ("f32", 16, "y", 3, True)
    (plain,) = launch_from({"grid": 1, "arguments": [X]}).arguments
    assert isinstance(plain, Tensor)
    assert (plain.alignment, plain.same, plain.shift, plain.unwritten, plain.words) == (256, "", 0, False, ())


PLACES = [
    # shape, strides, byte, the element there
    ((6,), None, 0, "[0]"),
    ((6,), None, 3, "[0]"),
    ((6,), None, 20, "[5]"),
    ((6,), None, 24, "[element 6 of 6]"),
    ((6,), None, -1, "[element -1 of 6]"),
    ((2, 3), None, 16, "[1, 1]"),
    ((2, 3), (1, 2), 12, "[1, 1]"),
    ((3, 1), (2, 9), 16, "[2, 0]"),
    ((2, 3), (4, 1), 20, "[1, 1]"),
    ((1, 1), None, 0, "[0, 0]"),
    ((2, 3), (0, 1), 4, "[element 1]"),
    ((2, 3), (2, 1), 8, "[element 2]"),
    ((3, 2), (1, 3), 20, "[2, 1]"),
    ((3, 2), (1, 2), 12, "[element 3]"),
    ((), None, 0, "[]"),
]


@pytest.mark.parametrize(("shape", "strides", "byte", "said"), PLACES)
def test_an_address_is_an_element(shape: tuple[int, ...], strides: Any, byte: int, said: str) -> None:
    placed = Placed(Tensor("x", "f32", shape, strides), 1000)
    assert placed.element_at(1000 + byte) == said
    assert placed.end == 1000 + 4 * placed.tensor.span


BLOCKS_OF = [
    ((6, 1, 1), 5, "5"),
    ((3, 2, 1), 4, "(1, 1, 0)"),
    ((1, 1, 4), 3, "(0, 0, 3)"),
    ((2, 3, 4), 23, "(1, 2, 3)"),
]


@pytest.mark.parametrize(("grid", "number", "said"), BLOCKS_OF)
def test_blocks_in_messages(grid: tuple[int, int, int], number: int, said: str) -> None:
    launch = Launch(grid, ())
    assert launch.block(number) == said
    assert launch.blocks == grid[0] * grid[1] * grid[2]


FOR_COPIED: list[tuple[list[dict[str, Any]], str]] = [
    ([X], "the facts give 3 values for 2 parameters of `copied`"),
    ([X, {"name": "n", "value": 1}], "parameter 1 is a pointer, and `n` is not"),
    ([X, {**X, "name": "y", "dtype": "f64"}], "`y` has elements of f64, and parameter 1 points to f32"),
    ([X, {**X, "name": "y", "same": "z"}], "`y` lies in the memory of `z`, which is no array of its own"),
    ([X, {"name": "y", "words": [1, "z"]}], "`y` has the word `z`, which is no array"),
]


@pytest.mark.parametrize(("arguments", "said"), FOR_COPIED, ids=[said for _, said in FOR_COPIED])
def test_facts_that_do_not_fit_the_kernel(arguments: list[dict[str, Any]], said: str) -> None:
    with pytest.raises(FactsError) as caught:
        call_of(ENTRIES["copied"], launch_from({"grid": [1], "arguments": arguments}))
    assert str(caught.value) == said


def test_arguments_as_they_are() -> None:
    numbers, floats = np.arange(6, dtype=np.int32), np.zeros((2, 3))
    found = launch_of((2, 3), [numbers, floats.T, 5, np.float32(0.5), [7, numbers]], ["x", "y", "n", "n", "table"])
    assert found.grid == (2, 3, 1)
    x, y, n, m, table = found.arguments
    assert [f.name for f in found.arguments] == ["x", "y", "n", "n#3", "table"]
    assert (x.shape, x.steps, x.address, x.contents.tolist()) == ((6,), (1,), numbers.ctypes.data, numbers.tolist())  # type: ignore[union-attr]
    assert (y.shape, y.steps, y.dtype, y.contents) == ((3, 2), (1, 3), "f64", None)  # type: ignore[union-attr]
    assert (n.value, m.value) == (5, 0.5)  # type: ignore[union-attr]
    assert (table.shape, table.words) == ((2,), (7, "table[0]"))  # type: ignore[union-attr]
    assert [(o.name, o.address) for o in found.others] == [("table[0]", numbers.ctypes.data)]
    seen = Tensor("elsewhere", "f32", (4,), address=4096)
    found = launch_of((1,), [seen, [seen, 7, numbers, seen]], ["x", "table"])
    assert found.arguments[0] == replace(seen, name="x")
    assert found.arguments[1].words == ("table[0]", 7, "table[1]", "table[2]")  # type: ignore[union-attr]
    assert [(o.name, o.address) for o in found.others] == [
        ("table[0]", 4096), ("table[1]", numbers.ctypes.data), ("table[2]", 4096),
    ]  # fmt: skip
    for value, said in (("text", "`x` is neither an array"), (numbers[::-1], "strides (-4,), which is not known")):
        with pytest.raises(FactsError, match=said.replace("(", r"\(").replace(")", r"\)")):
            launch_of((1,), [value], ["x"])


# --- Which elements are touched -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "end", "meet"), [(0, 10, False), (0, 11, True), (30, 40, False), (29, 40, True), (12, 13, True)]
)
def test_arrays_share_memory_where_a_byte_is_of_both(start: int, end: int, meet: bool) -> None:
    arrays = {0: SimpleNamespace(start=10, end=30), 1: SimpleNamespace(start=start, end=end)}
    call: Any = SimpleNamespace(arrays=arrays)
    assert sharing(call, {0}) == ({0, 1} if meet else {0})
    assert sharing(call, {1}) == ({0, 1} if meet else {1})


@pytest.mark.parametrize(("shift", "expected"), [(8, []), (7, ["O525"]), (0, ["O525"]), (1, ["O525"]), (16, [])])
def test_what_lies_in_one_memory_meets_where_elements_do(shift: int, expected: list[str]) -> None:
    y = {"name": "y", "shape": [8], "same": "x", "shift": shift}
    assert codes(audited("copied", [1], {"name": "x", "shape": [24]}, y)) == expected


@pytest.mark.parametrize(("x", "y", "expected"), [(8, 8, []), (7, 8, ["O521"]), (8, 7, ["O521"]), (7, 7, ["O521"])])
def test_the_last_element_has_to_be_there(x: int, y: int, expected: list[str]) -> None:
    assert codes(audited("copied", [1], {"name": "x", "shape": [x]}, {"name": "y", "shape": [y]})) == expected


extents, steps = st.integers(1, 9), st.integers(0, 12)


@settings(max_examples=60)
@given(st.booleans(), extents, extents, steps, steps, st.integers(1, 60), st.integers(1, 3), st.integers(1, 3))
def test_tiles_touch_the_elements_of_their_view(
    turned: bool, m: int, n: int, a: int, b: int, size: int, x: int, y: int
) -> None:
    """Every element by itself: whether it is in memory, and whether two tile blocks have it."""
    numbers = ({"name": name, "value": value} for name, value in (("m", m), ("n", n), ("a", a), ("b", b)))
    found = audited("turned" if turned else "seen", [x, y], {"name": "x", "shape": [size]}, *numbers)
    if turned:  # the tile's first dimension lies along the second axis
        m, n, a, b = n, m, b, a
    beside = x > -(-m // 2) or y > -(-n // 4)
    touched: dict[int, set[tuple[int, int]]] = {}
    twice = False
    for i, j in product(range(x), range(y)):
        places = [r * a + c * b for r, c in product(range(2 * i, min(2 * i + 2, m)), range(4 * j, min(4 * j + 4, n)))]
        twice = twice or len(set(places)) < len(places)
        for place in places:
            touched.setdefault(place, set()).add((i, j))
    outside = max(touched) >= size
    race = any(len(blocks) > 1 for blocks in touched.values())
    assert bool({"O520", "O521"} & {*codes(found)}) == (outside or beside)
    if not (outside or beside):
        assert ("O523" in codes(found)) == race
        assert found.verdict == ("faulty" if race else "unknown" if twice else "safe")  # a tile that is stored twice


reads = st.lists(st.tuples(st.booleans(), st.lists(st.integers(0, 4), max_size=4, unique=True)), min_size=1, max_size=6)


@given(reads)
def test_neighbours_in_time_at_each_element(accesses: list[tuple[bool, list[int]]]) -> None:
    """Where those that are neighbours are ordered, all are of which one writes: through others at the same element."""
    cells: Any = SimpleNamespace(
        accesses=[SimpleNamespace(path=(), kind="write" if writes else "read") for writes, _ in accesses],
        keys=[np.array(sorted(keys), np.int64) for _, keys in accesses],
    )
    found = Cells.in_order(cells)
    wanted: set[tuple[int, int]] = set()
    for key in range(5):
        at = [(number, writes) for number, (writes, keys) in enumerate(accesses) if key in keys]
        for place, (number, _) in enumerate(at):
            before = next((other for other, wrote in reversed(at[:place]) if wrote), None)
            wanted |= set() if before is None else {(before, number)}
            after = next((other for other, wrote in at[place + 1 :] if wrote), None)
            wanted |= set() if after is None else {(number, after)}
    assert found == sorted(wanted)


@pytest.mark.parametrize("changed", [{"path": (1,)}, {"kind": "update"}])
def test_what_may_not_happen_orders_nothing(changed: dict[str, Any]) -> None:
    access = SimpleNamespace(**{"path": (), "kind": "write", **changed})
    plain = SimpleNamespace(path=(), kind="write")
    cells: Any = SimpleNamespace(accesses=[plain, access], keys=[np.array([0])] * 2)
    assert Cells.in_order(cells) is None


# --- What indices come to -------------------------------------------------------------------------------------------

LANE = np.arange(8)
TABLE = np.array([[7, 3, 5, 0, 6, 1, 2, 4]] * 2)
BLOCK = np.array([[0], [1]])
HALVES = "reshape %r : tile<8xi32> -> tile<2x4xi32>"
FOLD = "(%a: tile<i32>, %b: tile<i32>) {{ %s = {} : tile<i32>\\nyield %s : tile<i32> }}".replace("\\n", "\n")


def scanned(op: str, reverse: str = "false") -> str:
    types = "tile<8xi32> -> tile<8xi32>"
    return f"%i = scan %w dim = 0 reverse = {reverse} identities = [0 : i32] : {types} {FOLD.format(op)}"


def reduced(op: str, dim: int) -> list[str]:
    left, back = (4, "1x4") if dim == 0 else (2, "2x1")
    return [
        "%h = reshape %w : tile<8xi32> -> tile<2x4xi32>",
        f"%f = reduce %h dim = {dim} identities = [0 : i32] : tile<2x4xi32> -> tile<{left}xi32> {FOLD.format(op)}",
        f"%g = reshape %f : tile<{left}xi32> -> tile<{back}xi32>",
        f"%q = broadcast %g : tile<{back}xi32> -> tile<2x4xi32>",
        "%i = reshape %q : tile<2x4xi32> -> tile<8xi32>",
    ]


SQUARE = TABLE.reshape(2, 2, 4)
INDICES: list[tuple[list[str], Any]] = [
    (["%i = addi %r, %n : tile<8xi32>"], LANE + BLOCK),
    (["%i = muli %w, %n : tile<8xi32>"], TABLE * BLOCK),
    (["%i = subi %w, %r : tile<8xi32>"], TABLE - LANE),
    (["%i = maxi %w, %r signed : tile<8xi32>"], np.maximum(TABLE, LANE)),
    (["%i = mini %w, %r signed : tile<8xi32>"], np.minimum(TABLE, LANE)),
    (["%i = remi %w, %t signed : tile<8xi32>"], TABLE % 3),
    (["%i = divi %w, %t signed rounding<zero> : tile<8xi32>"], TABLE // 3),
    (["%i = shli %r, %n : tile<8xi32>"], LANE << BLOCK),
    (["%i = andi %w, %t : tile<8xi32>"], TABLE & 3),
    (["%i = ori %w, %t : tile<8xi32>"], TABLE | 3),
    (["%i = xori %w, %t : tile<8xi32>"], TABLE ^ 3),
    (["%c = cmpi less_than %w, %t, signed : tile<8xi32> -> tile<8xi1>",
      "%i = select %c, %w, %n : tile<8xi1>, tile<8xi32>"], np.where(TABLE < 3, TABLE, BLOCK)),
    (["%c = cmpi greater_than_or_equal %w, %t, signed : tile<8xi32> -> tile<8xi1>",
      "%i = select %c, %w, %n : tile<8xi1>, tile<8xi32>"], np.where(TABLE >= 3, TABLE, BLOCK)),
    ([f"%h = {HALVES}", "%p = permute %h [1, 0] : tile<2x4xi32> -> tile<4x2xi32>",
      "%i = reshape %p : tile<4x2xi32> -> tile<8xi32>"], LANE.reshape(2, 4).T.reshape(8)),
    (["%z = constant <i32: 0> : tile<i32>", "%o = constant <i32: 1> : tile<i32>",
      "%a = extract %w[%o] : tile<8xi32> -> tile<4xi32>", "%b = extract %w[%z] : tile<8xi32> -> tile<4xi32>",
      "%i = cat %a, %b dim = 0 : tile<4xi32>, tile<4xi32> -> tile<8xi32>"], np.roll(TABLE, 4, 1)),
    (["%z = constant <i32: 0> : tile<i32>", f"%h = {HALVES}",
      "%b = extract %h[%z, %z] : tile<2x4xi32> -> tile<2x2xi32>",
      "%k = cat %b, %b dim = 1 : tile<2x2xi32>, tile<2x2xi32> -> tile<2x4xi32>",
      "%i = reshape %k : tile<2x4xi32> -> tile<8xi32>"], np.array([0, 1, 0, 1, 4, 5, 4, 5])),
    (["%z = constant <i32: 0> : tile<i32>", "%c = cmpi equal %bx, %z, signed : tile<i32> -> tile<i1>",
      "%i = if %c -> (tile<8xi32>) {\nyield %r : tile<8xi32>\n} else {\nyield %w : tile<8xi32>\n}"],
     np.stack([LANE, TABLE[1]])),
    (["%z = constant <i32: 0> : tile<i32>", "%o = constant <i32: 1> : tile<i32>",
      "%i = for %k in (%z to %bx, step %o) : tile<i32> iter_values(%a = %r) -> (tile<8xi32>) {\n"
      "%s = addi %a, %w : tile<8xi32>\ncontinue %s : tile<8xi32>\n}"], LANE + BLOCK * TABLE),
    (["%z = constant <i32: 0> : tile<i32>", "%o = constant <i32: 1> : tile<i32>", "%l = constant <i32: 3> : tile<i32>",
      "%i = for %k in (%z to %l, step %o) : tile<i32> iter_values(%a = %r) -> (tile<8xi32>) {\n"
      "%s = addi %a, %n : tile<8xi32>\ncontinue %s : tile<8xi32>\n}"], LANE + 3 * BLOCK),
    ([scanned("addi %a, %b")], np.cumsum(TABLE, 1)),
    ([scanned("addi %a, %b", "true")], np.cumsum(TABLE[:, ::-1], 1)[:, ::-1]),
    ([scanned("maxi %a, %b signed")], np.maximum.accumulate(TABLE, 1)),
    (reduced("addi %a, %b", 0), np.repeat(SQUARE.sum(1, keepdims=True), 2, 1).reshape(2, 8)),
    (reduced("addi %a, %b", 1), np.repeat(SQUARE.sum(2, keepdims=True), 4, 2).reshape(2, 8)),
    (reduced("maxi %a, %b signed", 1), np.repeat(SQUARE.max(2, keepdims=True), 4, 2).reshape(2, 8)),
]  # fmt: skip
INDEXED = """
cuda_tile.module @m {{
  entry @k(%x: tile<ptr<f32>>) {{
    %none = make_token : token
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %b1 = reshape %bx : tile<i32> -> tile<1xi32>
    %n = broadcast %b1 : tile<1xi32> -> tile<8xi32>
    %r = iota : tile<8xi32>
    %t = constant <i32: 3> : tile<8xi32>
    %w = constant <i32: [7, 3, 5, 0, 6, 1, 2, 4]> : tile<8xi32>
    {}
    %p1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %p8 = broadcast %p1 : tile<1xptr<f32>> -> tile<8xptr<f32>>
    %to = offset %p8, %i : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
    %v, %after = load_ptr_tko weak %to token=%none : tile<8xptr<f32>> -> tile<8xf32>, token
    return
  }}
}}
"""


@pytest.mark.parametrize(("lines", "wanted"), INDICES, ids=[lines[-1].split(" : ")[0] for lines, _ in INDICES])
def test_indices_are_what_they_come_to(lines: list[str], wanted: Any) -> None:
    module = parse_module(make_context(), INDEXED.format("\n".join(lines)), "k.mlir")
    (entry,) = (op for op in module.walk() if isinstance(op, EntryOp))
    x = {"name": "x", "shape": [64], "address": 1 << 20}
    found = audit(module, entry, launch_from({"grid": [2], "arguments": [x]}))
    (access,) = found.trace.accesses
    place: Any = access.place
    np.testing.assert_array_equal(
        np.broadcast_to((place.address - (1 << 20)) // 4, (2, 8)), np.broadcast_to(wanted, (2, 8))
    )
    assert (found.verdict == "safe") == (np.min(wanted) >= 0)


# --- Which accesses clash -------------------------------------------------------------------------------------------


def always(_: object) -> bool:
    return True


def never(_: object) -> bool:
    return False


TOGETHER = object()
"""Tile blocks."""
CLASHING: list[tuple[dict[str, Any], dict[str, Any], bool]] = [
    ({}, {}, True),
    ({"kind": "read"}, {}, True),
    ({}, {"kind": "read"}, True),
    ({"kind": "read"}, {"kind": "read"}, False),
    ({"ordering": "relaxed"}, {}, True),
    ({}, {"ordering": "relaxed"}, True),
    ({"ordering": "relaxed"}, {"ordering": "acquire"}, False),
    ({"blocks": object()}, {}, False),
    ({}, {"before": 0b1000}, False),
    ({}, {"before": 0b10111}, True),
    ({"before": 0b100000}, {}, False),
    ({"before": 0b11111}, {}, True),
    ({"excludes": always}, {}, False),
]
"""Changes of two accesses, the third and the fifth of a tile block, and whether they need an order."""


@pytest.mark.parametrize(("first", "second", "wanted"), CLASHING)
def test_executions_clash_that_nothing_orders(first: dict[str, Any], second: dict[str, Any], wanted: bool) -> None:
    plain: dict[str, Any] = {"blocks": TOGETHER, "kind": "write", "ordering": "weak", "before": 0, "excludes": never}
    a: Any = SimpleNamespace(**{**plain, "number": 3, **first})
    b: Any = SimpleNamespace(**{**plain, "number": 5, **second})
    assert _may_clash(a, b) == wanted


# --- Waiting, and promises ------------------------------------------------------------------------------------------

WAITING = """
cuda_tile.module @m {
  entry @k(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %v, %after = load_ptr_tko ORDER %x : tile<ptr<i32>> -> tile<i32>, token
    %w, %then = load_ptr_tko weak %y : tile<ptr<i32>> -> tile<i32>, token
    %c = cmpi equal DECIDES, %zero, signed : tile<i32> -> tile<i1>
    if %c {
      %t = store_ptr_tko weak %y, %zero token=%after : tile<ptr<i32>>, tile<i32> -> token
    }
    return
  }
}
"""


@pytest.mark.parametrize(
    ("order", "decides", "wanted"),
    [
        ("acquire device", "%v", True),
        ("acquire device", "%w", False),
        ("relaxed device", "%v", False),
        ("weak", "%v", False),
    ],
)
def test_blocks_wait_where_what_they_acquire_decides(order: str, decides: str, wanted: bool) -> None:
    text = WAITING.replace("ORDER", order).replace("DECIDES", decides)
    (entry,) = (op for op in parse_module(make_context(), text, "k.mlir").walk() if isinstance(op, EntryOp))
    assert waits(entry) == wanted


PROMISED = """
cuda_tile.module @m {
  entry @k(%x: tile<ptr<i32>>, %n: tile<i32>) {
    %i, %j, %l = get_tile_block_id : tile<i32>
    %at = constant <i32: AT> : tile<i32>
    %k = addi %n, %i : tile<i32>
    %c = cmpi equal %i, %at, signed : tile<i32> -> tile<i1>
    if %c {
      %q = assume PROMISE, %k : tile<i32>
      %p = offset %x, %q : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %v, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
    }
    return
  }
}
"""


@pytest.mark.parametrize(
    ("promise", "holds"),
    [
        ("bounded<0, 5>", (True, False)),
        ("bounded<6, 9>", (False, True)),
        ("bounded<5, 6>", (True, True)),
        ("div_by<2>", (False, True)),
        ("div_by<4>", (False, False)),
    ],
)
@pytest.mark.parametrize("at", [0, 1])
def test_promises_are_kept_by_the_blocks_that_make_them(promise: str, holds: tuple[bool, bool], at: int) -> None:
    text = PROMISED.replace("PROMISE", promise).replace("AT", str(at))
    module = parse_module(make_context(), text, "k.mlir")
    (entry,) = (op for op in module.walk() if isinstance(op, EntryOp))
    arguments = [{"name": "x", "dtype": "i32", "shape": [8]}, {"name": "n", "value": 5}]
    found = audit(module, entry, launch_from({"grid": [2], "arguments": arguments}))
    assert (found.verdict == "safe") == holds[at], (found.findings, found.open)


# --- Where it is said -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "region"),
    [
        ((3, 4, 3, 9), (3, 5, 3, 9)),
        ((3, 4, 3, 4), (3, 5, 3, 6)),
        ((3, 4, 3, 0), (3, 5, 3, 6)),
        ((3, 4, 5, 2), (3, 5, 5, 5)),
        ((3, 0, 3, 1), (3, 1, 3, 1)),
    ],
)
def test_regions_of_sarif_hold_a_character(place: tuple[int, int, int, int], region: tuple[int, ...]) -> None:
    line, start, end_line, end = place
    located = sarif._location(Span("k.mlir", line, start, end_line, end), "other")["physicalLocation"]  # pyright: ignore[reportPrivateUsage]
    assert located["artifactLocation"] == {"uri": "k.mlir"}
    assert tuple(located["region"].values()) == region
    assert "region" not in sarif._location(None, "other")["physicalLocation"]  # pyright: ignore[reportPrivateUsage]


NUMBERS: list[tuple[str, float, bool]] = [
    ("i8", 255, True), ("i8", 256, False), ("i8", -128, True), ("i8", -129, False), ("i8", 2.0, False),
    ("i32", (1 << 32) - 1, True), ("i32", 1 << 32, False), ("i1", 1, True), ("i1", 2, False),
    ("f32", 3, True), ("f32", 2.5, True),
]  # fmt: skip


@pytest.mark.parametrize(("type_", "value", "fits"), NUMBERS)
def test_numbers_that_a_parameter_holds(type_: str, value: float, fits: bool) -> None:
    """Read with a sign or without one; a float is none of an integer's."""
    text = f"cuda_tile.module @m {{\n entry @k(%n: tile<{type_}>) {{\n return\n }}\n}}"
    (entry,) = (op for op in parse_module(make_context(), text, "k.mlir").walk() if isinstance(op, EntryOp))
    launch = launch_from({"grid": 1, "arguments": [{"name": "n", "value": value}]})
    if fits:
        assert call_of(entry, launch).values == (value,)
        return
    with pytest.raises(FactsError, match=f"parameter 0 is {type_}, and `n` is {value}"):
        call_of(entry, launch)
