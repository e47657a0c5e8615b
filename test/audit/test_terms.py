"""Accesses at places that memory says: in bounds whatever it holds, where the kernel looks at them before."""

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
  entry @k(%table: tile<ptr<i32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_token : token
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %begin = constant <i32: BEGIN> : tile<i32>
    %base = offset %y, %begin : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %from = offset %table, %b : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %i, %u = load_ptr_tko weak %from token=%t : tile<ptr<i32>> -> tile<i32>, token
    %least = constant <i32: LEAST> : tile<i32>
    %most = constant <i32: MOST> : tile<i32>
    %low = cmpi greater_than_or_equal %i, %least, signed : tile<i32> -> tile<i1>
    %high = cmpi less_than %i, %most, signed : tile<i32> -> tile<i1>
    %ok = andi %low, %high : tile<i1>
    READ
    return
  }
}
"""
TENSOR = "tensor_view<EXTENTxf32, strides=[STEP]>"
VIEW = f"partition_view<tile=(WIDTH), {TENSOR}>"
TILE = f"""%v = make_tensor_view %base, shape = [EXTENT], strides = [STEP] : {TENSOR}
    %w = make_partition_view %v : {VIEW}
    if %ok {{
      %r, %s = load_view_tko weak %w[%i] token = %t : {VIEW}, tile<i32> -> tile<WIDTHxf32>, token
    }}"""
ELEMENT = "%at = offset %base, %i : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>\n"
POINTER = f"""{ELEMENT} if %ok {{
      %r, %s = load_ptr_tko weak %at token=%t : tile<ptr<f32>> -> tile<f32>, token
    }}"""
OTHERWISE = f"""{ELEMENT} if %ok {{
    }} else {{
      %r, %s = load_ptr_tko weak %at token=%t : tile<ptr<f32>> -> tile<f32>, token
    }}"""
MASKED = f"""{ELEMENT} %none = constant <f32: 0.0> : tile<f32>
    %r, %s = load_ptr_tko weak %at, %ok, %none token=%t : tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token"""
FURTHER = "%m = addi %i, %n : tile<i32>\n" + POINTER.replace("%base, %i", "%base, %m")
OF_BLOCKS = TILE.replace("[EXTENT], strides = [STEP] :", "[%b], strides = [STEP] : tile<i32> ->").replace("EXTENT", "?")
MADE, GUARDED = TILE.partition("    if %ok")[::2]
WITHIN = """    %below = cmpi less_than %i, %count, signed : tile<i32> -> tile<i1>
    %fits = andi %low, %below : tile<i1>
"""
OF_TILES = f"{MADE}    %count = get_index_space_shape %w : {VIEW} -> tile<i32>\n{WITHIN}    if %fits{GUARDED}"
OF_EXTENT = f"{MADE}    %count = get_tensor_shape %v : {TENSOR} -> tile<i32>\n{WITHIN}{POINTER.replace('%ok', '%fits')}"
OF_ELEMENTS: list[tuple[dict[str, int], int, str]] = [
    ({}, 8, "safe"), ({}, 7, "unknown"), ({"LEAST": -1}, 8, "unknown"), ({"LEAST": -1, "BEGIN": 1}, 9, "safe"),
    ({"BEGIN": 3}, 11, "safe"), ({"BEGIN": 3}, 10, "unknown"),
]  # fmt: skip
CASES: list[tuple[str, dict[str, int], int, str]] = [
    (TILE, {}, 8, "safe"),
    (TILE, {}, 7, "unknown"),
    (TILE, {"LEAST": -1}, 8, "unknown"),
    (TILE, {"MOST": 9}, 8, "unknown"),
    (TILE, {"STEP": 2}, 15, "safe"),
    (TILE, {"STEP": 2}, 14, "unknown"),
    (TILE, {"WIDTH": 2, "MOST": 4}, 8, "safe"),
    (TILE, {"WIDTH": 2, "MOST": 5}, 8, "unknown"),
    (TILE, {"WIDTH": 2, "MOST": 4, "EXTENT": 7}, 7, "safe"),
    (TILE, {"BEGIN": 3}, 11, "safe"),
    (TILE, {"BEGIN": 3}, 10, "unknown"),
    (TILE, {"BEGIN": -1}, 8, "unknown"),
    *((op, *case) for op in (POINTER, MASKED) for case in OF_ELEMENTS),
    (OTHERWISE, {}, 8, "unknown"),
    (OF_BLOCKS, {}, 8, "unknown"),
    (OF_TILES, {"WIDTH": 2}, 8, "safe"),
    (OF_TILES, {"WIDTH": 2, "EXTENT": 7}, 7, "safe"),
    (OF_TILES, {"WIDTH": 2, "LEAST": -1}, 8, "unknown"),
    (OF_EXTENT, {"WIDTH": 2}, 8, "safe"),
    (OF_EXTENT, {"WIDTH": 2}, 7, "unknown"),
    (OF_EXTENT, {"WIDTH": 2, "EXTENT": 7}, 7, "safe"),
    (FURTHER, {}, 11, "safe"),
    (FURTHER, {}, 10, "unknown"),
]  # fmt: skip


@pytest.mark.parametrize(("read", "numbers", "extent", "verdict"), CASES, ids=range(len(CASES)))
def test_what_is_in_bounds_whatever_memory_holds(read: str, numbers: dict[str, int], extent: int, verdict: str) -> None:
    text = KERNEL.replace("READ", read)
    for name, number in {"EXTENT": 8, "STEP": 1, "WIDTH": 1, "LEAST": 0, "MOST": 8, "BEGIN": 0, **numbers}.items():
        text = text.replace(name, str(number))
    module = parse_module(make_context(), text, "k.mlir")
    (entry,) = (op for op in module.walk() if isinstance(op, EntryOp))
    arrays: list[dict[str, Any]] = [
        {"name": "table", "dtype": "i32", "shape": [4]},
        {"name": "y", "dtype": "f32", "shape": [extent]},
    ]
    found = audit(module, entry, launch_from({"grid": [4], "arguments": [*arrays, {"name": "n", "value": 3}]}))
    assert found.verdict == verdict, (found.findings, found.open)
