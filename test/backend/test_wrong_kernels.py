"""Which of many small kernels are refused as the assembler's code might be wrong: on both sides of each border."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Final

from freehold.backend.bytecode.writer import write_bytecode
from freehold.backend.wrong_code import wrong
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

GOLDEN: Final = Path(__file__).with_name("golden")


@cache
def codes(body: str, hints: str = "", arguments: str = "") -> str:
    """The errors of a kernel on sm_90."""
    given = f" optimization_hints=<sm_90 = {{{hints}}}>" if hints else ""
    head = f"%p: tile<ptr<f32>>, %n: tile<i32>, %c: tile<i1>{arguments}"
    text = f"cuda_tile.module @m {{\nentry @k({head}){given} {{\n{body}\nreturn\n}}\n}}"
    module = parse_module(make_context(), text, "k.mlir", locate=False)
    module.verify()
    return ", ".join(error.code for error in wrong(write_bytecode(module), "sm_90")) or "-"


def loaded(name: str, dims: tuple[int, ...], element: str = "f32", by_threads: bool = False) -> str:
    """A tile that is loaded at the first place of a view of its own."""
    size, strides = "x".join(map(str, dims)), ",".join(["?"] * (len(dims) - 1) + ["1"])
    view = f"tensor_view<{size}x{element}, strides=[{strides}]>"
    part = f"partition_view<tile=({size}), {view}>"
    given = ", ".join(["%n"] * (len(dims) - 1) + ["1"])
    pointer, token, hint = f"%{name}_p", f"%{name}_t", " optimization_hints = <default = {allow_tma = false}>"
    begin = ", ".join(["%zero"] * len(dims))
    return "\n".join([
        f"{pointer} = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<{element}>>",
        f"%{name}_v = make_tensor_view {pointer}, shape = [{', '.join(map(str, dims))}], strides = [{given}]"
        f" :{' tile<i32> ->' if len(dims) > 1 else ''} {view}",
        f"%{name}_w = make_partition_view %{name}_v : {part}",
        f"%{name}, {token} = load_view_tko weak %{name}_w[{begin}]{hint if by_threads else ''} : {part}, tile<i32>"
        f" -> tile<{size}x{element}>, token",
    ])  # fmt: skip


def stored(value: str, like: str, dims: tuple[int, ...], element: str = "f32") -> str:
    """A store of a tile where another one was loaded."""
    size, strides = "x".join(map(str, dims)), ",".join(["?"] * (len(dims) - 1) + ["1"])
    part = f"partition_view<tile=({size}), tensor_view<{size}x{element}, strides=[{strides}]>>"
    begin = ", ".join(["%zero"] * len(dims))
    return f"%s_{value} = store_view_tko weak %{value}, %{like}_w[{begin}] : tile<{size}x{element}>, {part}, tile<i32> -> token"


# ruff: noqa: E501 -- text of programs
ZERO: Final = "%zero = constant <i32: 0> : tile<i32>\n%one = constant <i32: 1> : tile<i32>"
TILE: Final = "tile<64x64xf32>"
FORMS: Final = {
    "a": "", "b": "", "-a": "%N = negf %a : T", "--b": "%M = negf %b : T\n%N = negf %M : T", "b + u": "%N = addf %b, %u : T",
    "flat b": "%M = reshape %b : T -> tile<4096xf32>\n%N = reshape %M : tile<4096xf32> -> T",
    "turned b": "%N = permute %b [1, 0] : T -> T", "a or b": "%N = select %q, %a, %b : tile<64x64xi1>, T",
    "if: b": "%N = if %c -> (T) {\nyield %b : T\n} else {\nyield %b : T\n}",
    "if: a or b": "%N = if %c -> (T) {\nyield %a : T\n} else {\nyield %b : T\n}", "u": "", "b + b - b":
    "%M = addf %b, %b : T\n%N = subf %M, %b : T", "sum of b": """\
%M = reduce %b dim=1 identities=[0.0 : f32] : T -> tile<64xf32> (%l: tile<f32>, %r: tile<f32>) {
%o = addf %l, %r : tile<f32>
yield %o : tile<f32>
}
%L = reshape %M : tile<64xf32> -> tile<64x1xf32>
%N = broadcast %L : tile<64x1xf32> -> T""",
}  # fmt: skip
"""What a turn makes of two tiles that it is given and one from outside."""


INNER: Final = {
    "each turn: + a": """\
