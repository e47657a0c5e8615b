"""Arrays in which tile blocks are apart in every launch, and those in which they are so in the one that was audited."""

from __future__ import annotations

from typing import Any

import pytest

from freehold.audit.facts import launch_from
from freehold.audit.verdict import audit
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

KERNEL = """
cuda_tile.module @m {
  entry @k(%x: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_token : token
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %g, %g1, %g2 = get_num_tile_blocks : tile<i32>
    %c = constant <f32: 1.0> : tile<f32>
    %p = reshape %c : tile<f32> -> tile<1xf32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    MORE
    return
  }
}
"""


def at(place: str, number: int = 0) -> str:
    """A store of an element, by its number."""
    return f"""%at{number} = offset %x, {place} : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %s{number} = store_ptr_tko weak %at{number}, %c token=%t : tile<ptr<f32>>, tile<f32> -> token"""


def read(place: str) -> str:
    return f"""%from = offset %x, {place} : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %r, %u = load_ptr_tko weak %from token=%t : tile<ptr<f32>> -> tile<f32>, token"""


def put(name: str, left: str, op: str, right: str) -> str:
    return f"%{name} = {op} {left}, {right} : tile<i32>"


def tile(base: str, extent: str, step: str, index: str) -> str:
    """A store of a tile of a view."""
    view = "tensor_view<?xf32, strides=[?]>"
    return f"""%v = make_tensor_view {base}, shape = [{extent}], strides = [{step}] : tile<i32> -> {view}
    %w = make_partition_view %v : partition_view<tile=(1), {view}>
    %s = store_view_tko weak %p, %w[{index}] token = %t : tile<1xf32>, partition_view<tile=(1), {view}>, tile<i32> -> token"""  # noqa: E501 -- the dialect has no lines


EVEN, ODD = put("even", "%b", "muli", "%two"), put("odd", "%even", "addi", "%one")
TURNS = "for %i in (%zero to {}, step %one) : tile<i32> {{\n {}\n continue\n }}"
TURN = f"{put('k', '%j', 'addi', '%i')}\n{at('%k')}"
CASES: dict[str, tuple[list[str], bool]] = {
    "its own number": ([at("%b")], True),
    "some bits of it": ([put("i", "%b", "andi", "%three"), at("%i")], False),
    "beside a number": ([put("i", "%b", "addi", "%n"), at("%i")], True),
    "times a number": ([put("i", "%b", "muli", "%n"), at("%i")], False),
    "behind all others": ([put("m", "%g", "subi", "%b"), at("%m")], True),
    "two each": ([EVEN, ODD, at("%even", 0), at("%odd", 1)], True),
    "one of all is read": ([EVEN, ODD, at("%odd"), read("%zero")], True),
    "one that is written is read": ([EVEN, at("%even"), read("%three")], True),
    "one that another launch writes is read": ([put("i", "%n", "addi", "%three"), at("%b"), read("%i")], False),
    "all is read": ([read("%zero")], True),
    "three in a loop": ([put("j", "%b", "muli", "%three"), TURNS.format("%three", TURN)], True),
    "as many as a number": ([put("j", "%b", "muli", "%three"), TURNS.format("%n", TURN)], False),
    "every second in a loop, and those between": ([
        "%four = constant <i32: 4> : tile<i32>", put("j", "%b", "muli", "%four"),
        "for %i in (%zero to %four, step %two) : tile<i32> {",
        put("k", "%j", "addi", "%i"), at("%k"), put("l", "%k", "addi", "%one"), at("%l", 1), "continue", "}"], True),
    "behind the last is read": ([at("%b"), read("%g")], True),
    "the last is read": ([put("i", "%b", "addi", "%one"), at("%i"), put("l", "%n", "subi", "%one"), read("%l")], False),
    "a tile of a view": ([tile("%x", "%g", "%n", "%b")], True),
    "a view of each block": ([put("e", "%b", "addi", "%one"), tile("%x", "%e", "%n", "%b")], False),
    "strides of each block": ([put("e", "%b", "addi", "%one"), tile("%x", "%g", "%e", "%b")], False),
    "a view that begins at its block": (
        ["%y = offset %x, %b : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>", tile("%y", "%g", "%n", "%zero")], False),
}  # fmt: skip
OF_Y: dict[str, list[str]] = {
    "its tile of a view": [tile("%x", "%g1", "%n", "%b1")],
    "behind the first, which is read": [put("i", "%b1", "addi", "%one"), at("%i"), read("%b")],
    "one axis of one behind the first, which is read": [put("i", "%b1", "addi", "%g"), at("%i"), read("%zero")],
}


def found(lines: list[str], grid: list[int]) -> tuple[str, bool]:
    module = parse_module(make_context(), KERNEL.replace("MORE", "\n    ".join(lines)), "k.mlir")
    (entry,) = (op for op in module.walk() if isinstance(op, EntryOp))
    given: dict[str, Any] = {"name": "x", "dtype": "f32", "shape": [64]}
    seen = audit(module, entry, launch_from({"grid": grid, "arguments": [given, {"name": "n", "value": 1}]}))
    return seen.verdict, seen.arrays[0].everywhere


@pytest.mark.parametrize("name", CASES)
def test_where_tile_blocks_are_apart_in_every_launch(name: str) -> None:
    """In this launch they are so in each of these."""
    lines, everywhere = CASES[name]
    assert found(lines, [3]) == ("safe", everywhere)


@pytest.mark.parametrize("name", OF_Y)
def test_an_axis_of_one_block_is_one_in_every_launch(name: str) -> None:
    assert found(OF_Y[name], [1, 3]) == ("safe", True)


def test_one_block_is_apart_from_no_other() -> None:
    assert found([at("%zero")], [1]) == ("safe", True)


@pytest.mark.parametrize(("count", "everywhere"), [(12, True), (13, False)])
def test_of_how_many_operations_it_is_asked(count: int, everywhere: bool) -> None:
    lines = [f"%many = constant <i32: {count}> : tile<i32>", put("j0", "%b", "muli", "%many"), at("%j0")]
    for n in range(1, count):
        lines += [put(f"j{n}", f"%j{n - 1}", "addi", "%one"), at(f"%j{n}", n)]
    assert found(lines, [3]) == ("safe", everywhere)
