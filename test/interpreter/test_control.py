"""Control flow, reductions and scans, printing and assertions, in modules written as text."""

# Lines of IR are as long as they are.
# ruff: noqa: E501

from __future__ import annotations

import numpy as np
import pytest
from evaluate import parse

from freehold.runtime.interpreter import run_tile
from freehold.runtime.interpreter.compile import TooManyTurns
from freehold.runtime.interpreter.launch import Entry
from freehold.support.diagnostic import Rejected


def entry(body: str, arguments: str = "") -> str:
    return (
        f"cuda_tile.module @m {{ cuda_tile.entry @k(%out: !cuda_tile.tile<ptr<i32>>{arguments}) {{ {body} return }} }}"
    )


def scalar(body: str, *arguments: int) -> int:
    """The integer that a kernel stores to its first argument, given further integers as `%a0`, `%a1`."""
    out = np.zeros(1, np.int32)
    more = "".join(f", %a{n}: !cuda_tile.tile<i32>" for n in range(len(arguments)))
    store = "%t = store_ptr_tko weak %out, %r : tile<ptr<i32>>, tile<i32> -> token"
    run_tile(parse(entry(f"{body} {store}", more)), [out, *arguments])
    return int(out[0])


CONSTANTS = "%c0 = constant <i32: 0> : tile<i32> %c1 = constant <i32: 1> : tile<i32>"


@pytest.mark.parametrize(("low", "high", "step"), [(0, 10, 1), (3, 20, 4), (5, 5, 1), (7, 2, 1), (-4, 4, 3)])
def test_for_counts_and_carries(low: int, high: int, step: int) -> None:
    found = scalar(
        """%c0 = constant <i32: 0> : tile<i32>
        %r = for %i in (%a0 to %a1, step %a2) : tile<i32> iter_values(%s = %c0) -> (tile<i32>) {
          %n = addi %s, %i : tile<i32>
          continue %n : tile<i32>
        }""",
        low, high, step,
    )  # fmt: skip
    assert found == sum(range(low, high, step))


def test_for_swaps_carried_values_at_once() -> None:
    found = scalar(
        f"""{CONSTANTS}
        %r, %z = for %i in (%c0 to %a0, step %c1) : tile<i32> iter_values(%a = %c0, %b = %c1) -> (tile<i32>, tile<i32>) {{
          %n = addi %a, %b : tile<i32>
          continue %b, %n : tile<i32>, tile<i32>
        }}""",
        10,
    )
    assert found == 55


def test_for_may_count_unsigned() -> None:
    found = scalar(
        """%c0 = constant <i32: 0> : tile<i32> %c1 = constant <i32: 1> : tile<i32>
        %r = for unsigned %i in (%a0 to %a1, step %c1) : tile<i32> iter_values(%s = %c0) -> (tile<i32>) {
          %n = addi %s, %i : tile<i32>
          continue %n : tile<i32>
        }""",
        2**31 - 2, 2**31 + 1,
    )  # fmt: skip
    assert found % 2**32 == sum(range(2**31 - 2, 2**31 + 1)) % 2**32


LOOP = f"""{CONSTANTS}
  %r = loop iter_values(%i = %c0, %s = %c0) : tile<i32>, tile<i32> -> tile<i32> {{
    %end = cmpi greater_than_or_equal %i, %a0, signed : tile<i32> -> tile<i1>
    if %end {{ break %s : tile<i32> }}
    %next = addi %i, %c1 : tile<i32>
    %odd = andi %i, %c1 : tile<i32>
    %is = cmpi equal %odd, %c1, signed : tile<i32> -> tile<i1>
    if %is {{ continue %next, %s : tile<i32>, tile<i32> }}
    %sum = addi %s, %i : tile<i32>
    continue %next, %sum : tile<i32>, tile<i32>
  }}"""


@pytest.mark.parametrize("n", [0, 1, 9])
def test_loops_break_and_continue_inside_branches(n: int) -> None:
    assert scalar(LOOP, n) == sum(i for i in range(n) if i % 2 == 0)


