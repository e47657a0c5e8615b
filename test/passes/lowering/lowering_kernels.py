"""Ownership kernels as text, for the tests of what they are lowered to."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp

from freehold.passes.pipeline import verify
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module


def parse(text: str) -> ModuleOp:
    """A module from its text, which all verifiers have accepted."""
    module = parse_module(make_context(), text, "kernel.mlir")
    module.verify()
    verify(module)
    return module


def layout(align: int, strides: Sequence[int], stride_divs: Sequence[int], extent_divs: Sequence[int]) -> str:
    """A layout attribute as text."""
    return (
        f"#ownership.layout<align = {align}, strides = {[*strides]}, stride_divs = {[*stride_divs]},"
        f" extent_divs = {[*extent_divs]}>"
    )


def schedule(order: str = "", persistent: bool = False) -> str:
    """The clauses of a distribution: `order` as `column` or `grouped 8`."""
    clauses = [f"order #ownership.order<{order}>"] if order else []
    return " ".join([*clauses, *(["blocks #ownership.blocks<persistent>"] if persistent else [])])


def saxpy(tile: int = 1024, order: str = "", persistent: bool = False, align: int = 16) -> str:
    """y = a * x + y over rank-1 tensors of equal length."""
    body = f"[N], f32, {layout(align, [1], [1], [16])}"
    region = f"<mut tile [{tile}], {body}>"
    return f"""
ownership.kernel @saxpy(%y: !ownership.tensor<{body}>, %x: !ownership.tensor<{body}>, %a: !cuda_tile.tile<f32>) {{
  %rx = ownership.borrow %x : !ownership.tensor<{body}> -> !ownership.ref<{body}>
  %p = ownership.partition %y : !ownership.tensor<{body}> -> !ownership.partition{region}
  ownership.distribute %p {schedule(order, persistent)} : !ownership.partition{region} {{
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition{region} -> !ownership.region{region}
    %tx = ownership.load %rx[%i] : !ownership.ref<{body}> -> !cuda_tile.tile<{tile}xf32>
    %ty = ownership.load %r : !ownership.region{region} -> !cuda_tile.tile<{tile}xf32>
    %a1 = cuda_tile.reshape %a : tile<f32> -> tile<1xf32>
    %ab = cuda_tile.broadcast %a1 : tile<1xf32> -> tile<{tile}xf32>
    %ax = cuda_tile.mulf %ab, %tx : tile<{tile}xf32>
    %s = cuda_tile.addf %ax, %ty : tile<{tile}xf32>
    ownership.store %s, %r : !cuda_tile.tile<{tile}xf32>, !ownership.region{region}
  }}
}}
"""


def gemm(
    tile: tuple[int, int, int] = (128, 256, 64),
    element: str = "bf16",
    order: str = "",
    persistent: bool = False,
    hints: str = "",
    divisor: int = 16,
) -> str:
    """c = a @ b, accumulated in f32. Extents and strides are multiples of `divisor`."""
    m, n, k = tile
    known = layout(16, [0, 1], [divisor, 1], [divisor, divisor])
    a, b, c = (f"[{dims}], {element}, {known}" for dims in ("M, K", "K, N", "M, N"))
    region = f"<out tile [{m}, {n}], {c}>"
    sum_ = f"tile<{m}x{n}xf32>"
    convert = f"cuda_tile.ftof %acc : tile<{m}x{n}xf32> -> tile<{m}x{n}x{element}>"
    if element == "f32":
        convert = f"cuda_tile.reshape %acc : tile<{m}x{n}xf32> -> tile<{m}x{n}xf32>"
    return f"""
ownership.kernel @gemm(%c: !ownership.tensor<{c}>, %a: !ownership.tensor<{a}>, %b: !ownership.tensor<{b}>) {hints} {{
  %p = ownership.partition %c : !ownership.tensor<{c}> -> !ownership.partition{region}
  %ra = ownership.borrow %a : !ownership.tensor<{a}> -> !ownership.ref<{a}>
  %rb = ownership.borrow %b : !ownership.tensor<{b}> -> !ownership.ref<{b}>
  ownership.distribute %p {schedule(order, persistent)} : !ownership.partition{region} {{
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i, %j] : !ownership.partition{region} -> !ownership.region{region}
    %zero = cuda_tile.constant <i32: 0> : tile<i32>
    %one = cuda_tile.constant <i32: 1> : tile<i32>
    %init = cuda_tile.constant <f32: 0.0> : tile<{m}x{n}xf32>
    %turns = ownership.tiles %ra, 1 by {k} : !ownership.ref<{a}>
    %acc = cuda_tile.for %k in (%zero to %turns, step %one) : tile<i32> iter_values(%x = %init) -> ({sum_}) {{
      %ta = ownership.load %ra[%i, %k] : !ownership.ref<{a}> -> !cuda_tile.tile<{m}x{k}x{element}>
      %tb = ownership.load %rb[%k, %j] : !ownership.ref<{b}> -> !cuda_tile.tile<{k}x{n}x{element}>
      %y = cuda_tile.mmaf %ta, %tb, %x : tile<{m}x{k}x{element}>, tile<{k}x{n}x{element}>, tile<{m}x{n}xf32>
      cuda_tile.continue %y : tile<{m}x{n}xf32>
    }}
    %out = {convert}
    ownership.store %out, %r : !cuda_tile.tile<{m}x{n}x{element}>, !ownership.region{region}
  }}
}}
"""


def row_softmax(columns: int = 256) -> str:
    """Each row of x, exponentiated and divided by its sum. Padding with -inf keeps what overhangs out of the sum."""
    x = "[M, N], f32"
    region = f"<out tile [1, {columns}], {x}>"
    row, one = f"tile<1x{columns}xf32>", "tile<1xf32>"
    below = "padding_value = #cuda_tile.padding_value<neg_inf>"
    return f"""
