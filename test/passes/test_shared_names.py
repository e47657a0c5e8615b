"""Two takings of one name, of which conditions say that one never happens: they are ordered, and shown to be."""

from __future__ import annotations

from textwrap import indent

import pytest

from freehold.backend.bytecode.writer import write_bytecode
from freehold.passes.pipeline import convert, verify
from freehold.runtime.variants.build import Options, validate
from freehold.support.contract import Checks
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

KERNEL = """
ownership.kernel @k(%y: !ownership.tensor<[EXTENT], f32>, %s: !cuda_tile.tile<i32>, %flag: !cuda_tile.tile<i1>) {
  %p = ownership.partition %y : !ownership.tensor<[EXTENT], f32> -> PARTITION
  ownership.distribute %p blocks #ownership.blocks<BLOCKS> : PARTITION {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %value = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<2xf32>
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %n = ownership.tiles %p, 0 by 2 : PARTITION
BODY
  }
}
"""
FORMS = {
    "straight": "{}",
    "for": "cuda_tile.for %turn in (%zero to %one, step %one) : tile<i32> {{\n{}\n  cuda_tile.continue\n}}",
    "if": "cuda_tile.if %flag {{\n{}\n}}",
}


def store(at: str, number: int) -> str:
    return (
        f"%r{number} = ownership.region %p[{at}] : PARTITION -> REGION\n"
        f"ownership.store %value, %r{number} : !cuda_tile.tile<2xf32>, REGION"
    )


def under(condition: str, then: str, number: int = 0) -> str:
    asked = f"%c{number} = cuda_tile.cmpi {condition}, signed : tile<i32> -> tile<i1>"
    return f"{asked}\ncuda_tile.if %c{number} {{\n{then}\n}}"


BODIES = {
    "beyond the grid": store("%i", 0) + "\n" + under("greater_than %i, %n", store("%i", 1)),
    "before the grid": store("%i", 0) + "\n" + under("less_than %i, %zero", store("%i", 1)),
    "below what is never less": store("%i", 0)
    + "\n%more = cuda_tile.addi %i, %n : tile<i32>\n"
    + under("greater_than_or_equal %zero, %more", store("%i", 1)),
    "in two conditions": store("%i", 0)
    + "\n%most = cuda_tile.maxi %n, %s signed : tile<i32>\n"
    + under("greater_than %zero, %most", under("less_than_or_equal %i, %zero", store("%i", 1), 1)),
    "another name": store("%zero", 0) + "\n" + under("greater_than %i, %zero", store("%i", 1)),
    "either of two": under("equal %i, %zero", store("%i", 0)) + "\n" + under("not_equal %i, %zero", store("%i", 1), 1),
}


@pytest.mark.parametrize("blocks", ["persistent", "each"])
@pytest.mark.parametrize("checks", [True, "trap", False])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("body", "extent"),
    [(name, extent) for name in BODIES for extent in ("2", "N") if (name, extent) != ("another name", "N")],
)
def test_a_region_that_conditions_take_once_is_stored_in_order(
    body: str, extent: str, form: str, checks: Checks, blocks: str
) -> None:
    text = KERNEL.replace("BODY", indent(FORMS[form].format(indent(BODIES[body], "  ")), "    "))
    of = f"[2], [{extent}], f32>"
    text = text.replace("PARTITION", f"!ownership.partition<partial tile {of}")
    text = text.replace("REGION", f"!ownership.region<partial tile {of}").replace("BLOCKS", blocks)
    module = parse_module(make_context(), text.replace("EXTENT", extent), "names.mlir")
    verify(module)
    validate(module, write_bytecode(convert(module, checks=checks)), Options(checks=checks))