def test_loops_nest_and_carry_each_other() -> None:
    """The inner loop's result is what the outer one hands on, and the branch yields another loop's."""
    body = f"""{CONSTANTS} %c2 = constant <i32: 2> : tile<i32>
      %r = for %i in (%c0 to %a0, step %c1) : tile<i32> iter_values(%s = %c0) -> (tile<i32>) {{
        %inner = for %j in (%c0 to %i, step %c1) : tile<i32> iter_values(%t = %s) -> (tile<i32>) {{
          %u = addi %t, %j : tile<i32>
          continue %u : tile<i32>
        }}
        %big = cmpi greater_than %i, %c2, signed : tile<i32> -> tile<i1>
        %next = if %big -> (tile<i32>) {{
          %last = for %k in (%c0 to %c2, step %c1) : tile<i32> iter_values(%w = %inner) -> (tile<i32>) {{
            %x = addi %w, %c1 : tile<i32>
            continue %x : tile<i32>
          }}
          yield %last : tile<i32>
        }} else {{
          yield %inner : tile<i32>
        }}
        continue %next : tile<i32>
      }}"""
    wanted = 0
    for i in range(6):
        wanted += sum(range(i)) + (2 if i > 2 else 0)
    assert scalar(body, 6) == wanted


@pytest.mark.parametrize("text", ["for", "loop", "nested"])
def test_a_run_may_take_so_many_turns_of_loops(text: str) -> None:
    """All together: of a loop inside another one, each turn counts."""
    inner = "for %j in (%c0 to %c2, step %c1) : tile<i32> { continue }" if text == "nested" else ""
    body = f"for %i in (%c0 to %n, step %c1) : tile<i32> {{ {inner} continue }}"
    if text == "loop":
        body = """loop iter_values(%i = %c0) : tile<i32> {
          %end = cmpi equal %i, %n, signed : tile<i32> -> tile<i1> if %end { break }
          %next = addi %i, %c1 : tile<i32> continue %next : tile<i32> }"""
    constants = " ".join(f"%c{n} = constant <i32: {n}> : tile<i32>" for n in range(3))
    module = parse(f"cuda_tile.module @m {{ cuda_tile.entry @k(%n: tile<i32>) {{ {constants} {body} return }} }}")
    needed = {"for": 4, "loop": 5, "nested": 4 * 3}[text]  # the turn that leaves it is one
    Entry.of(module, turns=needed).run([4])
    with pytest.raises(TooManyTurns):
        Entry.of(module, turns=needed - 1).run([4])


def test_branches_yield() -> None:
    body = """%p = cmpi less_than %a0, %a1, signed : tile<i32> -> tile<i1>
      %r = if %p -> (tile<i32>) { yield %a0 : tile<i32> } else { yield %a1 : tile<i32> }"""
    assert scalar(body, 3, 7) == 3
    assert scalar(body, 9, 7) == 7


def test_return_leaves_the_kernel_from_a_branch() -> None:
    module = parse(
        entry(
            """%p = cmpi less_than %n, %n2, signed : tile<i32> -> tile<i1>
            if %p { return }
            %t = store_ptr_tko weak %out, %n : tile<ptr<i32>>, tile<i32> -> token""",
            ", %n: !cuda_tile.tile<i32>, %n2: !cuda_tile.tile<i32>",
        )
    )
    out = np.zeros(1, np.int32)
    run_tile(module, [out, 3, 4])
    assert out[0] == 0
    run_tile(module, [out, 5, 4])
    assert out[0] == 5


