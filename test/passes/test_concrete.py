"""Kernels run on numbers: which regions points take, what ends a turn, and where nothing is certain any more."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

from freehold.dialects.ownership import DistributeOp
from freehold.passes.analysis.concrete import Runner, Visit, Work, is_outside, meeting
from freehold.passes.analysis.facts import analyse
from freehold.passes.launch_contract import kernel_of
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

TEMPLATE = """
ownership.kernel @k(%y: !ownership.tensor<[M, N], f32>, %d: !ownership.tensor<[M], i32>, %s: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[M, N], f32> -> !ownership.partition<mut tile [2, 4], [M, N], f32>
  %b = ownership.borrow %d : !ownership.tensor<[M], i32> -> !ownership.ref<[M], i32>
BEFORE
  ownership.distribute %p : !ownership.partition<mut tile [2, 4], [M, N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %0 = cuda_tile.constant <i32: 0> : tile<i32>
    %1 = cuda_tile.constant <i32: 1> : tile<i32>
    %2 = cuda_tile.constant <i32: 2> : tile<i32>
    %3 = cuda_tile.constant <i32: 3> : tile<i32>
    %datum = ownership.load %b[%0] : !ownership.ref<[M], i32> -> !cuda_tile.tile<1xi32>
    %data = cuda_tile.reshape %datum : tile<1xi32> -> tile<i32>
BODY
  }
}
"""
REGION = (
    "ownership.region %p[{}, {}] : !ownership.partition<mut tile [2, 4], [M, N], f32> -> "
    "!ownership.region<mut tile [2, 4], [M, N], f32>"
)
ZERO = "cuda_tile.constant <f32: 0.0> : tile<2x4xf32>"
STORE = "ownership.store %z, {} : !cuda_tile.tile<2x4xf32>, !ownership.region<mut tile [2, 4], [M, N], f32>"


def runner(body: str, before: str = "") -> Runner:
    text = TEMPLATE.replace("BODY", body).replace("BEFORE", before)
    kernel = kernel_of(parse_module(make_context(), text, "test.mlir"))
    distribution = next(op for op in kernel.walk() if isinstance(op, DistributeOp))
    return Runner(distribution, analyse(kernel))


def work(body: str, m: int = 4, n: int = 4, s: int = 0, points: Sequence[tuple[int, ...]] | None = None) -> Work | None:
    found = runner(body)
    return found.work({"M": m, "N": n, **dict.fromkeys(found.scalars, s)}, points)


def taken(found: Work | None) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The points and the regions that they take."""
    assert found is not None
    return [(v.point, v.coordinates) for v in found.visits if v.op.name == "ownership.region"]


def region(i: str, j: str = "%j") -> str:
    return f"%r = {REGION.format(i, j)}"


def test_each_point_takes_its_own() -> None:
    found = work(region("%i"), 4, 8)
    assert taken(found) == [(p, p) for p in ((0, 0), (0, 1), (1, 0), (1, 1))]
    assert found is not None
    assert found.whole
    assert all(v.defined and not v.stored for v in found.visits)
    assert taken(work(region("%i"), 4, 8, points=[(1, 1), (0, 1)])) == [((1, 1), (1, 1)), ((0, 1), (0, 1))]


