"""Pointers, views, atomics: what lowered modules read and write."""

# Lines of IR are as long as they are.
# ruff: noqa: E501

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from evaluate import parse

from freehold.runtime.interpreter import run_tile
from freehold.runtime.interpreter.elements import by_name
from freehold.support.diagnostic import KernelWarning, Rejected


def module(arguments: str, body: str, globals_: str = "") -> Any:
    return parse(f"cuda_tile.module @m {{ {globals_} cuda_tile.entry @k({arguments}) {{ {body} return }} }}")


def pointers(name: str, count: int, element: str, offsets: str) -> str:
    """Text that makes `%pname`, the pointers at offsets from the argument `%name`."""
    return f"""%r{name} = reshape %{name} : tile<ptr<{element}>> -> tile<1xptr<{element}>>
      %b{name} = broadcast %r{name} : tile<1xptr<{element}>> -> tile<{count}xptr<{element}>>
      %p{name} = offset %b{name}, {offsets} : tile<{count}xptr<{element}>>, tile<{count}xi32> -> tile<{count}xptr<{element}>>
    """


OUT_IN = "%o: !cuda_tile.tile<ptr<i32>>, %i: !cuda_tile.tile<ptr<i32>>"
LANES = "%n = iota : tile<8xi32>"


def test_masked_accesses_leave_the_rest_alone() -> None:
    body = f"""{LANES} %five = constant <i32: 5> : tile<8xi32> %pad = constant <i32: -1> : tile<8xi32>
      %m = cmpi less_than %n, %five, signed : tile<8xi32> -> tile<8xi1>
      {pointers("i", 8, "i32", "%n")} {pointers("o", 8, "i32", "%n")}
      %x, %t0 = load_ptr_tko weak %pi, %m, %pad : tile<8xptr<i32>>, tile<8xi1>, tile<8xi32> -> tile<8xi32>, token
      %t1 = store_ptr_tko weak %po, %x : tile<8xptr<i32>>, tile<8xi32> -> token
      %t2 = store_ptr_tko weak %po, %n, %m token = %t1 : tile<8xptr<i32>>, tile<8xi32>, tile<8xi1> -> token"""
    x, out = np.arange(10, 15, dtype=np.int32), np.zeros(8, np.int32)
    run_tile(module(OUT_IN, body), [out, x], checked=True)
    assert out.tolist() == [0, 1, 2, 3, 4, -1, -1, -1]


def test_pointers_leave_an_array_only_when_followed() -> None:
    body = f"""{LANES} {pointers("i", 8, "i32", "%n")} {pointers("o", 8, "i32", "%n")}
      %x, %t0 = load_ptr_tko weak %pi : tile<8xptr<i32>> -> tile<8xi32>, token"""
    small = np.arange(4, dtype=np.int32)
    with pytest.raises(Rejected) as refused:
        run_tile(module(OUT_IN, body), [np.zeros(8, np.int32), small])
    (error,) = refused.value.errors
    assert error.code == "O521"
    assert error.report().notes == ("in block 0; `i` has 16 bytes, and this is byte 16",)


def test_addresses_must_be_multiples_of_the_element() -> None:
    body = """%a = ptr_to_int %i : tile<ptr<i32>> -> tile<i64> %one = constant <i64: 1> : tile<i64>
      %b = addi %a, %one : tile<i64> %p = int_to_ptr %b : tile<i64> -> tile<ptr<i32>>
      %x, %t0 = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token"""
    with pytest.raises(Rejected) as refused:
        run_tile(module(OUT_IN, body), [np.zeros(8, np.int32), np.zeros(8, np.int32)])
    assert refused.value.codes == ("O522",)


def test_pointers_change_type() -> None:
    body = """%p = ptr_to_ptr %i : tile<ptr<i32>> -> tile<ptr<i8>> %one = constant <i32: 1> : tile<i32>
      %q = offset %p, %one : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
      %x, %t = load_ptr_tko weak %q : tile<ptr<i8>> -> tile<i8>, token
      %y = exti %x unsigned : tile<i8> -> tile<i32>
      %u = store_ptr_tko weak %o, %y : tile<ptr<i32>>, tile<i32> -> token"""
    out = np.zeros(1, np.int32)
    run_tile(module(OUT_IN, body), [out, np.array([0x0403F201], np.int32)], checked=True)
    assert out[0] == 0xF2


ATOMICS = [
    ("and", [12, 10], 8), ("or", [12, 10], 14), ("xor", [12, 10], 6), ("add", [12, -10], 2),
    ("max", [-3, 2], 2), ("min", [-3, 2], -3), ("umax", [-3, 2], -3), ("umin", [-3, 2], 2), ("xchg", [5, 9], 9),
]  # fmt: skip


@pytest.mark.parametrize(("mode", "numbers", "wanted"), ATOMICS)
def test_atomics_of_integers(mode: str, numbers: list[int], wanted: int) -> None:
    body = f"""%old, %t = atomic_rmw_tko relaxed device %o, {mode}, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
      %u = store_ptr_tko weak %i, %old token = %t : tile<ptr<i32>>, tile<i32> -> token"""
    out, old = np.array(numbers[:1], np.int32), np.zeros(1, np.int32)
    run_tile(module(OUT_IN + ", %x: !cuda_tile.tile<i32>", body), [out, old, numbers[1]], checked=True)
    assert (out[0], old[0]) == (wanted, numbers[0])