def reduced(shape: str, result: str, op: str, tile: np.ndarray, *, scan: str = "", element: str = "i32") -> np.ndarray:
    """What `op` on two tiles of the shape `%x` leaves, stored to the first argument."""
    kind = {"i32": np.int32, "f32": np.float32, "f16": np.float16}[element]
    dims = [int(n) for n in result.split("x")]
    out, flat = np.zeros(dims, kind), np.ascontiguousarray(tile).astype(kind)
    rank_in, rank_out = shape.count("x") + 1, len(dims)
    text = f"""cuda_tile.module @m {{ cuda_tile.entry @k(%o: !cuda_tile.tile<ptr<{element}>>, %p: !cuda_tile.tile<ptr<{element}>>) {{
      %pv = make_tensor_view %p, shape = [{shape.replace("x", ", ")}], strides = {strides(shape)} : tensor_view<{shape}x{element}, strides={strides(shape)}>
      %pt = make_partition_view %pv : partition_view<tile=({shape}), tensor_view<{shape}x{element}, strides={strides(shape)}>>
      %c0 = constant <i32: 0> : tile<i32>
      %x, %t0 = load_view_tko weak %pt[{", ".join(["%c0"] * rank_in)}] : partition_view<tile=({shape}), tensor_view<{shape}x{element}, strides={strides(shape)}>>, tile<i32> -> tile<{shape}x{element}>, token
      {op}
      %ov = make_tensor_view %o, shape = [{result.replace("x", ", ")}], strides = {strides(result)} : tensor_view<{result}x{element}, strides={strides(result)}>
      %ot = make_partition_view %ov : partition_view<tile=({result}), tensor_view<{result}x{element}, strides={strides(result)}>>
      %t1 = store_view_tko weak %r, %ot[{", ".join(["%c0"] * rank_out)}] : tile<{result}x{element}>, partition_view<tile=({result}), tensor_view<{result}x{element}, strides={strides(result)}>>, tile<i32> -> token
      return }} }}"""
    del scan
    run_tile(parse(text), [out, flat])
    return out


def strides(shape: str) -> str:
    dims = [int(n) for n in shape.split("x")]
    found = [int(np.prod(dims[n + 1 :])) for n in range(len(dims))]
    return "[" + ",".join(map(str, found)) + "]"


def combiner(body: str, element: str = "i32") -> str:
    return f"(%l: tile<{element}>, %q: tile<{element}>) {{ {body} : tile<{element}> yield %v : tile<{element}> }}"


X = np.random.default_rng(3).integers(-50, 50, (8, 16))


@pytest.mark.parametrize(
    ("body", "ufunc"),
    [("%v = addi %l, %q", np.add), ("%v = maxi %l, %q signed", np.maximum), ("%v = xori %l, %q", np.bitwise_xor)],
)
@pytest.mark.parametrize("axis", [0, 1])
def test_reductions_of_integers(body: str, ufunc: np.ufunc, axis: int) -> None:
    result = ["16", "8"][axis]
    op = f"%r = reduce %x dim={axis} identities=[0 : i32] : tile<8x16xi32> -> tile<{result}xi32> {combiner(body)}"
    assert np.array_equal(reduced("8x16", result, op, X), ufunc.reduce(X, axis=axis))


@pytest.mark.parametrize("element", ["f32", "f16"])
@pytest.mark.parametrize(
    ("name", "identity", "ufunc"),
    [("addf", "0.0", np.add), ("mulf", "1.0", np.multiply), ("maxf", "-1000.0", np.maximum)],
)
def test_reductions_of_floats(element: str, name: str, identity: str, ufunc: np.ufunc) -> None:
    x = np.random.default_rng(4).uniform(0.5, 1.5, (8, 16)).astype(np.float16)
    body = combiner(f"%v = {name} %l, %q", element)
    op = f"%r = reduce %x dim=1 identities=[{identity} : {element}] : tile<8x16x{element}> -> tile<8x{element}> {body}"
    found = reduced("8x16", "8", op, x, element=element)
    wanted = ufunc.reduce(x.astype(np.float64), axis=1)
    np.testing.assert_allclose(found, wanted, rtol=5e-3 if element == "f16" else 1e-6)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
def test_scans(axis: int, reverse: bool) -> None:
    body = combiner("%v = addi %l, %q")
    op = (
        f"%r = scan %x dim={axis} reverse={str(reverse).lower()} identities=[0 : i32] : tile<8x16xi32> -> "
        f"tile<8x16xi32> {body}"
    )
    wanted = np.flip(np.add.accumulate(np.flip(X, axis), axis), axis) if reverse else np.add.accumulate(X, axis)
    assert np.array_equal(reduced("8x16", "8x16", op, X), wanted)


