"""Ownership modules: what they compute in any order, and what checked mode finds."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import interpreted as kernels
import numpy as np
import pytest
from evaluate import parse

from freehold.dialects.ownership import OrderAttr, OrderKind
from freehold.passes.pipeline import contract, convert, verify
from freehold.runtime.interpreter import Order, run, run_entry, run_tile
from freehold.runtime.interpreter.launch import Kernel, entry_call
from freehold.runtime.interpreter.ownership import points
from freehold.support.diagnostic import Rejected
from freehold.support.span import SourceMap

HERE = Path(__file__).parent
ORDERS: list[Order] = ["increasing", "decreasing", 1, 2]
SCHEDULES = [
    "",
    "order #ownership.order<column>",
    "order #ownership.order<grouped 2>",
    "blocks #ownership.blocks<persistent>",
    "order #ownership.order<grouped 3> blocks #ownership.blocks<persistent>",
]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("n", [1, 16, 50])
def test_saxpy(n: int, order: Order) -> None:
    y, x = np.arange(n, dtype=np.float32), np.linspace(0, 1, n, dtype=np.float32)
    wanted = np.float32(2) * x + y
    run(parse(kernels.SAXPY), [y, x, 2.0], order=order, checked=True)
    assert np.array_equal(y, wanted)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_gemm_under_every_schedule(schedule: str, order: Order) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((70, 20), np.float32), rng.standard_normal((20, 90), np.float32)
    c = np.full((70, 90), np.nan, np.float32)
    run(parse(kernels.GEMM.replace("SCHEDULE", schedule)), [c, a, b], order=order, blocks=4, checked=True)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_extents_may_be_terms_and_arrays_may_have_any_strides(schedule: str) -> None:
    x = np.arange(3 * 6 * 9, dtype=np.int32).reshape(3, 6, 9)
    y = np.zeros((9, 3, 3), np.int32).transpose(2, 1, 0)
    run(parse(kernels.COPY.replace("SCHEDULE", schedule)), [y, x], checked=True)
    assert np.array_equal(y, x[:, :3])


@pytest.mark.parametrize("grid", [(1,), (7,), (3, 4), (5, 3), (2, 3, 4), (1, 1, 5), (4, 7, 2)])
@pytest.mark.parametrize(
    ("kind", "size"), [(OrderKind.ROW, 1), (OrderKind.COLUMN, 1), (OrderKind.GROUPED, 2), (OrderKind.GROUPED, 9)]
)
def test_a_schedule_reaches_every_point_once(grid: tuple[int, ...], kind: OrderKind, size: int) -> None:
    if kind is OrderKind.GROUPED and len(grid) < 2:
        return
    found = points(OrderAttr(kind, size), grid, np.arange(int(np.prod(grid))))
    assert {tuple(p) for p in found.tolist()} == set(np.ndindex(grid))
    last_first = found[:2, -1].tolist() if kind is OrderKind.ROW else found[:2, 0].tolist()
    if kind is not OrderKind.GROUPED and grid[-1] > 1 and grid[0] > 1:
        assert last_first == [0, 1]


def test_inputs_may_be_views_of_any_kind() -> None:
    y, x = np.zeros(20, np.float32), np.arange(20, dtype=np.float32)
    for checked in (False, True):
        y[:] = 0
        run(parse(kernels.SAXPY), [y, x[::-1], 1], checked=checked)
        assert np.array_equal(y, x[::-1])
        y[:] = 0
        run(parse(kernels.SAXPY), [y, np.broadcast_to(np.float32(3), (20,)), 1], checked=checked)
        assert np.array_equal(y, np.full(20, 3))


def test_a_compiled_kernel_runs_again_with_other_extents() -> None:
    kernel = Kernel.of(parse(kernels.SAXPY))
    for n in (5, 40):
        y = np.zeros(n, np.float32)
        kernel.run([y, np.ones(n, np.float32), 3.0])
        assert np.array_equal(y, np.full(n, 3))


def unordered(first: str, second: str) -> str:
    """A lowered kernel with two accesses of one element."""
    return kernels.ENTRY.replace("BODY", f"{first}\n  {second}")


STORE = "%t{} = store_ptr_tko weak %o, %c0 : tile<ptr<i32>>, tile<i32> -> token"

WORD = np.zeros(1, np.int32)
Launch = Callable[[], None]

ASTRAY = unordered(
    "%c9 = constant <i32: 9> : tile<i32> %p = offset %o, %c9 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>",
    "%v, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token",
)
BETWEEN = unordered(
    "%a = ptr_to_int %o : tile<ptr<i32>> -> tile<i64> %c1 = constant <i64: 1> : tile<i64>\n"
    "  %b = addi %a, %c1 : tile<i64> %p = int_to_ptr %b : tile<i64> -> tile<ptr<i32>>",
    "%v, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token",
)
ASSERTION = unordered(
    "%ok = cmpi less_than %x, %c0, signed : tile<i32> -> tile<i1>", 'assert %ok, "no block may run" : tile<i1>'
)
DIVISION = unordered("", "%q = divi %x, %c0 signed : tile<i32>")
FOLD = unordered(
    "%n = iota : tile<8xi32>",
    "%r = reduce %n dim=0 identities=[1 : i32] : tile<8xi32> -> tile<i32> (%a: tile<i32>, %b: tile<i32>) {\n"
    "    %s = addi %a, %b : tile<i32>\n    yield %s : tile<i32>\n  }",
)
STRANGER = '"test.op"() : () -> ()'


def zeros(n: int) -> Any:
    return np.zeros(n, np.float32)


def on_arrays(text: str, *arguments: Any, order: Order = None) -> tuple[str, Launch]:
    return text, lambda: run(parse(text, "kernel.mlir"), arguments, checked=True, order=order)


def verified_on_arrays(text: str, *arguments: Any) -> tuple[str, Launch]:
    """What a launch is asked is written down by verifiers, and not read."""

    def launch() -> None:
        module = parse(text, "kernel.mlir")
        verify(module)
        run(module, arguments, checked=True)

    return text, launch


def on_grid(text: str, grid: int, *arguments: Any) -> tuple[str, Launch]:
    return text, lambda: run_tile(parse(text, "kernel.mlir"), arguments, (grid, 1, 1), checked=True)


REFUSED: dict[str, tuple[str, tuple[str, Launch]]] = {
    "outside": ("O520", on_arrays(kernels.SHIFTED, zeros(40), order="decreasing")),
    "overlapping": ("O523", on_arrays(kernels.OVERLAPPING, zeros(40))),
    "in_place": ("O523", on_arrays(kernels.IN_PLACE, zeros(40), order="decreasing")),
    "early": ("O524", on_arrays(kernels.EARLY, zeros(40))),
    "padding": ("O536", on_arrays(kernels.LARGEST, zeros(1), zeros(20) - 1)),
    "two_grids": ("O531", on_arrays(kernels.TWO_GRIDS, zeros(40), zeros(40))),
    "no_points": ("O533", on_arrays(kernels.NO_POINTS, zeros(40))),
    "fewer_than_no_points": ("O533", on_arrays(kernels.COUNTED, zeros(40), -1)),
    "many_points": ("O533", on_arrays(kernels.COUNTED, zeros(40), 2**23)),
    "more_points_than_integers": ("O533", on_arrays(kernels.COUNTED, zeros(40), 2**62)),
    "many_persistent_points": (
        "O533",
        on_arrays(kernels.COUNTED.replace("] :", "] blocks #ownership.blocks<persistent> :"), zeros(40), 2**30),
    ),
    "launch_check": ("O527", verified_on_arrays(kernels.WITH_A_CHECK, zeros(40), zeros(30))),
    "requirement": ("O527", on_arrays(kernels.WITH_A_REQUIREMENT, zeros(40), 64)),
    "short": ("O530", on_arrays(kernels.SAXPY, zeros(40), zeros(30), 1.0)),
    "dtype": ("O530", on_arrays(kernels.SAXPY, zeros(40), np.zeros(40), 1.0)),
    "rank": ("O530", on_arrays(kernels.SAXPY, zeros(40), np.zeros((40, 1), np.float32), 1.0)),
    "count": ("O530", on_arrays(kernels.SAXPY, zeros(40))),
    "empty": ("O530", on_arrays(kernels.SAXPY, zeros(0), zeros(0), 1.0)),
    "list": ("O530", on_arrays(kernels.SAXPY, zeros(1), [1.0], 1.0)),
    "scalar": ("O530", on_arrays(kernels.SAXPY, zeros(1), zeros(1), "one")),
    "strides": ("O530", on_arrays(kernels.SAXPY, np.broadcast_to(np.float32(0), (9,)), zeros(9), 1.0)),
    "blocks_race": ("O523", on_grid(unordered(STORE.format(0), ""), 2, WORD)),
    "no_token": ("O525", on_grid(unordered(STORE.format(0), STORE.format(1)), 1, WORD)),
    "pointer": ("O521", on_grid(ASTRAY, 1, np.zeros(4, np.int32))),
    "misaligned": ("O522", on_grid(BETWEEN, 1, np.zeros(4, np.int32))),
    "assertion": ("O526", on_grid(ASSERTION, 1, WORD)),
    "undefined": ("O528", on_grid(DIVISION, 1, WORD)),
    "fold": ("O535", on_grid(FOLD, 1, WORD)),
    "meaning": ("O529", (STRANGER, lambda: run(parse(STRANGER, "kernel.mlir"), []))),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_found_reads_as_it_should(name: str, golden: Callable[[Path, str], None]) -> None:
    code, (text, launch) = REFUSED[name]
    with pytest.raises(Rejected) as refused:
        launch()
    assert refused.value.codes == (code,)
    refused.value.sources = SourceMap()
    refused.value.sources.add("kernel.mlir", text)
    shown = refused.value.render()
    shown = re.sub(r"0x[0-9a-f]+", "0xADDRESS", shown)  # which differs from run to run
    golden(HERE / "refused" / f"{name}.err", shown)


@pytest.mark.parametrize("n", [0, -3, 2**30, 2**61])
@pytest.mark.parametrize("blocks", ["", "blocks #ownership.blocks<persistent>"])
def test_a_lowered_kernel_has_the_points_of_a_launch(n: int, blocks: str) -> None:
    module = parse(kernels.COUNTED.replace("] :", f"] {blocks} :"))
    verify(module)
    with pytest.raises(Rejected) as refused:
        run_entry(convert(module.clone()), contract(module), [zeros(40), n])
    assert refused.value.codes == ("O533",)


@pytest.mark.parametrize("lowered", [False, True])
@pytest.mark.parametrize(("kind", "why"), [("read-only", "read-only"), ("backwards", "strides"), ("input", None)])
def test_what_no_output_may_be(kind: str, why: str | None, lowered: bool) -> None:
    module, y, x = parse(kernels.SAXPY), zeros(4), zeros(4) + 1
    bad = (x if kind == "input" else y)[:: -1 if kind == "backwards" else 1]
    bad.flags.writeable = kind == "backwards"
    arguments = [y, bad, 1.0] if kind == "input" else [bad, x, 1.0]

    def launch() -> None:
        if lowered:
            verify(module)
            run_entry(convert(module.clone()), contract(module), arguments)
        else:
            run(module, arguments)

    if why is None:
        launch()
        assert y.tolist() == [1] * 4
        return
    with pytest.raises(Rejected, match=why) as refused:
        launch()
    assert refused.value.codes == ("O530",)


@pytest.mark.parametrize("order", ORDERS)
def test_a_race_is_found_in_every_order(order: Order) -> None:
    for text in (kernels.OVERLAPPING, kernels.IN_PLACE):
        with pytest.raises(Rejected) as refused:
            run(parse(text), [zeros(40)], order=order, checked=True)
        assert refused.value.codes == ("O523",)


def test_arguments_that_overlap_race() -> None:
    base = np.zeros(80, np.float32)
    run(parse(kernels.SAXPY), [base[:40], base[40:], 1.0], checked=True)
    with pytest.raises(Rejected) as refused:
        run(parse(kernels.SAXPY), [base[:48], base[4:52], 1.0], checked=True)
    assert refused.value.codes == ("O523",)


KEPT = """ownership.kernel @kept(%y: TENSOR, %z: TENSOR, %x: TENSOR) {
  %b = ownership.borrow %x : TENSOR -> !ownership.ref<[N], f32>
  %p = ownership.partition %y : TENSOR -> PARTS
  %q = ownership.partition %z : TENSOR -> PARTS
  ownership.distribute %p, %q : PARTS, PARTS {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : PARTS -> REGION
    %s = ownership.region %q[%i] : PARTS -> REGION
    %t = ownership.load %b[%i] : !ownership.ref<[N], f32> -> !cuda_tile.tile<16xf32>
    %u = cuda_tile.addf %t, %t : tile<16xf32>
    ownership.store %u, %r : !cuda_tile.tile<16xf32>, REGION
    ownership.store %t, %s : !cuda_tile.tile<16xf32>, REGION
  }
}
"""
TYPES = {"TENSOR": "tensor<", "PARTS": "partition<mut tile [16], ", "REGION": "region<mut tile [16], "}


@pytest.mark.parametrize("shift", [0, 4, 40])
def test_a_tile_is_what_was_loaded_also_where_its_memory_is_written(shift: int) -> None:
    """The input and the first output may be the same memory, or overlap in a part of it."""
    base = np.arange(80, dtype=np.float32)
    y, x, z = base[:16], base[shift : shift + 16], zeros(16)
    before, text = x.copy(), KEPT
    for name, kind in TYPES.items():
        text = text.replace(name, f"!ownership.{kind}[N], f32>")
    run(parse(text), [y, z, x])
    assert np.array_equal(z, before)
    assert np.array_equal(y, 2 * before)


def test_atomics_race_with_stores_but_not_with_each_other() -> None:
    update = "%v, %t = atomic_rmw_tko relaxed device %o, add, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token"
    out = np.zeros(1, np.int32)
    run_tile(parse(unordered(update, "")), [out], (5, 1, 1), checked=True)
    assert out[0] == 10
    stored = STORE.format(1).replace("%c0 :", "%c0 token = %t :")
    with pytest.raises(Rejected) as refused:
        run_tile(parse(unordered(update, stored)), [out], (5, 1, 1), checked=True)
    assert refused.value.codes == ("O523",)


def test_tokens_order_a_block_also_through_joins_and_loops() -> None:
    body = """%t0 = make_token : token %c4 = constant <i32: 4> : tile<i32> %c1 = constant <i32: 1> : tile<i32>
      %r = for %i in (%c0 to %c4, step %c1) : tile<i32> iter_values(%k = %t0) -> (token) {
        %v, %a = load_ptr_tko weak %o token = %k : tile<ptr<i32>> -> tile<i32>, token
        %j = join_tokens %a, %k : token
        %b = store_ptr_tko weak %o, %i token = %j : tile<ptr<i32>>, tile<i32> -> token
        continue %b : token
      }"""
    ordered = kernels.ENTRY.replace("BODY", body)
    run_tile(parse(ordered), [np.zeros(1, np.int32)], checked=True)
    with pytest.raises(Rejected) as refused:
        run_tile(parse(ordered.replace("continue %b", "continue %k")), [np.zeros(1, np.int32)], checked=True)
    assert refused.value.codes == ("O525",)


def test_fences_and_grid_dependencies_hand_tokens_on() -> None:
    body = """%t0 = store_ptr_tko weak %o, %c0 : tile<ptr<i32>>, tile<i32> -> token
      %t1 = memory_fence_alias_tko %t0
      %t2 = gdc_wait_tko token = %t1 -> token
      %t3 = gdc_launch_dependents_tko token = %t2 -> token
      %t4 = store_ptr_tko weak %o, %c0 token = %t3 : tile<ptr<i32>>, tile<i32> -> token"""
    run_tile(parse(kernels.ENTRY.replace("BODY", body)), [np.zeros(1, np.int32)], checked=True)
    cut = body.replace("gdc_wait_tko token = %t1", "gdc_wait_tko")
    with pytest.raises(Rejected) as refused:
        run_tile(parse(kernels.ENTRY.replace("BODY", cut)), [np.zeros(1, np.int32)], checked=True)
    assert refused.value.codes == ("O525",)


@pytest.mark.parametrize(
    "made",
    ["make_token : token", 'print_tko "here" -> token', "gdc_wait_tko -> token", "gdc_launch_dependents_tko -> token"],
)
def test_a_token_of_nothing_orders_nothing(made: str) -> None:
    body = f"""%t0 = store_ptr_tko weak %o, %c0 : tile<ptr<i32>>, tile<i32> -> token
      %t1 = {made}
      %t2 = store_ptr_tko weak %o, %c0 token = %t1 : tile<ptr<i32>>, tile<i32> -> token"""
    with pytest.raises(Rejected) as refused:
        run_tile(
            parse(kernels.ENTRY.replace("BODY", body)), [np.zeros(1, np.int32)], checked=True, write=lambda _: None
        )
    assert refused.value.codes == ("O525",)


def test_a_call_is_worked_out_from_the_contract() -> None:
    """Each array's address, extents and strides in elements; a point for each region, one behind another."""
    module = parse(kernels.GEMM.replace("SCHEDULE", ""))
    verify(module)
    c, a, b = zeros(40 * 65).reshape(40, 65), zeros(800).reshape(40, 20)[:, :10], zeros(800).reshape(10, 80)[:, :65]
    call = entry_call(contract(module), [c, a, b])
    assert call.names == ("c", "a", "b", "M", "N", "K", "c", "a", "b")
    assert [value is array for value, array in zip(call.values[:3], (c, a, b), strict=True)] == [True] * 3
    assert call.values[3:] == (40, 65, 10, 65, 20, 80)
    assert (call.outputs, call.points, call.grid) == ({0}, 9, (9, 1, 1))


def test_orders_that_are_none() -> None:
    with pytest.raises(ValueError, match='an order is "increasing"'):
        run(parse(kernels.SAXPY), [zeros(4), zeros(4), 1.0], order="sideways")


FEWER_AXES = """ownership.kernel @fewer(%y: !ownership.tensor<[N, M], f32>, %z: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N, M], f32> -> !ownership.partition<mut tile [4, 8], [N, M], f32>
  %q = ownership.partition %z : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p, %q : !ownership.partition<mut tile [4, 8], [N, M], f32>, !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
  }
}
"""  # noqa: E501


def test_a_partition_of_fewer_axes_has_one_region_along_the_others() -> None:
    run(parse(FEWER_AXES, "kernel.mlir"), [np.zeros((8, 8), np.float32), np.zeros(8, np.float32)], checked=True)
    with pytest.raises(Rejected) as refused:
        run(parse(FEWER_AXES, "kernel.mlir"), [np.zeros((8, 16), np.float32), np.zeros(8, np.float32)], checked=True)
    assert refused.value.codes == ("O531",)