@pytest.mark.parametrize("element", ["f16", "bf16", "f32", "f64"])
def test_atomic_sums_of_equal_addresses_all_count(element: str) -> None:
    pointer = f"!cuda_tile.tile<ptr<{element}>>"
    body = f"""%z = constant <i32: 0> : tile<8xi32> {pointers("o", 8, element, "%z")}
      %one = constant <{element}: 1.0> : tile<8x{element}>
      %old, %t = atomic_rmw_tko relaxed device %po, addf, %one : tile<8xptr<{element}>>, tile<8x{element}> -> tile<8x{element}>, token"""
    out = np.zeros(1, by_name(element).dtype)
    run_tile(module(f"%o: {pointer}", body), [out], (4, 1, 1), order=2, checked=True)
    assert float(out[0]) == 32.0


def test_compare_and_swap() -> None:
    body = f"""{LANES} {pointers("o", 8, "i32", "%n")} %three = constant <i32: 3> : tile<8xi32>
      %old, %t = atomic_cas_tko relaxed device %po, %three, %n : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token
      {pointers("i", 8, "i32", "%n")}
      %u = store_ptr_tko weak %pi, %old : tile<8xptr<i32>>, tile<8xi32> -> token"""
    memory, old = np.array([3, 0, 3, 1, 3, 2, 3, 3], np.int32), np.zeros(8, np.int32)
    before = memory.copy()
    run_tile(module(OUT_IN, body), [memory, old])
    assert memory.tolist() == [0, 0, 2, 1, 4, 2, 6, 7]
    assert np.array_equal(old, before)


def test_a_swap_of_some_elements_behind_a_token() -> None:
    """What is masked off is not touched, and yields what it was compared with."""
    body = f"""{LANES} {pointers("o", 8, "i32", "%n")} %three = constant <i32: 3> : tile<8xi32>
      %mask = constant <i1: [1, 0, 1, 0, 1, 0, 1, 0]> : tile<8xi1>
      %s = store_ptr_tko weak %po, %three : tile<8xptr<i32>>, tile<8xi32> -> token
      %old, %t = atomic_cas_tko relaxed device %po, %n, %three, %mask token = %s : tile<8xptr<i32>>, tile<8xi32>, tile<8xi1> -> tile<8xi32>, token
      {pointers("i", 8, "i32", "%n")}
      %u = store_ptr_tko weak %pi, %old token = %t : tile<8xptr<i32>>, tile<8xi32> -> token"""
    memory, old = np.zeros(8, np.int32), np.zeros(8, np.int32)
    run_tile(module(OUT_IN, body), [memory, old], checked=True)
    assert memory.tolist() == [3] * 8
    assert old.tolist() == [3, 1, 3, 3, 3, 5, 3, 7]


def test_swaps_of_several_blocks_do_not_race() -> None:
    body = """%b, %y, %z = get_tile_block_id : tile<i32> %one = constant <i32: 1> : tile<i32>
      %next = addi %b, %one : tile<i32>
      %old, %t = atomic_cas_tko relaxed device %o, %b, %next : tile<ptr<i32>>, tile<i32> -> tile<i32>, token"""
    out = np.zeros(1, np.int32)
    run_tile(module("%o: !cuda_tile.tile<ptr<i32>>", body), [out], (5, 1, 1), checked=True)
    assert out[0] == 5
    stored = body + " %u = store_ptr_tko weak %o, %b token = %t : tile<ptr<i32>>, tile<i32> -> token"
    with pytest.raises(Rejected) as refused:
        run_tile(module("%o: !cuda_tile.tile<ptr<i32>>", stored), [out], (5, 1, 1), checked=True)
    assert refused.value.codes == ("O523",)


@pytest.mark.parametrize("shape", [(7,), (7, 5)])
def test_extents_of_a_view(shape: tuple[int, ...]) -> None:
    """One extent is one result, and several are several."""
    many, strides = "x".join("?" * len(shape)), "1" if len(shape) == 1 else "?,1"
    names = [f"%n{n}" for n in range(len(shape))]
    given = ["%n0"] if len(shape) == 2 else []
    results = ", ".join(f"%e{n}" for n in range(len(shape)))
    body = f"""%v = make_tensor_view %o, shape = [{", ".join(names)}], strides = [{", ".join([*given, "1"])}] : tile<i32> -> tensor_view<{many}xi32, strides=[{strides}]>
      {results} = get_tensor_shape %v : tensor_view<{many}xi32, strides=[{strides}]> -> tile<i32>
      %t = store_ptr_tko weak %o, %e{len(shape) - 1} : tile<ptr<i32>>, tile<i32> -> token"""
    arguments = ", ".join(f"{name}: !cuda_tile.tile<i32>" for name in names)
    out = np.zeros(64, np.int32)
    run_tile(module(f"%o: !cuda_tile.tile<ptr<i32>>, {arguments}", body), [out, *shape], checked=True)
    assert out[0] == shape[-1]