@pytest.mark.parametrize(("mode", "up", "down"), [
    ("nearest_even", 0, 0), ("zero", 0, -1), ("negative_inf", 0, -1), ("positive_inf", 1, 0),
])  # fmt: skip
@pytest.mark.parametrize("how", ["reduce", "scan"])
def test_sums_are_rounded_as_they_say(how: str, mode: str, up: int, down: int) -> None:
    """Of 1 and numbers that are too small to change it, where nothing is rounded away from it."""
    body, result = combiner(f"%v = addf %l, %q rounding<{mode}>", "f32"), "2" if how == "reduce" else "2x8"
    small = 2.0**-30
    op = f"%r = {how} %x dim=1 {'' if how == 'reduce' else 'reverse=false '}identities=[0.0 : f32] : tile<2x8xf32> -> "
    found = reduced(
        "2x8",
        result,
        f"{op}tile<{result}xf32> {body}",
        np.array([[1, *[n] * 7] for n in (small, -small)]),
        element="f32",
    )
    assert np.sign(found.reshape(2, -1)[:, -1] - 1).tolist() == [up, down]


@pytest.mark.parametrize(("how", "wanted"), [("reduce", [[5] * 4]), ("scan", [[5] * 4] * 4)])
def test_what_combines_may_be_a_constant(how: str, wanted: list[list[int]]) -> None:
    result, turned = ("1x4", "4") if how == "reduce" else ("4x4", "4x4")
    body = "(%l: tile<i32>, %q: tile<i32>) { %v = constant <i32: 5> : tile<i32> yield %v : tile<i32> }"
    op = f"%s = {how} %x dim=0 {'' if how == 'reduce' else 'reverse=false '}identities=[5 : i32] : tile<4x4xi32> -> tile<{turned}xi32> {body}"
    made = f"{op} %r = reshape %s : tile<{turned}xi32> -> tile<{result}xi32>"
    assert reduced("4x4", result, made, np.arange(16).reshape(4, 4)).tolist() == wanted


def test_several_operands_reduce_together() -> None:
    """The place of the largest element: a combiner of two values with a branch, which runs pair by pair."""
    op = """%i = iota : tile<16xi32>
      %m, %r1 = reduce %xx, %i dim=0 identities=[-2147483648 : i32, 0 : i32]
          : tile<16xi32>, tile<16xi32> -> tile<i32>, tile<i32>
          (%l: tile<i32>, %q: tile<i32>, %li: tile<i32>, %qi: tile<i32>) {
        %c = cmpi greater_than_or_equal %l, %q, signed : tile<i32> -> tile<i1>
        %v, %w = if %c -> (tile<i32>, tile<i32>) {
          yield %l, %li : tile<i32>, tile<i32>
        } else {
          yield %q, %qi : tile<i32>, tile<i32>
        }
        yield %v, %w : tile<i32>, tile<i32>
      }
      %r = reshape %r1 : tile<i32> -> tile<1xi32>"""
    x = np.array([3, 9, -1, 4, 9, 2, 0, 1, 8, 7, 6, 5, 4, 3, 2, 1])
    found = reduced("16", "1", op.replace("%xx", "%x"), x)
    assert found[0] == 1
    branchless = op.replace("%xx", "%x").replace(
        """%v, %w = if %c -> (tile<i32>, tile<i32>) {
          yield %l, %li : tile<i32>, tile<i32>
        } else {
          yield %q, %qi : tile<i32>, tile<i32>
        }""",
        """%v = select %c, %l, %q : tile<i1>, tile<i32>
        %w = select %c, %li, %qi : tile<i1>, tile<i32>""",
    )
    assert reduced("16", "1", branchless, x)[0] == 1


def test_printing() -> None:
    lines: list[str] = []
    module = parse(
        entry(
            """%i = iota : tile<4xi32> %h = constant <f16: 0.5> : tile<2xf16>
            %t = print_tko "n = %d, all %+03d %% %.2f\\0A", %n, %i, %h : tile<i32>, tile<4xi32>, tile<2xf16> -> token""",
            ", %n: !cuda_tile.tile<i32>",
        )
    )
    run_tile(module, [np.zeros(1, np.int32), -7], (2, 1, 1), write=lines.append)
    assert lines == ["n = -7, all [+00, +01, +02, +03] % [0.50, 0.50]\n"] * 2