%N = for %g in (%zero to %n, step %one) : tile<i32> iter_values(%h = %a) -> (T) {
%k = addf %h, %a : T
continue %k : T
}""",
    "each turn: u + h": """\
%N = for %g in (%zero to %n, step %one) : tile<i32> iter_values(%h = %a) -> (T) {
%k = addf %h, %u : T
continue %k : T
}""",
    "each turn: u": """\
%N = for %g in (%zero to %n, step %one) : tile<i32> iter_values(%h = %a) -> (T) {
continue %u : T
}""",
    "from u, each turn: + a": """\
%N = for %g in (%zero to %n, step %one) : tile<i32> iter_values(%h = %u) -> (T) {
%k = addf %h, %a : T
continue %k : T
}""",
    "two, changing places": """\
%N, %L = for %g in (%zero to %n, step %one) : tile<i32> iter_values(%h = %a, %k = %u) -> (T, T) {
continue %k, %h : T, T
}""",
    "until c: + a, as it was": """\
%N = loop iter_values(%h = %a) : T -> T {
if %c {
break %h : T
}
%k = addf %h, %a : T
continue %k : T
}""",
    "until c: + a, at last u": """\
%N = loop iter_values(%h = %a) : T -> T {
if %c {
break %u : T
}
%k = addf %h, %a : T
continue %k : T
}""",
    "until c: u, at last a": """\
%N = loop iter_values(%h = %a) : T -> T {
if %c {
break %a : T
}
continue %u : T
}""",
    "without end": """\
%N = loop iter_values(%h = %a) : T -> T {
continue %h : T
}""",
    "if, each turn: + a": """\
