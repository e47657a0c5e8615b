"""What is walked of a launch, from text: operations that are not known leave it open, and reads of others are seen."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from operator import add, mul, sub
from typing import Any

import pytest

from freehold.audit import straight
from freehold.audit import walk as walks
from freehold.audit.facts import call_of, launch_from
from freehold.audit.picture import picture
from freehold.audit.verdict import Audit, audit
from freehold.audit.whose import written
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

STORED = """
cuda_tile.module @m {
  entry @k(%x: tile<ptr<f32>>) {
    %t = make_token : token
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %c = constant <f32: 1.0> : tile<f32>
    %at = offset %x, %b : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    MORE
    return
  }
}
"""
STORE = "%s = store_ptr_tko weak %at, %c token=%t : tile<ptr<f32>>, tile<f32> -> token"
TOKEN = "!cuda_tile.token"


def audited(more: str, grid: int = 4, extent: int = 8) -> Audit:
    module = parse_module(make_context(allow_unregistered=True), STORED.replace("MORE", more), "k.mlir")
    (entry,) = (op for op in module.walk() if isinstance(op, EntryOp))
    facts = {"grid": [grid], "arguments": [{"name": "x", "dtype": "f32", "shape": [extent]}]}
    return audit(module, entry, launch_from(facts))


def test_a_store_of_each_block_is_safe() -> None:
    assert audited(STORE).verdict == "safe"


UNKNOWN = [
    f'%u = "foo.sync"(%t) : ({TOKEN}) -> {TOKEN}',
    f'"foo.wait"(%t) : ({TOKEN}) -> ()',
    f'%u = "foo.begin"() : () -> {TOKEN}',
    '"foo.store"(%at, %c) : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<f32>) -> ()',
    '%u = "foo.load"(%at) : (!cuda_tile.tile<ptr<f32>>) -> !cuda_tile.tile<f32>',
]


@pytest.mark.parametrize("op", UNKNOWN)
def test_what_may_touch_memory_in_unknown_ways_is_never_safe(op: str) -> None:
    found = audited(f"{op}\n    {STORE}")
    assert found.verdict == "unknown"
    assert [each.why for each in found.open] == ["`builtin.unregistered` is not followed"]


def test_what_another_block_reads_is_red() -> None:
    """All blocks read the first element, which the first one writes."""
    read = "%r, %u = load_ptr_tko weak %x token=%t : tile<ptr<f32>> -> tile<f32>, token"
    found = audited(f"{STORE}\n    {read}")
    assert found.verdict == "faulty"
    drawn: Any = picture(found, found.arrays[0])
    said = re.findall(r"x\[\d\]: (.*?)</title>", drawn)
    assert said == [
        "block 0 writes and block 3 reads here",
        *(f"block {n} writes" for n in (1, 2, 3)),
        *["not touched"] * 4,
    ]
    assert drawn.count('fill="#d1242f"') == 1


WIDE = """%i = iota : tile<WIDTHxi32>
    %w = constant <i32: WIDTH> : tile<i32>
    %first = muli %b, %w : tile<i32>
    %r = reshape %first : tile<i32> -> tile<1xi32>
    %o = broadcast %r : tile<1xi32> -> tile<WIDTHxi32>
    %n = addi %i, %o : tile<WIDTHxi32>
    %q = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %all = broadcast %q : tile<1xptr<f32>> -> tile<WIDTHxptr<f32>>
    %to = offset %all, %n : tile<WIDTHxptr<f32>>, tile<WIDTHxi32> -> tile<WIDTHxptr<f32>>
    %ones = constant <f32: 1.0> : tile<WIDTHxf32>
    %s = store_ptr_tko weak %to, %ones token=%t : tile<WIDTHxptr<f32>>, tile<WIDTHxf32> -> token"""


@pytest.mark.parametrize(
    ("width", "blocks", "runs"),
    [(1, 1 << 16, 1), (1, (1 << 16) + 1, 2), (256, 4096, 1), (256, 4097, 2), (1 << 17, 16, 1), (1 << 17, 17, 2)],
)
def test_as_many_blocks_are_walked_at_once_as_fit(width: int, blocks: int, runs: int) -> None:
    module = parse_module(make_context(), STORED.replace("MORE", WIDE.replace("WIDTH", str(width))), "k.mlir")
    (entry,) = (op for op in module.walk() if isinstance(op, EntryOp))
    facts = {"grid": [blocks], "arguments": [{"name": "x", "dtype": "f32", "shape": [width * blocks]}]}
    assert len(walks.Walk(entry, call_of(entry, launch_from(facts))).run().accesses) == runs


def test_as_much_is_walked_as_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    module = parse_module(make_context(), STORED.replace("MORE", STORE), "k.mlir")
    (entry,) = (op for op in module.walk() if isinstance(op, EntryOp))
    facts = {"grid": [4], "arguments": [{"name": "x", "dtype": "f32", "shape": [8]}]}
    done = walks.Walk(entry, call_of(entry, launch_from(facts)))
    done.run()
    monkeypatch.setattr(straight, "MOST_WORK", done.work)
    assert audited(STORE).verdict == "safe"
    monkeypatch.setattr(straight, "MOST_WORK", done.work - 1)
    found = audited(STORE)
    assert (found.verdict, found.open[0].why) == ("unknown", "the launch is too large to be walked")


CARRIED = """%z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %begin = muli %b, %two : tile<i32>
    LOOP {
      %to = offset %x, %a : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
      %s = store_ptr_tko weak %to, %c token=%t : tile<ptr<f32>>, tile<f32> -> token
      %next = addi %a, %one : tile<i32>
      END
    }"""
COUNTED = "%e = for %k in (%z to %two, step %one) : tile<i32> iter_values(%a = %begin) -> (tile<i32>)"
UNTIL = """%first = andi %next, %one : tile<i32>
      %more = cmpi not_equal %first, %z, signed : tile<i32> -> tile<i1>
      if %more {
        continue %next : tile<i32>
      }
      break"""


@pytest.mark.parametrize(
    ("loop", "end"),
    [(COUNTED, "continue %next : tile<i32>"), ("loop iter_values(%a = %begin) : tile<i32>", UNTIL)],
    ids=["for", "loop"],
)
@pytest.mark.parametrize(("extent", "verdict"), [(8, "safe"), (7, "faulty")])
def test_where_a_loop_stores_is_carried(loop: str, end: str, extent: int, verdict: str) -> None:
    """Two turns of each block, of which nothing but what they carry says where they store."""
    assert audited(CARRIED.replace("LOOP", loop).replace("END", end), extent=extent).verdict == verdict


EXACT: dict[str, Callable[[int, int], int]] = {"addi": add, "subi": sub, "muli": mul}


@pytest.mark.parametrize("bits", [8, 32])
@pytest.mark.parametrize("op", EXACT)
def test_what_is_promised_not_to_wrap_does_not(op: str, bits: int) -> None:
    """At both ends of what a type holds, read with a sign and without one, against integers that do not wrap."""
    half = 1 << (bits - 1)
    numbers = (0, 1, -1, 2, half - 1, -half) if bits == 8 else (1, -1, half - 1, -half)
    for a, b, signed in product(numbers, numbers, (True, False)):
        exact = EXACT[op](*((a, b) if signed else (a % (2 * half), b % (2 * half))))
        fits = -half <= exact < half if signed else 0 <= exact < 2 * half
        promise = f"overflow<no_{'signed' if signed else 'unsigned'}_wrap>"
        constants = [f"%{name} = constant <i{bits}: {n}> : tile<i{bits}>" for name, n in (("a", a), ("d", b))]
        wide = "%w = exti %z signed : tile<i8> -> tile<i32>" if bits == 8 else "%w = addi %z, %z : tile<i32>"
        lines = [  # where it is stored rests on the result, which is what makes it matter
            *constants, f"%r = {op} %a, %d {promise} : tile<i{bits}>", f"%none = constant <i{bits}: 0> : tile<i{bits}>",
            f"%z = andi %r, %none : tile<i{bits}>", wide, "%i = addi %b, %w : tile<i32>",
            "%to = offset %x, %i : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>", STORE.replace("%at", "%to"),
        ]  # fmt: skip
        found = audited("\n    ".join(lines))
        assert (a, b, promise, found.verdict) == (a, b, promise, "safe" if fits else "faulty")


TABLE = """
cuda_tile.module @m {
  entry @k(%table: tile<ptr<i32>>, %x: tile<ptr<f32>>) {
    %t = make_token : token
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %c = constant <f32: 1.0> : tile<f32>
    %one = reshape %c : tile<f32> -> tile<1xf32>
    MORE
    %from = offset %table, %b : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %i, %u = load_ptr_tko weak %from token=%t : tile<ptr<i32>> -> tile<i32>, token
    %at = offset %x, %i : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %s = store_ptr_tko weak %at, %c token=%t : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
"""
MULTICAST = "partition_view<tile=(1), tensor_view<?xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>"
MULTIMEM = f"""%w = "foo.view"() : () -> !cuda_tile.{MULTICAST}
    %q = multimem_store_view_tko weak %w, %one[%b] token = %t : {MULTICAST}, tile<1xf32>, tile<i32>, token -> token"""


@pytest.mark.parametrize(("more", "arrays"), [("", {1}), (MULTIMEM, {0, 1})], ids=["one's own", "of several GPUs"])
def test_a_store_to_several_gpus_may_write_any_array(more: str, arrays: set[int]) -> None:
    module = parse_module(make_context(allow_unregistered=True), TABLE.replace("MORE", more), "k.mlir")
    (entry,) = (op for op in module.walk() if isinstance(op, EntryOp))
    given = [{"name": name, "dtype": dtype, "shape": [8]} for name, dtype in (("table", "i32"), ("x", "f32"))]
    assert written(entry, call_of(entry, launch_from({"grid": [4], "arguments": given}))) == arrays


VIEW = """%n = constant <i64: NUMBER> : tile<i64>
    %v = make_tensor_view %x, shape = [%n], strides = [STEP] : tile<i64> -> tensor_view<?xf32, strides=[STEP]>
    %p = make_partition_view %v : partition_view<tile=(1), tensor_view<?xf32, strides=[STEP]>>
    %one = reshape %c : tile<f32> -> tile<1xf32>
    %s = store_view_tko weak %one, %p[%b] token = %t : tile<1xf32>, partition_view<tile=(1), tensor_view<?xf32, strides=[STEP]>>, tile<i32> -> token"""  # noqa: E501 -- the dialect has no lines
LARGE = "the extents and strides of a view do not fit in 64 bits"
NEGATIVE = "an extent or a stride of the view is negative"


@pytest.mark.parametrize(
    ("extent", "step", "why", "codes"),
    [
        (8, 1, [], []),
        (0, 1, [], []),
        (-1, 1, [NEGATIVE], ["O528"]),
        ((1 << 58) - (1 << 10), 1, [], []),
        (1 << 58, 1, [LARGE], []),
        ((1 << 57) - (1 << 10), 2, [], []),
        (1 << 57, 2, [LARGE], []),
    ],
)
def test_views_with_extents_of_any_size(extent: int, step: int, why: list[str], codes: list[str]) -> None:
    """Bytes of 60 bits or more are not followed, so that no address wraps around."""
    found = audited(VIEW.replace("NUMBER", str(extent)).replace("STEP", str(step)), extent=16)
    assert [*dict.fromkeys(each.why for each in found.open)] == why
    assert [each.error.code for each in found.findings] == codes