COMPUTED = [  # of a grid of two points, (0, 0) and (1, 0), and a scalar of 5
    ("%c = cuda_tile.subi %1, %i : tile<i32>", [1, 0]),
    ("%c = cuda_tile.muli %i, %3 : tile<i32>", [0, 3]),
    ("%c = cuda_tile.remi %s, %3 signed : tile<i32>", [2, 2]),
    ("%c = ownership.dim %b, 0 : !ownership.ref<[M], i32>", [4, 4]),
    ("%c = ownership.tiles %b, 0 by 4 : !ownership.ref<[M], i32>", [1, 1]),
    ("%c = ownership.tiles %b, 0 by 8 : !ownership.ref<[M], i32>", [1, 1]),
    ("%c = cuda_tile.constant <i32: 7> : tile<i32>", [7, 7]),
    ("%t = cuda_tile.cmpi equal %i, %0, signed : tile<i32> -> tile<i1>\n"
     "%c = cuda_tile.select %t, %2, %3 : tile<i1>, tile<i32>", [2, 3]),
    ("%t = cuda_tile.cmpi equal %i, %0, signed : tile<i32> -> tile<i1>\n"
     "%c = cuda_tile.if %t -> (tile<i32>) {\ncuda_tile.yield %2 : tile<i32>\n} else {\n"
     "cuda_tile.yield %3 : tile<i32>\n}", [2, 3]),
    ("%c = cuda_tile.for %k in (%1 to %s, step %2) : tile<i32> iter_values(%a = %i) -> (tile<i32>) {\n"
     "%n = cuda_tile.addi %a, %k : tile<i32>\ncuda_tile.continue %n : tile<i32>\n}", [4, 5]),
    ("%c = cuda_tile.for %k in (%3 to %3, step %1) : tile<i32> iter_values(%a = %i) -> (tile<i32>) {\n"
     "cuda_tile.continue %3 : tile<i32>\n}", [0, 1]),
    ("%c, %e = cuda_tile.for %k in (%0 to %3, step %1) : tile<i32> iter_values(%a = %i, %g = %2) -> "
     "(tile<i32>, tile<i32>) {\ncuda_tile.continue %g, %a : tile<i32>, tile<i32>\n}", [2, 2]),
    ("%c = cuda_tile.loop iter_values(%a = %i) : tile<i32> -> tile<i32> {\n"
     "%t = cuda_tile.cmpi greater_than %a, %3, signed : tile<i32> -> tile<i1>\n"
     "cuda_tile.if %t {\ncuda_tile.break %a : tile<i32>\n}\n"
     "%n = cuda_tile.addi %a, %2 : tile<i32>\ncuda_tile.continue %n : tile<i32>\n}", [4, 5]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "values"), COMPUTED)
def test_what_coordinates_come_to(text: str, values: list[int]) -> None:
    found = work(f"{text}\n{region('%c', '%0')}", 4, 4, 5)
    assert taken(found) == [((i, 0), (value, 0)) for i, value in enumerate(values)]
    assert found is not None
    assert found.whole


# With what is known to be taken, and whether that is all.
UNCERTAIN: list[tuple[str, list[tuple[int, ...]] | None, bool]] = [
    (region("%data"), [], False),
    (f"%q = cuda_tile.divi %3, %0 signed rounding<zero> : tile<i32>\n{region('%q')}", [(), ()], False),
    (f"%q = cuda_tile.divi %data, %0 signed rounding<zero> : tile<i32>\n{region('%q')}", [(), ()], False),
    (f"%q = cuda_tile.divi %3, %data signed rounding<zero> : tile<i32>\n{region('%q')}", [], False),
    (f"%q = cuda_tile.divi %3, %data signed rounding<zero> : tile<i32>\n{region('%i')}", [(0, 0), (1, 0)], False),
    (f"%q = cuda_tile.divi %3, %0 signed rounding<zero> : tile<i32>\n%c = cuda_tile.addi %q, %1 : tile<i32>\n"
     f"{region('%c')}", [(), ()], False),
    (f"%q = cuda_tile.addi %data, %1 : tile<i32>\n{region('%i')}", [(0, 0), (1, 0)], True),
    (f"%t = cuda_tile.cmpi equal %data, %0, signed : tile<i32> -> tile<i1>\ncuda_tile.if %t {{\n{region('%i')}\n}}", [],
     False),
    (f"%n = cuda_tile.subi %0, %1 : tile<i32>\ncuda_tile.for %k in (%0 to %1, step %n) : tile<i32> {{\n}}\n"
     f"{region('%i')}", [], False),
    (f"cuda_tile.for unsigned %k in (%0 to %1, step %1) : tile<i32> {{\n}}\n{region('%i')}", [], False),
    (f"cuda_tile.for %k in (%0 to %data, step %1) : tile<i32> {{\n}}\n{region('%i')}", [], False),
    (f"{region('%i')}\ncuda_tile.loop {{\ncuda_tile.continue\n}}", None, False),
]  # fmt: skip


@pytest.mark.parametrize(("body", "coordinates", "whole"), UNCERTAIN)
def test_what_nobody_knows(body: str, coordinates: list[tuple[int, ...]] | None, whole: bool) -> None:
    found = work(body)
    if coordinates is None:  # the budget is spent
        assert found is None
        return
    assert [c for _, c in taken(found)] == coordinates
    assert found is not None
    assert found.whole is whole


