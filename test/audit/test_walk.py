"""What is walked of a launch, from text: operations that are not known leave it open, and reads of others are seen."""

from __future__ import annotations

import re
from typing import Any

import pytest

from freehold.audit.facts import launch_from
from freehold.audit.picture import picture
from freehold.audit.verdict import Audit, audit
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