def test_assertions_name_their_line_and_block() -> None:
    module = parse(
        entry(
            """%x, %y, %z = get_tile_block_id : tile<i32>
            %ok = cmpi less_than %x, %n, signed : tile<i32> -> tile<i1>
            assert %ok, "too many blocks" : tile<i1>""",
            ", %n: !cuda_tile.tile<i32>",
        )
    )
    run_tile(module, [np.zeros(1, np.int32), 2], (2, 1, 1))
    with pytest.raises(Rejected) as refused:
        run_tile(module, [np.zeros(1, np.int32), 2], (3, 1, 1))
    (error,) = refused.value.errors
    assert error.code == "O526"
    assert error.report().title == "assertion failed: too many blocks"
    assert error.report().label == "false in block 2"


@pytest.mark.parametrize("order", ["increasing", "decreasing", 5])
def test_the_grid_is_covered_in_any_order(order: str | int) -> None:
    module = parse(
        entry(
            """%x, %y, %z = get_tile_block_id : tile<i32>
            %nx, %ny, %nz = get_num_tile_blocks : tile<i32>
            %a = muli %z, %ny : tile<i32> %b = addi %a, %y : tile<i32>
            %c = muli %b, %nx : tile<i32> %d = addi %c, %x : tile<i32>
            %p = offset %out, %d : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
            %t = store_ptr_tko weak %p, %d : tile<ptr<i32>>, tile<i32> -> token"""
        )
    )
    out = np.full(24, -1, np.int32)
    run_tile(module, [out], (2, 3, 4), order=order, checked=True)
    assert out.tolist() == list(range(24))


ASSUMPTIONS = [
    ("div_by<16>", [16, -32, 0, 48], [16, 8, 0, 48]),
    ("div_by<4, every 2 along 0>", [4, 5, 8, 9], [4, 6, 8, 9]),
    ("same_elements<[2]>", [1, 1, 5, 5], [1, 1, 5, 6]),
    ("bounded<0, ?>", [0, 1, 2, 3], [0, -1, 2, 3]),
    ("bounded<?, 3>", [-9, 1, 2, 3], [0, 4, 2, 3]),
]


@pytest.mark.parametrize(("predicate", "good", "bad"), ASSUMPTIONS)
def test_assumptions_are_held_to_in_checked_mode(predicate: str, good: list[int], bad: list[int]) -> None:
    body = f"""%i = iota : tile<4xi32> %b = reshape %out : tile<ptr<i32>> -> tile<1xptr<i32>>
      %bb = broadcast %b : tile<1xptr<i32>> -> tile<4xptr<i32>>
      %p = offset %bb, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
      %x, %t = load_ptr_tko weak %p : tile<4xptr<i32>> -> tile<4xi32>, token
      %y = assume {predicate}, %x : tile<4xi32>"""
    module = parse(entry(body))
    run_tile(module, [np.array(good, np.int32)], checked=True)
    run_tile(module, [np.array(bad, np.int32)])
    with pytest.raises(Rejected) as refused:
        run_tile(module, [np.array(bad, np.int32)], checked=True)
    assert refused.value.codes == ("O528",)


@pytest.mark.parametrize("branches", [1, 2, 3])
@pytest.mark.parametrize(("end", "found"), [("break", 3), ("continue", 7 - 3)])
def test_a_branch_may_hold_the_end_of_a_turn_and_nothing_else(end: str, found: int, branches: int) -> None:
    """Of seven turns: it ends in the third, or counts all but three of them."""
    when = "%many" if end == "break" else "%few"
    body = f"""{CONSTANTS} %c3 = constant <i32: 3> : tile<i32> %c7 = constant <i32: 7> : tile<i32>
        %r, %last = loop iter_values(%s = %c0, %i = %c0) : tile<i32>, tile<i32> -> tile<i32>, tile<i32> {{
          %done = cmpi greater_than_or_equal %i, %c7, signed : tile<i32> -> tile<i1>
          if %done {{
            break %s, %i : tile<i32>, tile<i32>
          }}
          %j = addi %i, %c1 : tile<i32>
          %few = cmpi less_than_or_equal %j, %c3, signed : tile<i32> -> tile<i1>
          %many = cmpi greater_than_or_equal %i, %c3, signed : tile<i32> -> tile<i1>
          {f"if {when} {{" * branches} {end} %s, %j : tile<i32>, tile<i32> {"}" * branches}
          %n = addi %s, %c1 : tile<i32>
          continue %n, %j : tile<i32>, tile<i32>
        }}"""
    assert scalar(body) == found