def test_what_is_stored_and_whether_all_before_it_is_defined() -> None:
    store = f"%z = {ZERO}\n{STORE.format('%r')}"
    divided = "%q = cuda_tile.divi %3, %data signed rounding<zero> : tile<i32>\n"
    for body, defined, stored in (
        (f"{region('%i')}\n{store}", True, True),
        (f"{region('%i')}\n{divided}{store}", True, False),
        (f"{divided}{region('%i')}\n{store}", False, False),
    ):
        found = work(body)
        assert found is not None
        visits = [v for v in found.visits if v.op.name == "ownership.region"]
        assert [(v.defined, v.stored) for v in visits] == [(defined, stored)] * 2


def test_launches_that_there_are_not() -> None:
    body = region("%i")
    assert work(body, 4, 0) is None  # no points
    assert work(body, points=[(0,)]) is None
    assert work(body, points=[(2, 0)]) is None
    assert work(body, points=[(-1, 0)]) is None
    assert work(body, points=[(0, 1)]) is None
    assert work(body, points=[]) is not None
    assert work(body, 2**24, 2**24) is None  # no memory has so much
    assert work(body, 2**26, 4) is None  # nor are there so many points
    assert work(body, 2**24, 4, points=[(5, 0)]) is not None


def test_the_budget_is_of_all_launches() -> None:
    found = runner(region("%i"))
    spent = [found.left]
    launch = {"M": 4, "N": 4, **dict.fromkeys(found.scalars, 0)}
    for _ in range(3):
        assert found.work(launch) is not None
        spent.append(found.left)
    each = spent[0] - spent[1]
    assert [a - b for a, b in pairwise(spent)] == [each] * 3
    assert each in range(14, 20)  # 7 operations and the end, for each of two points
    assert spent[0] == 8000
    found.left = each - 1
    assert found.work(launch) is None
    assert found.left < 0


def visit(op: Any, point: tuple[int, ...], *coordinates: int, defined: bool = True) -> Visit:
    return Visit(op, coordinates, point, {}, defined, 0)


A, B, C = object(), object(), object()


@pytest.mark.parametrize(
    ("found", "at_one_point", "expected"),
    [
        ([visit(A, (0,), 1), visit(B, (1,), 1)], False, (0, 1)),
        ([visit(A, (0,), 1), visit(B, (1,), 2)], False, None),
        ([visit(A, (0,), 1), visit(A, (1,), 1)], False, None),  # of one operation, and two are asked about
        ([visit(A, (0,), 1), visit(B, (0,), 1)], False, None),
        ([visit(A, (0,), 1), visit(B, (0,), 1)], True, (0, 1)),
        ([visit(A, (0,), 1), visit(B, (0,), 1), visit(B, (1,), 1)], True, (0, 2)),
        ([visit(A, (0,), 1), visit(C, (1,), 1), visit(B, (2,), 1)], False, (0, 2)),
        ([visit(A, (0,), 4), visit(B, (1,), 4)], False, None),  # of four, there is no such region
        ([visit(A, (0,), -1), visit(B, (1,), -1)], False, None),
        ([visit(A, (0,), 3), visit(B, (1,), 3)], False, (0, 1)),
        ([visit(A, (0,), 0), visit(B, (1,), 0)], False, (0, 1)),
        ([visit(A, (0,)), visit(B, (1,))], False, None),
        ([visit(A, (0,), 1, defined=False), visit(B, (1,), 1)], False, None),
        ([visit(A, (0,), 1), visit(B, (1,), 1, defined=False)], False, None),
    ],
)
def test_takings_of_one_region(found: list[Visit], at_one_point: bool, expected: tuple[int, int] | None) -> None:
    work = Work({})
    for number, one in enumerate(found):
        one.number = number
        work.add(one)
    pair: Any = meeting(A, B, work, [4], at_one_point=at_one_point)  # pyright: ignore[reportArgumentType] -- compared, no more
    assert pair == (None if expected is None else tuple(found[n] for n in expected))
    assert [is_outside(v, [4]) for v in found] == [not 0 <= sum(v.coordinates or (9,)) < 4 for v in found]