def test_globals_are_made_anew_for_each_run() -> None:
    body = """%g = get_global @g : tile<ptr<i32>> %x, %t = load_ptr_tko weak %g : tile<ptr<i32>> -> tile<i32>, token
      %u = store_ptr_tko weak %o, %x : tile<ptr<i32>>, tile<i32> -> token
      %v = store_ptr_tko weak %g, %y token = %t : tile<ptr<i32>>, tile<i32> -> token"""
    text = module(
        "%o: !cuda_tile.tile<ptr<i32>>, %y: !cuda_tile.tile<i32>", body, "global @g <i32: [41, 42]> : tile<2xi32>"
    )
    for _ in range(2):
        out = np.zeros(1, np.int32)
        run_tile(text, [out, 7])
        assert out[0] == 41


def test_globals_are_there_in_checked_mode_and_of_four_bits() -> None:
    body = (
        """%g = get_global @g : tile<ptr<f4E2M1FN>>
      %v = make_tensor_view %g, shape = [4], strides = [1] : tensor_view<4xf4E2M1FN, strides=[1]>
      %w = make_partition_view %v : partition_view<tile=(4), tensor_view<4xf4E2M1FN, strides=[1]>>
      %c0 = constant <i32: 0> : tile<i32>
      %x, %t = load_view_tko weak %w[%c0] : partition_view<tile=(4), tensor_view<4xf4E2M1FN, strides=[1]>>, tile<i32> -> tile<4xf4E2M1FN>, token
      %y = ftof %x : tile<4xf4E2M1FN> -> tile<4xf32>
      %n = iota : tile<4xi32>
      """
        + pointers("o", 4, "f32", "%n")
        + "%u = store_ptr_tko weak %po, %y : tile<4xptr<f32>>, tile<4xf32> -> token"
    )
    for checked in (False, True):
        out = np.zeros(4, np.float32)
        values = "global @g <f4E2M1FN: [1.0, -3.0, 6.0, 0.5]> : tile<4xf4E2M1FN>"
        run_tile(module("%o: !cuda_tile.tile<ptr<f32>>", body, values), [out], checked=checked)
        assert out.tolist() == [1.0, -3.0, 6.0, 0.5]


def test_memory_of_a_block_starts_uninitialised() -> None:
    body = """%a = alloca num_elem = 4, alignment = 16 : tile<ptr<i32>>
      %t = store_ptr_tko weak %a, %y : tile<ptr<i32>>, tile<i32> -> token
      %one = constant <i32: 1> : tile<i32> %b = offset %a, %{which} : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %x, %u = load_ptr_tko weak %b token = %t : tile<ptr<i32>> -> tile<i32>, token
      %v = store_ptr_tko weak %o, %x : tile<ptr<i32>>, tile<i32> -> token"""
    arguments = "%o: !cuda_tile.tile<ptr<i32>>, %y: !cuda_tile.tile<i32>"
    out = np.zeros(1, np.int32)
    zero = body.replace("%{which}", "%zero").replace("%one = constant <i32: 1>", "%zero = constant <i32: 0>")
    run_tile(module(arguments, zero), [out, 7], checked=True)
    assert out[0] == 7
    with pytest.raises(Rejected) as refused:
        run_tile(module(arguments, body.replace("%{which}", "%one")), [out, 7], checked=True)
    assert refused.value.codes == ("O524",)


@pytest.mark.parametrize(("count", "held"), [(1, 1), (2, 1), (3, 2), (4, 2), (7, 4)])
def test_memory_of_a_block_has_half_a_byte_for_four_bits(count: int, held: int) -> None:
    body = f"""%a = alloca num_elem = {count}, alignment = 16 : tile<ptr<f4E2M1FN>>
      %b = ptr_to_ptr %a : tile<ptr<f4E2M1FN>> -> tile<ptr<i8>> %n = constant <i32: PLACE> : tile<i32>
      %p = offset %b, %n : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>> %x = constant <i8: 1> : tile<i8>
      %t = store_ptr_tko weak %p, %x : tile<ptr<i8>>, tile<i8> -> token"""
    run_tile(module("", body.replace("PLACE", str(held - 1))), [])
    with pytest.raises(Rejected) as refused:
        run_tile(module("", body.replace("PLACE", str(held))), [])
    assert f"`alloca` has {held} bytes, and this is byte {held}" in str(refused.value)


MAKE = {
    "partition_view": "make_partition_view",
    "strided_view": "make_strided_view",
    "gather_scatter_view": "make_gather_scatter_view",
}


