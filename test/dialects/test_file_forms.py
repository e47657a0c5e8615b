"""What a file of text may hold beside operations: aliases, locations, metadata, nested regions; and where it may not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from freehold.dialects.cuda_tile.text import text_of
from freehold.support.diagnostic import Rejected
from freehold.support.large import MAX_NESTING
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module
from freehold.tools.processing import verify

MAKE: Final = "%t = cuda_tile.make_token : token"
FILE: Final = '#cuda_tile.di_file<"k.py" in "/src">'
PROGRAM: Final = (
    f"#cuda_tile.di_subprogram<file = {FILE}, line = 1, name = \"k\", linkageName = \"k\","
    f" compileUnit = #cuda_tile.di_compile_unit<file = {FILE}>, scopeLine = 1>"
)  # fmt: skip
# ruff: noqa: E501 -- text of programs
FORMS: Final = [
    "", "// nothing\n", MAKE, f"{MAKE} loc(unknown)", f'{MAKE} loc("k.py":3:7)', f'{MAKE} loc("name")', f'{MAKE} loc("name"("k.py":3:7))',
    f'{MAKE} loc(callsite("a.py":1:2 at "b.py":3:4))', f'{MAKE} loc(fused["a.py":1:2, "b.py":3:4])', f"{MAKE} loc(fused[])",
    f'{MAKE} loc(fused<{PROGRAM}>["a.py":1:2])', f'{MAKE} loc(fused<{PROGRAM}>["a.py":1:2, unknown])', f'{MAKE} loc(fused<{PROGRAM}>)',
    f'{MAKE} loc(#cuda_tile.di_loc<loc("a.py":1:2) in {PROGRAM}>)', f'{MAKE} loc(#cuda_tile.di_loc<"a.py":1:2 in {PROGRAM}>)',
    f'{MAKE} loc(#cuda_tile.di_loc<"a.py":1:2>)', f'{MAKE} loc(#here)\n#here = loc("k.py":3:7)', f'#here = loc("k.py":3:7)\n{MAKE} loc(#here)',
    f'#inner = loc("k.py":3:7)\n#here = loc(fused[#inner])\n{MAKE} loc(#here)', f"{MAKE} loc(#here)", f'{MAKE} loc("k.py":3:7', f"{MAKE} loc()",
    f'#here = loc("k.py":3:7)\n#here = loc("k.py":4:7)\n{MAKE} loc(#here)', f'#here loc("k.py":3:7)\n{MAKE}', "#here = ", '#here = "text"',
    f"#p = {PROGRAM}\n#l = #cuda_tile.di_loc<\"a.py\":1:2 in #p>\n{MAKE} loc(#l)", '#h = #cuda_tile.div_by<16>\n%a = cuda_tile.assume #h, %a : tile<i32>',
    '%v = "test.op"() : () -> !cuda_tile.tensor_view<f32>\ncuda_tile.get_tensor_shape %v : tensor_view<f32> -> tile<i64>',
    '!t = !cuda_tile.tile<4xf32>\n%x = "test.op"() : () -> !t', '!t = i32\n!t = i64\n%x = "test.op"() : () -> !t', '%x = "test.op"() : () -> !u',
    '{-# dialect_resources: {} #-}', '"test.op"() : () -> () {-# #-}', f"{MAKE}\n}}", f"{MAKE} {MAKE}", "nothing", "%t =", "%t", "%t, = cuda_tile.make_token : token",
    "%t:2 = cuda_tile.make_token : token", f"{MAKE}\n{MAKE}", '"test.op"(%later) : (i32) -> ()\n%later = "test.op"() : () -> i32',
    '"test.op"(%later) : (i64) -> ()\n%later = "test.op"() : () -> i32', '"test.op"(%never) : (i32) -> ()', '%x:2 = "test.op"() : () -> (i32, i64)\n"test.op"(%x#1, %x#0) : (i64, i32) -> ()',
    '%x:2 = "test.op"() : () -> (i32, i64)\n"test.op"(%x#2) : (i64) -> ()', '%x:2 = "test.op"() : () -> (i32, i64)\n"test.op"(%x) : (i32) -> ()',
    '"test.op"() ({\n%a = "test.op"() : () -> i32\n}) : () -> ()\n"test.op"(%a) : (i32) -> ()', '"test.op"() ({\n^one(%a: i32):\n"test.op"(%a) : (i32) -> ()\n^two:\n}) : () -> ()',
    '"test.op"() ({\n^one:\n^one:\n}) : () -> ()', '"test.op"() ({\n"test.op"() [^two] : () -> ()\n^two:\n}) : () -> ()', '"test.op"() ({}) : () -> ()',
    '"test.op"() ({\n}, {\n}) {a = 1 : i32, b, c = "x"} : () -> ()', '%d = "test.op"() {v = dense<1> : tensor<2xi32>} : () -> i32',
    '%d = "test.op"() {v = dense<[1, 2]> : !cuda_tile.tile<2xi32>} : () -> i32', '%d = "test.op"() {v = dense<1.5> : tile<2xf32>} : () -> i32',
    '%d = "test.op"() {v = dense<"0x00"> : !cuda_tile.tile<2xi32>} : () -> i32', "cuda_tile.module @m {\nentry @k() {\n^bb0:\nreturn\n}\n}",
    "cuda_tile.module @m {\nentry @k(%a: tile<i32>) {\n^bb0:\nreturn\n}\n}", "cuda_tile.module @m {\nentry @k(%a: tile<i32> loc(\"k.py\":1:2)) {\n}\n}",
    "cuda_tile.module @m {\nentry @k() -> tile<i32> {\n}\n}", "cuda_tile.module @m {\nentry @k() -> () {\n}\n}", "cuda_tile.module @m {\nentry @k() -> (tile<i32>, tile<f32>) {\n}\n}",
    "cuda_tile.module @m {\nglobal private constant @g alignment = 8 : i64 <i32: 1> : tile<1xi32>\n}", "cuda_tile.module @m {\nglobal constant private @g <i32: 1> : tile<1xi32>\n}",
    'builtin.module {\nbuiltin.module {\n}\n}', 'builtin.module attributes {a = 1 : i32} {\n}', '"builtin.module"() ({\n}) : () -> ()\n"builtin.module"() ({\n}) : () -> ()',
    *("".join('"test.op"() ({\n' for _ in range(depth)) + "".join("}) : () -> ()\n" for _ in range(depth)) for depth in (MAX_NESTING + 3, MAX_NESTING + 4)),
]  # fmt: skip


def said_of(text: str) -> str:
    """The module, with its locations and without, or what is wrong and where."""
    try:
        module = parse_module(make_context(), text, "f.mlir", locate=False)
        verify(module)
    except Rejected as refused:
        return refused.render()
    plain, located = text_of(module).strip(), text_of(module, locations=True, elide=True).strip()
    return plain if len(plain) > 4000 else f"{plain}\n{located}"


def test_what_files_hold(golden: Callable[[Path, str], None]) -> None:
    lines: list[str] = []
    for text in FORMS:
        shown, said = (text, said_of(text)) if len(text) < 600 else (f"{text[:40]!r}..", said_of(text)[:400])
        lines += [f"== {shown}", said]
    golden(Path(__file__).with_name("file_forms.txt"), "\n".join(lines))