ownership.kernel @softmax(%y: !ownership.tensor<{x}>, %x: !ownership.tensor<{x}>) {{
  %p = ownership.partition %y : !ownership.tensor<{x}> -> !ownership.partition{region}
  %rx = ownership.borrow %x : !ownership.tensor<{x}> -> !ownership.ref<{x}>
  ownership.distribute %p : !ownership.partition{region} {{
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i, %j] : !ownership.partition{region} -> !ownership.region{region}
    %t = ownership.load %rx[%i, %j] {{{below}}} : !ownership.ref<{x}> -> !cuda_tile.{row}
    %top = cuda_tile.reduce %t dim=1 identities=[0xFF800000 : f32] : {row} -> {one}
    (%u: tile<f32>, %v: tile<f32>) {{
      %w = cuda_tile.maxf %u, %v : tile<f32>
      cuda_tile.yield %w : tile<f32>
    }}
    %top1 = cuda_tile.reshape %top : {one} -> tile<1x1xf32>
    %topb = cuda_tile.broadcast %top1 : tile<1x1xf32> -> {row}
    %d = cuda_tile.subf %t, %topb : {row}
    %e = cuda_tile.exp %d : {row}
    %sum = cuda_tile.reduce %e dim=1 identities=[0.0 : f32] : {row} -> {one}
    (%u: tile<f32>, %v: tile<f32>) {{
      %w = cuda_tile.addf %u, %v : tile<f32>
      cuda_tile.yield %w : tile<f32>
    }}
    %sum1 = cuda_tile.reshape %sum : {one} -> tile<1x1xf32>
    %sumb = cuda_tile.broadcast %sum1 : tile<1x1xf32> -> {row}
    %q = cuda_tile.divf %e, %sumb : {row}
    ownership.store %q, %r : !cuda_tile.{row}, !ownership.region{region}
  }}
}}
"""


def increment(rank: int, order: str = "", persistent: bool = False) -> str:
    """Adds 1 to every element, in place and twice: stored, loaded again, and stored again."""
    names = ["A", "B", "C", "D"][:rank]
    tile = [2, 4, 2, 4][:rank]
    x = f"[{', '.join(names)}], f32"
    region = f"<mut tile {tile}, {x}>"
    coordinates = ", ".join(f"%i{n}" for n in range(rank))
    arguments = ", ".join(f"%i{n}: !cuda_tile.tile<i32>" for n in range(rank))
    shape = "x".join(map(str, tile)) + "xf32"
    return f"""
ownership.kernel @increment(%x: !ownership.tensor<{x}>) {{
  %p = ownership.partition %x : !ownership.tensor<{x}> -> !ownership.partition{region}
  ownership.distribute %p {schedule(order, persistent)} : !ownership.partition{region} {{
  ^bb0({arguments}):
    %r = ownership.region %p[{coordinates}] : !ownership.partition{region} -> !ownership.region{region}
    %half = cuda_tile.constant <f32: 0.5> : tile<{shape}>
    %a = ownership.load %r : !ownership.region{region} -> !cuda_tile.tile<{shape}>
    %b = cuda_tile.addf %a, %half : tile<{shape}>
    ownership.store %b, %r : !cuda_tile.tile<{shape}>, !ownership.region{region}
    %c = ownership.load %r : !ownership.region{region} -> !cuda_tile.tile<{shape}>
    %d = cuda_tile.addf %c, %half : tile<{shape}>
    ownership.store %d, %r : !cuda_tile.tile<{shape}>, !ownership.region{region}
  }}
}}
"""


def add_scalars() -> str:
    """z = x + y, for tensors without axes."""
    x = "[], f32"
    region = f"<mut tile [], {x}>"
    return f"""
ownership.kernel @add_scalars(%z: !ownership.tensor<{x}>, %x: !ownership.tensor<{x}>) {{
  %p = ownership.partition %z : !ownership.tensor<{x}> -> !ownership.partition{region}
  %rx = ownership.borrow %x : !ownership.tensor<{x}> -> !ownership.ref<{x}>
  ownership.distribute %p : !ownership.partition{region} {{
    %r = ownership.region %p[] : !ownership.partition{region} -> !ownership.region{region}
    %a = ownership.load %rx : !ownership.ref<{x}> -> !cuda_tile.tile<f32>
    %b = ownership.load %r : !ownership.region{region} -> !cuda_tile.tile<f32>
    %c = cuda_tile.addf %a, %b : tile<f32>
    ownership.store %c, %r : !cuda_tile.tile<f32>, !ownership.region{region}
  }}
}}
"""


def collatz() -> str:
    """Counts the steps of each number to 1, in memory: loads and stores in `loop`, `if` and `for`, and a `break`."""
    x = "[N], i32"
    region = f"<mut tile [1], {x}>"
    access = f"!cuda_tile.tile<1xi32>, !ownership.region{region}"
    return f"""
