"""What the verifiers of domains and borrows refuse by where it stands and who uses it, each kernel with one fault."""

from __future__ import annotations

import pytest

from freehold.passes.analysis.facts import analyse
from freehold.passes.launch_contract import kernel_of
from freehold.passes.verify_borrows import verify_borrows
from freehold.passes.verify_domains import verify_domains
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

TENSOR, REF = "!ownership.tensor<[N], f32>", "!ownership.ref<[N], f32>"
PART, REGION = "!ownership.partition<mut tile [4], [N], f32>", "!ownership.region<mut tile [4], [N], f32>"
WINDOW = (
    'ownership.window %x[{}] {{axis = #builtin.int<0>}} : !ownership.tensor<[N], f32> -> !ownership.tensor<["4"], f32, '
    "#ownership.layout<align = 4, strides = [1], stride_divs = [1], extent_divs = [1]>>"
)
TEMPLATE = f"""
ownership.kernel @k(%y: {TENSOR}, %x: {TENSOR}, %s: !cuda_tile.tile<i32>, %f: !cuda_tile.tile<i1>) {{
TOP
  %p = ownership.partition %y : {TENSOR} -> {PART}
  %b = ownership.borrow %x : {TENSOR} -> {REF}
  ownership.distribute %p : {PART} {{
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : {PART} -> {REGION}
    %t = ownership.load %b[%i] : {REF} -> !cuda_tile.tile<4xf32>
BODY
    ownership.store %t, %r : !cuda_tile.tile<4xf32>, {REGION}
  }}
END
}}
"""


def of(top: str = "", body: str = "", end: str = "", whole: str = TEMPLATE) -> list[str]:
    """What is refused: codes and titles."""
    text = whole.replace("TOP", top).replace("BODY", body).replace("END", end)
    kernel = kernel_of(parse_module(make_context(), text, "test.mlir"))
    errors = verify_domains(kernel) or verify_borrows(kernel, analyse(kernel))
    return [f"{e.code} {e.report().title}: {e.report().label}" for e in errors]


def in_a_branch(text: str) -> str:
    return f"cuda_tile.if %f {{\n{text}\n}}"


def test_without_a_fault() -> None:
    assert of() == []
    assert of(f"%w = {WINDOW.format('%s')}") == []
    assert of('ownership.require "N % 4 == 0"') == []
    assert of(body=in_a_branch(f"%u = ownership.load %b[%i] : {REF} -> !cuda_tile.tile<4xf32>")) == []


DISTRIBUTED = f"ownership.distribute %p : {PART} {{\n^bb0(%j: !cuda_tile.tile<i32>):\n}}"
MISPLACED = [
    (in_a_branch(f"%q = ownership.partition %x : {TENSOR} -> {PART}"), "", "", "`x` is partitioned inside another"),
    (in_a_branch('ownership.require "N % 4 == 0"'), "", "", "a requirement stands inside another operation"),
    (in_a_branch(f"%w = {WINDOW.format('%s')}"), "", "", "a window of `x` is made inside another operation"),
    ("", f"%w = {WINDOW.format('%s')}", "", "a window of `x` is made inside another operation"),
    ("", 'ownership.require "N % 4 == 0"', "", "a requirement stands inside another operation"),
    ("", "", DISTRIBUTED, "a kernel distributes its points once"),
    ("", "", in_a_branch(DISTRIBUTED), "points are distributed inside another operation"),
]


@pytest.mark.parametrize(("top", "body", "end", "said"), MISPLACED)
def test_what_stands_in_the_wrong_place(top: str, body: str, end: str, said: str) -> None:
    assert said in of(top, body, end)[0]


def test_a_kernel_without_points() -> None:
    (said,) = of(whole=f"ownership.kernel @k(%y: {TENSOR}) {{\n}}")
    assert "the kernel distributes no points, so no tile block has any work" in said


@pytest.mark.parametrize(
    ("requirement", "said"),
    [
        ('ownership.require "N < 0"', "N < 0"),
        ('ownership.require "N < 4"\nownership.require "4 <= N"', "4 <= N"),
        ('ownership.require "Q % 4 == 0"', "Q"),
    ],
)
def test_requirements_that_no_launch_meets_or_knows(requirement: str, said: str) -> None:
    found = of(requirement)
    assert len(found) == 1
    assert said in found[0]


ESCAPES = [  # in the body of the distribution
    (f'"test.op"(%b) : ({REF}) -> ()', "O111 `test.op` uses `x`"),
    (f'"test.op"(%r) : ({REGION}) -> ()', "O111 `test.op` uses `y`"),
    (f'"test.op"(%p) : ({PART}) -> ()', "O111 `test.op` uses `y`"),
    (f'%q = "test.op"() : () -> {REF}', "O111 `test.op` uses `q`"),
    (f'%q = "test.op"() : () -> {REGION}', "O111 `test.op` uses `q`"),
    (f"%q = cuda_tile.if %f -> ({REGION}) {{\ncuda_tile.yield %r : {REGION}\n}} else {{\n"
     f"cuda_tile.yield %r : {REGION}\n}}", "O110 a region of `y`"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "said"), ESCAPES)
def test_who_uses_or_makes_what_somebody_owns(body: str, said: str) -> None:
    found = of(body=body)
    assert found
    assert found[0].startswith(said)


NOT_UNDERSTOOD = [
    ("%n = cuda_tile.assume div_by<16>, %s : tile<i32>", "promises what nobody checks"),
    ("%n = cuda_tile.addi %s, %s overflow<no_signed_wrap> : tile<i32>", "promises that nothing overflows"),
    ("%n = cuda_tile.subi %s, %s overflow<no_wrap> : tile<i32>", "promises that nothing overflows"),
    ("%n = cuda_tile.muli %s, %s overflow<no_unsigned_wrap> : tile<i32>", "promises that nothing overflows"),
    ("%n = cuda_tile.negi %s overflow<no_signed_wrap> : tile<i32>", "promises that nothing overflows"),
    ("%n = cuda_tile.trunci %s overflow<no_signed_wrap> : tile<i32> -> tile<i16>", "promises that nothing overflows"),
    (in_a_branch("cuda_tile.return"), "leaves the kernel before its work is done"),
    ('"test.op"() : () -> ()', "may touch memory in ways that are not understood"),
    ("%l = cuda_tile.exti %s signed : tile<i32> -> tile<i64>\n%a = cuda_tile.int_to_ptr %l : tile<i64> -> "
     "tile<ptr<f32>>\n%v, %k = cuda_tile.load_ptr_tko weak %a : tile<ptr<f32>> -> tile<f32>, token",
     "may touch memory in ways that are not understood"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "said"), NOT_UNDERSTOOD)
def test_operations_that_are_not_understood(body: str, said: str) -> None:
    assert any(said in error for error in of(body=body))


@pytest.mark.parametrize(
    "body",
    [
        "%n = cuda_tile.addi %s, %s : tile<i32>",
        "%n = cuda_tile.negi %s : tile<i32>",
        "%n = cuda_tile.trunci %s : tile<i32> -> tile<i16>",
        'cuda_tile.assert %f, "so it is" : tile<i1>',
        '%k = cuda_tile.print_tko "%i", %s : tile<i32> -> token',
        in_a_branch("cuda_tile.yield"),
    ],
)
def test_operations_that_are_understood(body: str) -> None:
    assert of(body=body) == []
