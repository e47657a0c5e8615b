"""Kernels of which parts are loaded and stored, as text, and audits of them."""

from __future__ import annotations

from typing import Any

from freehold.audit.facts import launch_from
from freehold.audit.verdict import Audit, audit
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

VIEW = "tensor_view<?x?xf32, strides=[?,?]>"
TILED = f"partition_view<tile=(2x4), {VIEW}>"
TURNED = f"partition_view<tile=(2x4), {VIEW}, dim_map=[1, 0]>"
SEEN = f"""
  entry @NAME(%x: tile<ptr<f32>>, %m: tile<i32>, %n: tile<i32>, %a: tile<i32>, %b: tile<i32>) {{
    %none = make_token : token
    %v = make_tensor_view %x, shape = [%m, %n], strides = [%a, %b] : tile<i32> -> {VIEW}
    %p = make_partition_view %v : TILED
    %i, %j, %k = get_tile_block_id : tile<i32>
    %t, %after = load_view_tko weak %p[%i, %j] token = %none : TILED, tile<i32> -> tile<2x4xf32>, token
    %t2 = store_view_tko weak %t, %p[%i, %j] token = %after : tile<2x4xf32>, TILED, tile<i32> -> token
    return
  }}
"""
MODULE = f"""
cuda_tile.module @kernels {{
{SEEN.replace("NAME", "seen").replace("TILED", TILED)}
{SEEN.replace("NAME", "turned").replace("TILED", TURNED)}
  entry @copied(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {{
    %none = make_token : token
    %r = iota : tile<8xi32>
    %p = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %p8 = broadcast %p : tile<1xptr<f32>> -> tile<8xptr<f32>>
    %p9 = offset %p8, %r : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
    %t, %after = load_ptr_tko weak %p9 token=%none : tile<8xptr<f32>> -> tile<8xf32>, token
    %q = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
    %q8 = broadcast %q : tile<1xptr<f32>> -> tile<8xptr<f32>>
    %q9 = offset %q8, %r : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
    %t2 = store_ptr_tko weak %q9, %t token=%none : tile<8xptr<f32>>, tile<8xf32> -> token
    return
  }}
}}
"""
PARSED = parse_module(make_context(), MODULE, "kernels.mlir")
ENTRIES = {op.sym_name.data: op for op in PARSED.walk() if isinstance(op, EntryOp)}


def audited(entry: str, grid: list[int], *arguments: dict[str, Any]) -> Audit:
    """The audit of one of them."""
    launch = launch_from({"grid": grid, "arguments": list(arguments)})
    return audit(PARSED, ENTRIES[entry], launch)