%N = if %c -> (T) {
%L = for %g in (%zero to %n, step %one) : tile<i32> iter_values(%h = %a) -> (T) {
%k = addf %h, %a : T
continue %k : T
}
yield %L : T
} else {
yield %u : T
}""",
}
"""Loops inside a turn, beside these."""


def swapped(form: str, name: str) -> tuple[str, str]:
    """The lines of a form under a name of its own, and the value that it is. For `y`, a and b change places."""
    text = {**FORMS, **INNER}[form]
    value = f"%{name}" if text else f"%{form}"
    if name == "y":
        text = text.replace("%a", "%_").replace("%b", "%a").replace("%_", "%b")
        value = {"%a": "%b", "%b": "%a"}.get(value, value)
    for letter in "LMN":  # of names that are this form's own
        text = text.replace(f"%{letter}", f"%{name}{'' if letter == 'N' else letter.lower()}")
    return text.replace("T", TILE), value


def loop(x: str, y: str, used: str, kind: str, hints: str = "") -> str:
    """The errors of a loop that carries two tiles; behind it those in `used` are stored."""
    (of_x, next_x), (of_y, next_y) = swapped(x, "x"), swapped(y, "y")
    lines = [ZERO, loaded("i", (64, 64)), loaded("j", (64, 64)), loaded("u", (64, 64))]
    lines += ["%d = cmpf less_than ordered %u, %i : T -> tile<64x64xi1>", "%q = xori %d, %d : tile<64x64xi1>"]
    turn = [of_x, of_y]
    if kind == "for":
        lines += ["%e, %f = for %t in (%zero to %n, step %one) : tile<i32> iter_values(%a = %i, %b = %j) -> (T, T) {"]
        lines += [*turn, f"continue {next_x}, {next_y} : T, T", "}"]
    else:
        lines += ["%e, %f = loop iter_values(%a = %i, %b = %j) : T, T -> T, T {"]
        lines += [*turn, "if %c {", "break %a, %b : T, T", "}", f"continue {next_x}, {next_y} : T, T", "}"]
    lines += [stored(name, "i", (64, 64)) for name in used]
    return codes("\n".join(lines).replace(" T ", f" {TILE} ").replace(" T,", f" {TILE},").replace(" T\n", f" {TILE}\n")
                 .replace("(T", f"({TILE}").replace(" T)", f" {TILE})"), hints)  # fmt: skip


def test_loops(golden: Callable[[Path, str], None]) -> None:
    """What a turn hands on of two tiles, and which of them are used behind the loop."""
    lines: list[str] = []
    for x, y in product(FORMS, ("a", "b", "--b", "b + u", "turned b", "if: a or b", "sum of b")):
        found = [loop(x, y, used, "for") for used in ("e", "ef")] + ([loop(x, y, "e", "loop")] if y in "ab" else [])
        other = re.sub(r"\b[ab]\b", lambda name: "b" if name[0] == "a" else "a", y)
        lines.append(f"a, b = {x}, {other}: {'; '.join(found)}")
    golden(GOLDEN / "wrong_loops.txt", "\n".join(lines))


def test_loops_of_clusters(golden: Callable[[Path, str], None]) -> None:
    ways = [(x, kind) for x in (*FORMS, *INNER) for kind in ("for", "loop")]
    lines = [f"{kind}: a = {x}, b = b: {loop(x, 'a', 'e', kind, 'num_cta_in_cga = 2')}" for x, kind in ways]
    golden(GOLDEN / "wrong_loops_of_clusters.txt", "\n".join(lines))


def reduced(dims: tuple[int, ...], axis: int, element: str, by_threads: bool = False) -> str:
    """A tile that is loaded, reduced along an axis, and stored; and what is left is used with it."""
    size, left = "x".join(map(str, dims)), [extent for n, extent in enumerate(dims) if n != axis]
    kept = "x".join("1" if n == axis else str(extent) for n, extent in enumerate(dims))
    part = "".join(f"{extent}x" for extent in left)
    return "\n".join([
        ZERO, loaded("v", dims, element), loaded("w", dims, element, by_threads),
        f"%sum = reduce %v dim={axis} identities=[0.0 : {element}] : tile<{size}x{element}> -> tile<{part}{element}>"
        f" (%l: tile<{element}>, %r: tile<{element}>) {{", f"%o = addf %l, %r : tile<{element}>",
        f"yield %o : tile<{element}>", "}", f"%k = reshape %sum : tile<{part}{element}> -> tile<{kept}x{element}>",
        f"%b = broadcast %k : tile<{kept}x{element}> -> tile<{size}x{element}>",
        f"%y = addf %b, %w : tile<{size}x{element}>", stored("y", "v", dims, element),
    ])  # fmt: skip


SHAPES: Final = [
    ((1, 2048), 1), ((1, 4096), 1), ((1, 8192), 1), ((1, 16384), 1), ((2, 4096), 1), ((4096,), 0), ((64, 64), 0), ((64, 64), 1),
    ((1, 512, 8), 2), ((1, 1024, 8), 2), ((1, 2048, 8), 2), ((1, 1024, 4), 2), ((1, 512, 16), 2), ((2, 1024, 8), 2), ((8, 1, 512), 2),
]  # fmt: skip


def test_reductions_of_clusters(golden: Callable[[Path, str], None]) -> None:
    lines: list[str] = []
    for (dims, axis), element in product(SHAPES, ("f32", "f16")):
        if element == "f16" and len(dims) < 3:  # only neighbours are of one type
            continue
        found: list[str] = []
        for blocks, warps in ((1, 4), (2, 4), (4, 4), (8, 4), (2, 8)):
            hints = f"num_cta_in_cga = {blocks}, num_worker_warps_per_cta = {warps}"
            found.append(codes(reduced(dims, axis, element), hints))
        threads = codes(reduced(dims, axis, element, by_threads=True), "num_cta_in_cga = 2")
        lines.append(f"{element} {dims} along {axis}: {' '.join(found)}; by threads {threads}")
    golden(GOLDEN / "wrong_reductions.txt", "\n".join(lines))


def multiplied(rows: int, more: str) -> str:
    """A product of so many rows, and what is done with it."""
    sizes = {"x": (rows, 64), "y": (64, 64), "z": (rows, 64)}
    lines = [ZERO, *(loaded(name, dims, "f32" if name == "z" else "f16") for name, dims in sizes.items())]
    lines += [f"%m = mmaf %x, %y, %z : tile<{rows}x64xf16>, tile<64x64xf16>, tile<{rows}x64xf32>"]
    last = "m"
    if more == "cut":
        lines += [f"%h = extract %m[%zero, %zero] : tile<{rows}x64xf32> -> tile<{rows}x32xf32>"]
        lines += [f"%g = cat %h, %h dim = 1 : tile<{rows}x32xf32>, tile<{rows}x32xf32> -> tile<{rows}x64xf32>"]
        last = "g"
    elif more == "half of the rows":
        lines += [f"%h = extract %m[%zero, %zero] : tile<{rows}x64xf32> -> tile<{rows // 2}x64xf32>"]
        lines += [
            f"%g = cat %h, %h dim = 0 : tile<{rows // 2}x64xf32>, tile<{rows // 2}x64xf32> -> tile<{rows}x64xf32>"
        ]
        last = "g"
    elif more in ("running sums", "sums of sums"):
        what = "m" if more == "running sums" else "z"
        lines += [f"%g = scan %{what} dim=1 reverse=false identities=[0.0 : f32] : tile<{rows}x64xf32> -> tile<{rows}x64xf32>"
                  " (%l: tile<f32>, %r: tile<f32>) {", "%o = addf %l, %r : tile<f32>", "yield %o : tile<f32>", "}"]  # fmt: skip
        last = "g"
        if more == "sums of sums":
            lines += [f"%g2 = mmaf %x, %y, %g : tile<{rows}x64xf16>, tile<64x64xf16>, tile<{rows}x64xf32>"]
            last = "g2"
    elif more == "again":
        lines += [f"%h = ftof %m : tile<{rows}x64xf32> -> tile<{rows}x64xf16>"]
        lines += [f"%g = mmaf %h, %y, %z : tile<{rows}x64xf16>, tile<64x64xf16>, tile<{rows}x64xf32>"]
        last = "g"
    elif more == "stored twice":
        lines += [
            stored("z", "z", (rows, 64)).replace("%s_z", "%s_1"),
            stored("z", "z", (rows, 64)).replace("%s_z", "%s_2"),
        ]
    return "\n".join([*lines, stored(last, "z", (rows, 64))])


def test_products(golden: Callable[[Path, str], None]) -> None:
    lines: list[str] = []
    for more in ("nothing", "cut", "half of the rows", "running sums", "sums of sums", "again", "stored twice"):
        for rows in (32, 64, 128):
            found = [codes(multiplied(rows, more), f"num_cta_in_cga = {blocks}, num_worker_warps_per_cta = {warps}")
                     for blocks, warps in ((1, 4), (2, 4), (4, 4), (2, 8), (1, 8))]  # fmt: skip
            lines.append(f"{more}, {rows} rows: {' '.join(found)}")
    golden(GOLDEN / "wrong_products.txt", "\n".join(lines))


REPEATED: Final = [
    ((8, 1, 1), (8, 1, 8)), ((8, 8, 1), (8, 8, 2)), ((8, 8, 1), (8, 8, 16)), ((8, 64, 1), (8, 64, 2)), ((8, 64, 1), (8, 64, 8)),
    ((8, 64, 1), (8, 64, 16)), ((8, 64, 1), (8, 64, 128)), ((8, 128, 1), (8, 128, 4)), ((2, 128, 1), (2, 128, 4)), ((2, 256, 1), (2, 256, 4)),
    ((1, 128, 1), (1, 128, 16)), ((4, 32, 1), (4, 32, 64)), ((4, 32, 1), (4, 32, 512)), ((4, 32, 1), (4, 32, 256)), ((8, 1, 64), (8, 4, 64)),
    ((8, 64, 1, 1), (8, 64, 4, 4)), ((8, 64, 1, 1), (8, 64, 1, 16)), ((2, 64, 1), (2, 64, 8)), ((2, 64, 1), (2, 64, 16)),
]  # fmt: skip


def repeated(small: tuple[int, ...], large: tuple[int, ...], element: str, how: str) -> str:
    size, whole = "x".join(map(str, small)), "x".join(map(str, large))
    lines = [ZERO, loaded("v", small, element)]
    if how == "loaded":
        lines += ["%w = reshape %v : tile<S> -> tile<S>".replace("S", f"{size}x{element}")]
    else:
        lines += ["%w = constant <f32: 1.0> : tile<S>".replace("S", f"{size}x{element}")]
    lines += [f"%y = broadcast %w : tile<{size}x{element}> -> tile<{whole}x{element}>"]
    lines += [loaded("z", large, element), stored("y", "z", large, element)]
    return "\n".join(lines)


def test_repeated_tiles(golden: Callable[[Path, str], None]) -> None:
    lines: list[str] = []
    for small, large in REPEATED:
        found = [codes(repeated(small, large, element, "loaded"), f"num_worker_warps_per_cta = {warps}")
                 for element, warps in (("f32", 4), ("f32", 8), ("f16", 4), ("f64", 4))]  # fmt: skip
        lines.append(
            f"{small} to {large}: {' '.join(found)}; of a constant {codes(repeated(small, large, 'f32', 'no'))}"
        )
    golden(GOLDEN / "wrong_repeated.txt", "\n".join(lines))