ownership.kernel @collatz(%n: !ownership.tensor<{x}>, %steps: !ownership.tensor<{x}>) {{
  %p = ownership.partition %n : !ownership.tensor<{x}> -> !ownership.partition{region}
  %q = ownership.partition %steps : !ownership.tensor<{x}> -> !ownership.partition{region}
  ownership.distribute %p, %q : !ownership.partition{region}, !ownership.partition{region} {{
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition{region} -> !ownership.region{region}
    %s = ownership.region %q[%i] : !ownership.partition{region} -> !ownership.region{region}
    %zeros = cuda_tile.constant <i32: 0> : tile<1xi32>
    %ones = cuda_tile.constant <i32: 1> : tile<1xi32>
    %zero = cuda_tile.constant <i32: 0> : tile<i32>
    %one = cuda_tile.constant <i32: 1> : tile<i32>
    %two = cuda_tile.constant <i32: 2> : tile<i32>
    %three = cuda_tile.constant <i32: 3> : tile<i32>
    ownership.store %zeros, %s : {access}
    cuda_tile.loop {{
      %t = ownership.load %r : !ownership.region{region} -> !cuda_tile.tile<1xi32>
      %v = cuda_tile.reshape %t : tile<1xi32> -> tile<i32>
      %done = cuda_tile.cmpi less_than_or_equal %v, %one, signed : tile<i32> -> tile<i1>
      cuda_tile.if %done {{
        cuda_tile.break
      }}
      %half = cuda_tile.remi %v, %two signed : tile<i32>
      %even = cuda_tile.cmpi equal %half, %zero, signed : tile<i32> -> tile<i1>
      cuda_tile.if %even {{
        %h = cuda_tile.divi %v, %two signed : tile<i32>
        %h1 = cuda_tile.reshape %h : tile<i32> -> tile<1xi32>
        ownership.store %h1, %r : {access}
      }} else {{
        ownership.store %ones, %r : {access}
        cuda_tile.for %k in (%zero to %three, step %one) : tile<i32> {{
          %w = ownership.load %r : !ownership.region{region} -> !cuda_tile.tile<1xi32>
          %w1 = cuda_tile.addi %w, %t : tile<1xi32>
          ownership.store %w1, %r : {access}
        }}
      }}
      %c = ownership.load %s : !ownership.region{region} -> !cuda_tile.tile<1xi32>
      %c1 = cuda_tile.addi %c, %ones : tile<1xi32>
      ownership.store %c1, %s : {access}
      cuda_tile.continue
    }}
    %end = ownership.load %r : !ownership.region{region} -> !cuda_tile.tile<1xi32>
    %last = ownership.load %s : !ownership.region{region} -> !cuda_tile.tile<1xi32>
    %sum = cuda_tile.addi %end, %last : tile<1xi32>
    ownership.store %sum, %s : {access}
  }}
}}
"""


def shifted() -> str:
    """y = the tile of x that `shift` names, whose bounds are checked in the kernel; in a loop of `turns` turns.

    The index is `shift`, negated twice: as that may wrap around, nobody knows.
    """
    body = "[N], f32"
    region = f"<out tile [4], {body}>"
    return f"""
ownership.kernel @shifted(%y: !ownership.tensor<{body}>, %x: !ownership.tensor<{body}>,
    %shift: !cuda_tile.tile<i32>, %turns: !cuda_tile.tile<i32>) {{
  %b = ownership.borrow %x : !ownership.tensor<{body}> -> !ownership.ref<{body}>
  %p = ownership.partition %y : !ownership.tensor<{body}> -> !ownership.partition{region}
  ownership.distribute %p : !ownership.partition{region} {{
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition{region} -> !ownership.region{region}
    %zero = cuda_tile.constant <i32: 0> : tile<i32>
    %one = cuda_tile.constant <i32: 1> : tile<i32>
    %start = cuda_tile.constant <f32: 0.0> : tile<4xf32>
    %less = cuda_tile.subi %zero, %shift : tile<i32>
    %at = cuda_tile.subi %zero, %less : tile<i32>
    %sum = cuda_tile.for %k in (%zero to %turns, step %one) : tile<i32> iter_values(%a = %start) -> (tile<4xf32>) {{
      %u = ownership.load %b[%at] : !ownership.ref<{body}> -> !cuda_tile.tile<4xf32>
      %s = cuda_tile.addf %a, %u : tile<4xf32>
      cuda_tile.continue %s : tile<4xf32>
    }}
    ownership.store %sum, %r : !cuda_tile.tile<4xf32>, !ownership.region{region}
  }}
}}
"""
