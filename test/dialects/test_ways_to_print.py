"""One module in every way in which it can be printed."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Final

from xdsl.dialects.builtin import ModuleOp

from freehold.dialects.cuda_tile.text import print_module, text_of
from freehold.dialects.cuda_tile.version import VERSIONS
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

TEXT: Final = """
cuda_tile.module @m {
  entry @k(%x: tile<4xf32> loc("k.py":1:2), %c: tile<i1>) {
    %y = fpowf %x, %x : tile<4xf32> loc("k.py":2:3)
    %z = if %c -> (tile<4xf32>) {
      %w = negf %y : tile<4xf32> loc("k.py":3:3)
      yield %w : tile<4xf32>
    } else {
      yield %y : tile<4xf32>
    }
    %v:2 = for %i in (%n to %n, step %n) : tile<i32> iter_values(%a = %z, %b = %n) -> (tile<4xf32>, tile<i32>) {
      continue %a, %i : tile<4xf32>, tile<i32>
    }
    %n = constant <i32: 1> : tile<i32>
    return
  } loc(callsite("k.py":1:1 at "main.py":9:9))
}
"""
OPTIONS: Final = ("locations", "generic", "elide", "aliases")


def test_ways_to_print(golden: Callable[[Path, str], None]) -> None:
    found: dict[str, list[str]] = {}

    def note(text: str, how: str) -> None:
        found.setdefault(text, []).append(how)

    module = parse_module(make_context(), TEXT, "m.mlir", locate=False)
    (inner,) = module.body.ops
    for version in (VERSIONS[0], VERSIONS[-1]):
        for chosen in product((False, True), repeat=len(OPTIONS)):
            named = dict(zip(OPTIONS, chosen, strict=True))
            how = " ".join([f"{version}:", *(name for name, one in named.items() if one)])
            note(text_of(module, version=version, **named), how)
        for locations, aliases in product((False, True), repeat=2):
            how = f"{version}: as a module, locations {locations}, aliases {aliases}"
            note(print_module(module, locations=locations, aliases=aliases, version=version), how)
            note(print_module(inner, locations=locations, aliases=aliases, version=version), f"{how}, the inner one")
    note(print_module(ModuleOp([])), "an empty module")
    note(print_module(ModuleOp([], {"a": module.location})), "an empty module with an attribute")
    note(print_module(parse_module(make_context(), f"{TEXT}{TEXT}", "m.mlir", locate=False)), "two modules")
    golden(
        Path(__file__).with_name("ways.txt"), "\n".join(f"== {'; '.join(ways)}\n{text}" for text, ways in found.items())
    )