def copied(view_in: str, view_out: str, indices: str, source: Any, target: Any, *, element: str = "f32",
           shape: str = "4x8", index_type: str = "tile<i32>", strides: str = "[?,1]", checked: bool = True,
           **mode: Any) -> None:  # fmt: skip
    """Copies one tile between two rank-2 views of dynamic extents, `source` to `target`."""
    tensor = f"tensor_view<?x?x{element}, strides={strides}>"
    tile = f"tile<{shape}x{element}>"
    vin, vout = view_in.replace("TV", tensor), view_out.replace("TV", tensor)
    kinds = [MAKE[v.split("<")[0]] for v in (view_in, view_out)]
    body = f"""%vi = make_tensor_view %i, shape = [%m, %n], strides = [%s, 1] : tile<i32> -> {tensor}
      %vo = make_tensor_view %o, shape = [%m2, %n2], strides = [%s2, 1] : tile<i32> -> {tensor}
      %c0 = constant <i32: 0> : tile<i32> %c1 = constant <i32: 1> : tile<i32>
      %ti = {kinds[0]} %vi : {vin}
      %to = {kinds[1]} %vo : {vout}
      {indices.split("|")[0]}
      %x, %t0 = load_view_tko weak %ti[{indices.split("|")[1]}] : {vin}, {index_type} -> {tile}, token
      %t1 = store_view_tko weak %x, %to[{indices.split("|")[2]}] : {tile}, {vout}, {indices.split("|")[3]} -> token"""
    names = ", ".join(f"%{n}: !cuda_tile.tile<i32>" for n in ("m", "n", "s", "m2", "n2", "s2"))
    pointer = f"!cuda_tile.tile<ptr<{element}>>"
    size = source.dtype.itemsize
    run_tile(
        module(f"%o: {pointer}, %i: {pointer}, {names}", body),
        [target, source, *source.shape, source.strides[0] // size, *target.shape, target.strides[0] // size],
        checked=checked,
        **mode,
    )


X = np.arange(60, dtype=np.float32).reshape(6, 10)
PLAIN = "partition_view<tile=(4x8), TV>"


@pytest.mark.parametrize(
    ("padding", "value"), [("", 0.0), ("padding_value = nan, ", np.nan), ("padding_value = neg_inf, ", -np.inf)]
)
def test_tiles_that_overhang_are_padded_and_clipped(padding: str, value: float) -> None:
    out = np.full((4, 8), 7, np.float32)
    copied(f"partition_view<tile=(4x8), {padding}TV>", PLAIN, "|%c1, %c1|%c0, %c0|tile<i32>", X, out)
    wanted = np.full((4, 8), value, np.float32)
    wanted[:2, :2] = X[4:, 8:]
    np.testing.assert_array_equal(out, wanted)
    back = X.copy()
    copied(PLAIN, PLAIN, "|%c0, %c0|%c1, %c1|tile<i32>", out, back)
    np.testing.assert_array_equal(back[4:, 8:], X[4:, 8:])
    np.testing.assert_array_equal(back[:4], X[:4])


@pytest.mark.parametrize("element", ["f16", "bf16", "f64", "f8E4M3FN", "f8E5M2", "i8", "i16", "i64", "i1", "tf32"])
def test_views_of_every_element(element: str) -> None:
    x = (X % 2 if element == "i1" else X % 16).astype(by_name(element).dtype)
    out = np.zeros((4, 8), x.dtype)
    copied(PLAIN, PLAIN, "|%c0, %c1|%c0, %c0|tile<i32>", x, out, element=element)
    wanted = np.zeros((4, 8), x.dtype)
    wanted[:, :2] = x[:4, 8:]
    assert np.array_equal(out, wanted)


# --- What is left open ------------------------------------------------------------------------------------------------


def differs(run: Callable[[int], Any], known: Any) -> bool:
    """Whether what is left open is other bits with other seeds, and the same with the same; what is `known` stays."""
    found = [run(seed) for seed in range(8)]
    assert all((each[known] == found[0][known]).all() for each in found)
    assert all(a.tobytes() == run(seed).tobytes() for seed, a in enumerate(found))
    return len({each.tobytes() for each in found}) > 3


@pytest.mark.parametrize(
    "element", ["f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2", "i1", "i8", "i16", "i64", "tf32"]
)
def test_beyond_a_view_without_padding_is_anything(element: str) -> None:
    x = (X % 2).astype(by_name(element).dtype)

    def run(view: str, seed: int) -> Any:
        out = np.zeros((4, 8), x.dtype)
        copied(view, PLAIN, "|%c1, %c1|%c0, %c0|tile<i32>", x, out, element=element, checked=False,
               adversarial=True, order=seed)  # fmt: skip
        return out.view(f"u{x.dtype.itemsize}")

    inside = np.s_[:2, :2]
    assert differs(lambda seed: run(PLAIN, seed), inside)
    assert not differs(lambda seed: run("partition_view<tile=(4x8), padding_value = zero, TV>", seed), inside)
    wanted = np.zeros((4, 8), x.dtype)
    wanted[inside] = x[4:, 8:]
    assert (run("partition_view<tile=(4x8), padding_value = zero, TV>", 3) == wanted.view(f"u{x.dtype.itemsize}")).all()


def test_what_a_mask_leaves_out_is_anything() -> None:
    mask = "%mask = constant <i1: [1, 0, 1, 0, 1, 0, 1, 0]> : tile<8xi1>"
    load = "%x, %t = load_ptr_tko weak %pi, %mask : tile<8xptr<i32>>, tile<8xi1> -> tile<8xi32>, token"
    update = "%x, %t = atomic_rmw_tko relaxed device %pi, add, %n, %mask : tile<8xptr<i32>>, tile<8xi32>, tile<8xi1> -> tile<8xi32>, token"
    for access in (load, update):
        body = f"""{LANES} {mask} {pointers("i", 8, "i32", "%n")} {pointers("o", 8, "i32", "%n")} {access}
          %u = store_ptr_tko weak %po, %x token = %t : tile<8xptr<i32>>, tile<8xi32> -> token"""

        def run(seed: int, body: str = body) -> Any:
            out = np.zeros(8, np.int32)
            run_tile(module(OUT_IN, body), [out, np.arange(8, dtype=np.int32)], adversarial=True, order=seed)
            return out

        assert differs(run, np.s_[::2])
        assert run(0)[::2].tolist() == [0, 2, 4, 6]


def test_memory_of_a_block_begins_as_anything() -> None:
    body = f"""{LANES} %i2 = alloca num_elem = 8, alignment = 16 : tile<ptr<i32>>
      {pointers("i2", 8, "i32", "%n")} {pointers("o", 8, "i32", "%n")}
      %x, %t = load_ptr_tko weak %pi2 : tile<8xptr<i32>> -> tile<8xi32>, token
      %u = store_ptr_tko weak %po, %x token = %t : tile<8xptr<i32>>, tile<8xi32> -> token"""

    def run(seed: int) -> Any:
        out = np.zeros(8, np.int32)
        run_tile(module("%o: !cuda_tile.tile<ptr<i32>>", body), [out], adversarial=True, order=seed)
        return out

    assert differs(run, np.s_[:0])


def test_rows_of_a_larger_array() -> None:
    base = np.arange(200, dtype=np.float32).reshape(10, 20)
    out = np.zeros((4, 8), np.float32)
    copied(PLAIN, PLAIN, "|%c1, %c0|%c0, %c0|tile<i32>", base[1:9, 3:15], out)
    assert np.array_equal(out, base[5:9, 3:11])


def test_permuted_views_cover_other_dimensions() -> None:
    out = np.zeros((4, 8), np.float32)
    copied("partition_view<tile=(4x8), TV, dim_map=[1, 0]>", PLAIN, "|%c1, %c0|%c0, %c0|tile<i32>", X, out)
    wanted = np.zeros((4, 8), np.float32)
    wanted[:, :6] = X.T[4:8, 0:6]
    assert np.array_equal(out, wanted)
    back = np.zeros((8, 12), np.float32)
    copied(PLAIN, "partition_view<tile=(4x8), TV, dim_map=[1, 0]>", "|%c0, %c0|%c1, %c0|tile<i32>", X, back)
    assert np.array_equal(back[:, 4:8], X[:4, :8].T)
    assert not back[:, :4].any()


def test_strided_views_step_by_their_traversal() -> None:
    out = np.zeros((4, 8), np.float32)
    copied("strided_view<tile=(4x8), traversal_strides=[2,3], TV>", PLAIN, "|%c1, %c1|%c0, %c0|tile<i32>", X, out)
    wanted = np.zeros((4, 8), np.float32)
    wanted[:, :7] = X[2:6, 3:]
    assert np.array_equal(out, wanted)


ROWS = "%rows = constant <i32: [5, 0, 9, 2]> : tile<4xi32>"


def test_gather_picks_rows_and_pads_those_outside() -> None:
    out = np.full((4, 8), 9, np.float32)
    copied(
        "gather_scatter_view<tile=(4x8), TV, sparse_dim=0>", PLAIN, f"{ROWS}|%rows, %c1|%c0, %c0|tile<i32>", X, out,
        index_type="tile<4xi32>, tile<i32>",
    )  # fmt: skip
    wanted = np.zeros((4, 8), np.float32)
    for n, row in enumerate([5, 0, None, 2]):
        if row is not None:
            wanted[n] = X[row, 1:9]
    assert np.array_equal(out, wanted)


def test_scatter_writes_rows_inside() -> None:
    out = np.zeros((6, 10), np.float32)
    copied(
        PLAIN, "gather_scatter_view<tile=(4x8), TV, sparse_dim=0>", f"{ROWS}|%c0, %c0|%rows, %c1|tile<4xi32>, tile<i32>", X, out
    )  # fmt: skip
    wanted = np.zeros((6, 10), np.float32)
    for n, row in enumerate([5, 0, None, 2]):
        if row is not None:
            wanted[row, 1:9] = X[n, :8]
    assert np.array_equal(out, wanted)
    again = np.zeros((6, 10), np.float32)
    copied(
        PLAIN, "gather_scatter_view<tile=(4x8), TV, sparse_dim=0>", f"{ROWS}|%c0, %c0|%rows, %c1|tile<4xi32>, tile<i32>", X, again,
        checked=False,
    )  # fmt: skip
    assert np.array_equal(again, wanted)


def test_blocks_that_scatter_the_same_rows_race() -> None:
    tensor = "tensor_view<4x8xf32, strides=[8,1]>"
    view = f"gather_scatter_view<tile=(2x8), {tensor}, sparse_dim=0>"
    body = f"""%v = make_tensor_view %o, shape = [4, 8], strides = [8, 1] : {tensor}
      %s = make_gather_scatter_view %v : {view}
      %b, %y, %z = get_tile_block_id : tile<i32> %c0 = constant <i32: 0> : tile<i32>
      %n = iota : tile<2xi32> %step = constant <i32: STEP> : tile<i32> %at = muli %b, %step : tile<i32>
      %r1 = reshape %at : tile<i32> -> tile<1xi32> %r2 = broadcast %r1 : tile<1xi32> -> tile<2xi32>
      %rows = addi %n, %r2 : tile<2xi32> %x = constant <f32: 3.0> : tile<2x8xf32>
      %t = store_view_tko weak %x, %s[%rows, %c0] : tile<2x8xf32>, {view}, tile<2xi32>, tile<i32> -> token"""
    out = np.zeros((4, 8), np.float32)
    run_tile(module("%o: !cuda_tile.tile<ptr<f32>>", body.replace("STEP", "2")), [out], (2, 1, 1), checked=True)
    assert (out == 3).all()
    with pytest.raises(Rejected) as refused:
        run_tile(module("%o: !cuda_tile.tile<ptr<f32>>", body.replace("STEP", "1")), [out], (2, 1, 1), checked=True)
    assert refused.value.codes == ("O523",)
    assert "element [8] of" in str(refused.value) or "element [1, 0] of" in str(refused.value)


@pytest.mark.parametrize(
    "place", ["|%c1, %c1|%c1, %c0|tile<i32>", "%big = constant <i32: -1> : tile<i32>|%big, %c0|%c0, %c0|tile<i32>"]
)
def test_an_index_outside_the_index_space_is_refused(place: str) -> None:
    with pytest.raises(Rejected) as refused:
        copied(PLAIN, PLAIN, place, X, np.zeros((4, 8), np.float32), checked=False)
    assert refused.value.codes == ("O520",)


@pytest.mark.parametrize(("far", "extent"), [(-1, 10), (10, 10), (99, 10)])
def test_a_gather_outside_a_dimension_is_told_with_its_elements(far: int, extent: int) -> None:
    gather = "gather_scatter_view<tile=(4x8), TV, sparse_dim=0>"
    place = f"{ROWS} %far = constant <i32: {far}> : tile<i32>|%rows, %far|%c0, %c0|tile<i32>"
    with pytest.raises(Rejected) as refused:
        copied(gather, PLAIN, place, X, np.zeros((4, 8), np.float32), index_type="tile<4xi32>, tile<i32>")
    assert refused.value.codes == ("O520",)
    assert f"coordinate {far} of axis 1 is outside `i`, which has {extent} tiles there" in str(refused.value)


@pytest.mark.parametrize("kind", ["partition_view<tile=(4x8), padding_value = {}, TV>",
                                  "strided_view<tile=(4x8), traversal_strides=[4,8], padding_value = {}, TV>",
                                  "gather_scatter_view<tile=(4x8), padding_value = {}, TV, sparse_dim=0>"])  # fmt: skip
def test_a_tile_beyond_a_view_with_padding_is_padding(kind: str) -> None:
    source = "%far = constant <i32: 90> : tile<i32>"
    if kind.startswith("gather"):
        source += " %rows = iota : tile<4xi32>"
    at = "%rows, %far" if kind.startswith("gather") else "%c0, %far"
    types = "tile<4xi32>, tile<i32>" if kind.startswith("gather") else "tile<i32>"
    out = np.zeros((4, 8), np.float32)
    for checked in (False, True):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            copied(kind.format("nan"), PLAIN, f"{source}|{at}|%c0, %c0|tile<i32>", X, out,
                   index_type=types, checked=checked)  # fmt: skip
        assert np.isnan(out).all()
        assert [w.category for w in warned] == [KernelWarning] * checked
        assert not checked or "warning[O537]: coordinate 90 of axis 1 is beyond" in str(warned[0].message)
        assert all((w.filename, w.lineno > 1) == ("test.mlir", True) for w in warned)  # where the access stands


def test_a_store_beyond_a_view_with_padding_writes_nothing() -> None:
    out = np.zeros((4, 8), np.float32)
    copied(PLAIN, "partition_view<tile=(4x8), padding_value = zero, TV>", "|%c0, %c0|%c1, %c0|tile<i32>", X, out,
           checked=False)  # fmt: skip
    assert not out.any()


def test_a_view_without_elements_and_one_that_repeats_an_element() -> None:
    padded = "partition_view<tile=(4x8), padding_value = nan, TV>"
    out = np.zeros((4, 8), np.float32)
    copied(padded, PLAIN, "|%c0, %c0|%c0, %c0|tile<i32>", np.zeros((0, 10), np.float32), out, checked=False)
    assert np.isnan(out).all()
    copied(PLAIN, PLAIN, "|%c0, %c0|%c0, %c0|tile<i32>", np.zeros((0, 10), np.float32), out, checked=False)
    assert not out.any()
    repeated = np.lib.stride_tricks.as_strided(X, (4, 8), (0, 4))
    copied(PLAIN, PLAIN, "|%c0, %c0|%c0, %c0|tile<i32>", repeated, out)
    assert np.array_equal(out, repeated)


def test_a_table_holds_addresses_and_numbers() -> None:
    text = """%t = make_tensor_view %i, shape = [2, 2], strides = [2, 1] : tensor_view<2x2xi64, strides=[2,1]>
      %p = make_partition_view %t : partition_view<tile=(1x2), tensor_view<2x2xi64, strides=[2,1]>>
      %c0 = constant <i32: 0> : tile<i32> %c1 = constant <i32: 1> : tile<i32>
      %row, %t0 = load_view_tko weak %p[%c1, %c0] : partition_view<tile=(1x2), tensor_view<2x2xi64, strides=[2,1]>>, tile<i32> -> tile<1x2xi64>, token
      %e = extract %row[%c0, %c0] : tile<1x2xi64> -> tile<1x1xi64> %a = reshape %e : tile<1x1xi64> -> tile<i64>
      %q = int_to_ptr %a : tile<i64> -> tile<ptr<f32>>
      %x, %t1 = load_ptr_tko weak %q : tile<ptr<f32>> -> tile<f32>, token
      %t2 = store_ptr_tko weak %o, %x : tile<ptr<f32>>, tile<f32> -> token"""
    out = np.zeros(1, np.float32)
    table = [np.full(3, 5, np.float32), 3, np.full(4, 7, np.float32), 4]
    arguments = "%o: !cuda_tile.tile<ptr<f32>>, %i: !cuda_tile.tile<ptr<i64>>"
    run_tile(module(arguments, text), [out, table], checked=True)
    assert out[0] == 7


def test_a_view_larger_than_its_array_is_refused_where_it_reaches_outside() -> None:
    text = """%c0 = constant <i32: 0> : tile<i32> %c1 = constant <i32: 1> : tile<i32>
      %v = make_tensor_view %i, shape = [16], strides = [1] : tensor_view<16xi32, strides=[1]>
      %p = make_partition_view %v : partition_view<tile=(8), tensor_view<16xi32, strides=[1]>>
      %x, %t = load_view_tko weak %p[{}] : partition_view<tile=(8), tensor_view<16xi32, strides=[1]>>, tile<i32> -> tile<8xi32>, token"""
    out, x = np.zeros(1, np.int32), np.arange(12, dtype=np.int32)
    run_tile(module(OUT_IN, text.format("%c0")), [out, x])
    with pytest.raises(Rejected) as refused:
        run_tile(module(OUT_IN, text.format("%c1")), [out, x])
    assert refused.value.codes == ("O521",)


def test_inbounds_is_a_promise() -> None:
    text = """%c0 = constant <i32: 0> : tile<i32> %c1 = constant <i32: 1> : tile<i32>
      %v = make_tensor_view %i, shape = [12], strides = [1] : tensor_view<12xi32, strides=[1]>
      %p = make_partition_view %v : partition_view<tile=(8), tensor_view<12xi32, strides=[1]>>
      %x, %t = load_view_tko weak %p[{}] inbounds = [true] : partition_view<tile=(8), tensor_view<12xi32, strides=[1]>>, tile<i32> -> tile<8xi32>, token"""
    out, x = np.zeros(1, np.int32), np.arange(12, dtype=np.int32)
    run_tile(module(OUT_IN, text.format("%c0")), [out, x], checked=True)
    run_tile(module(OUT_IN, text.format("%c1")), [out, x])
    with pytest.raises(Rejected) as refused:
        run_tile(module(OUT_IN, text.format("%c1")), [out, x], checked=True)
    assert refused.value.codes == ("O528",)


def test_shapes_of_views() -> None:
    text = """%v = make_tensor_view %i, shape = [6, 10], strides = [10, 1] : tensor_view<6x10xi32, strides=[10,1]>
      %p = make_partition_view %v : partition_view<tile=(4x2), tensor_view<6x10xi32, strides=[10,1]>, dim_map=[1, 0]>
      %s0, %s1 = get_tensor_shape %v : tensor_view<6x10xi32, strides=[10,1]> -> tile<i32>
      %n0, %n1 = get_index_space_shape %p : partition_view<tile=(4x2), tensor_view<6x10xi32, strides=[10,1]>, dim_map=[1, 0]> -> tile<i32>
      %a = reshape %{} : tile<i32> -> tile<i32> %t = store_ptr_tko weak %o, %a : tile<ptr<i32>>, tile<i32> -> token"""
    found: list[int] = []
    for name in ("s0", "s1", "n0", "n1"):
        out = np.zeros(1, np.int32)
        run_tile(module(OUT_IN, text.format(name)), [out, np.zeros((6, 10), np.int32)])
        found.append(int(out[0]))
    assert found == [6, 10, 3, 3]


def test_tiles_of_four_bit_floats_share_bytes() -> None:
    text = """%c0 = constant <i32: 0> : tile<i32>
      %v = make_tensor_view %i, shape = [7], strides = [1] : tensor_view<7xf4E2M1FN, strides=[1]>
      %p = make_partition_view %v : partition_view<tile=(8), tensor_view<7xf4E2M1FN, strides=[1]>>
      %w = make_tensor_view %o, shape = [7], strides = [1] : tensor_view<7xf4E2M1FN, strides=[1]>
      %q = make_partition_view %w : partition_view<tile=(8), tensor_view<7xf4E2M1FN, strides=[1]>>
      %x, %t = load_view_tko weak %p[%c0] : partition_view<tile=(8), tensor_view<7xf4E2M1FN, strides=[1]>>, tile<i32> -> tile<8xf4E2M1FN>, token
      %u = store_view_tko weak %x, %q[%c0] : tile<8xf4E2M1FN>, partition_view<tile=(8), tensor_view<7xf4E2M1FN, strides=[1]>>, tile<i32> -> token"""
    arguments = "%o: !cuda_tile.tile<ptr<f4E2M1FN>>, %i: !cuda_tile.tile<ptr<f4E2M1FN>>"
    x = np.array([0x21, 0x43, 0x65, 0x87], np.uint8)
    out = np.full(4, 0xFF, np.uint8)
    run_tile(
        module(arguments, text), [out.view(by_name("f4E2M1FN").dtype), x.view(by_name("f4E2M1FN").dtype)], checked=True
    )
    assert out.tolist() == [0x21, 0x43, 0x65, 0xF7]


def test_updates_through_views() -> None:
    text = """%c0 = constant <i32: 0> : tile<i32> %one = constant <i32: 1> : tile<8xi32>
      %v = make_tensor_view %o, shape = [6], strides = [1] : tensor_view<6xi32, strides=[1]>
      %p = make_partition_view %v : partition_view<tile=(8), tensor_view<6xi32, strides=[1]>>
      %t = atomic_red_view_tko relaxed device %p[%c0], add, %one : tile<8xi32>, partition_view<tile=(8), tensor_view<6xi32, strides=[1]>>, tile<i32> -> token"""
    out = np.zeros(6, np.int32)
    run_tile(module("%o: !cuda_tile.tile<ptr<i32>>", text), [out], (3, 1, 1), checked=True)
    assert out.tolist() == [3] * 6


def test_one_device_is_all_the_copies_there_are() -> None:
    view = "partition_view<tile=(8), tensor_view<8xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>>"
    text = f"""%c0 = constant <i32: 0> : tile<i32> %n = iota : tile<8xi32> %one = constant <i32: 1> : tile<8xi32>
      %v = make_tensor_view %o, shape = [8], strides = [1] : tensor_view<8xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>
      %p = make_partition_view %v : {view}
      %t = multimem_store_view_tko weak %p, %n[%c0] : {view}, tile<8xi32>, tile<i32> -> token
      %u = multimem_reduce_view_tko relaxed device %p, %one[%c0] token = %t : {view}, tile<8xi32>, tile<i32> -> token
      %x, %w = multimem_load_reduce_view_tko weak %p[%c0] token = %u : {view}, tile<i32> -> tile<8xi32>, token
      {pointers("i", 8, "i32", "%n")}
      %z = store_ptr_tko weak %pi, %x : tile<8xptr<i32>>, tile<8xi32> -> token"""
    out, copy = np.zeros(8, np.int32), np.zeros(8, np.int32)
    arguments = "%o: !cuda_tile.tile<ptr<i32, #cuda_tile.ptr_attr<multicast>>>, %i: !cuda_tile.tile<ptr<i32>>"
    run_tile(module(arguments, text), [out, copy], checked=True)
    assert out.tolist() == copy.tolist() == list(range(1, 9))


def test_tf32_has_no_low_bits_wherever_its_bytes_come_from() -> None:
    """It has 19 bits: the other 13 of its four bytes say nothing, to a load as to `unpack`."""
    arguments = ", ".join(
        f"%{name}: !cuda_tile.tile<ptr<{element}>>"
        for name, element in (("l", "tf32"), ("u", "tf32"), ("i", "tf32"), ("b", "i8"))
    )
    body = f"""{LANES} %w = iota : tile<32xi32>
      {pointers("i", 8, "tf32", "%n")} {pointers("l", 8, "tf32", "%n")} {pointers("u", 8, "tf32", "%n")} {pointers("b", 32, "i8", "%w")}
      %x, %t0 = load_ptr_tko weak %pi : tile<8xptr<tf32>> -> tile<8xtf32>, token
      %y, %t1 = load_ptr_tko weak %pb : tile<32xptr<i8>> -> tile<32xi8>, token
      %z = unpack %y : tile<32xi8> -> tile<8xtf32>
      %t2 = store_ptr_tko weak %pl, %x : tile<8xptr<tf32>>, tile<8xtf32> -> token
      %t3 = store_ptr_tko weak %pu, %z : tile<8xptr<tf32>>, tile<8xtf32> -> token"""
    bits = np.array([0x3FC00001, 0x7F801FFF, 0xFFC12345, 0x3F8FFFFF, 0x80001FFF, 0, 0x7F800000, 0x1FFF], np.uint32)
    loaded, unpacked = np.zeros(8, np.float32), np.zeros(8, np.float32)
    run_tile(module(arguments, body), [loaded, unpacked, bits.view(np.float32), bits.copy().view(np.int8)])
    assert (loaded.view(np.uint32) == bits & np.uint32(0xFFFFE000)).all()
    assert (unpacked.view(np.uint32) == loaded.view(np.uint32)).all()
