"""Replays of launches: on arrays that lie where the facts say, and hold what they say; and how a replay ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from freehold.audit import replay as replays
from freehold.audit.facts import Call, Launch, Number, Placed, Tensor, call_of, launch_from
from freehold.audit.replay import arrays_of, ending, replay
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

START = (1 << 44) + 36
GAP = 1 << 16
"""Bytes in front of a memory and behind it, which belong to nobody."""


def made(*given: Placed | float) -> tuple[list[Any], list[Any]]:
    facts = tuple(g.tensor if isinstance(g, Placed) else Number(f"n{n}", g) for n, g in enumerate(given))
    return arrays_of(Call(Launch((1, 1, 1), facts), given, tuple(fact.name for fact in facts)))


def placed(name: str, byte: int, *shape: int, dtype: str = "f32", **more: Any) -> Placed:
    return Placed(Tensor(name, dtype, shape, **more), START + byte)


def test_arrays_lie_where_the_facts_say() -> None:
    """Each memory by itself; those that meet in a byte are in one, also where another of it ends between them."""
    given = [
        *(placed("a", 0, 8), placed("inside", 4, 2), placed("b", 16, 8), placed("beside", 48, 4)),
        *(placed("far", 1 << 20, 3, 5), placed("odd", (1 << 21) + 1, 7, dtype="i8")),
    ]
    values, keep = made(*given)
    assert len(keep) == 4
    for one, each in zip(given, values, strict=True):
        assert each.shape == one.tensor.shape
        assert (each.ctypes.data - one.start) % 4096 == 0, "it is aligned as it was"
        begin, size = next((m.ctypes.data, m.size) for m in keep if np.shares_memory(m, each))
        assert each.ctypes.data - begin >= GAP
        assert begin + size - each.ctypes.data - each.nbytes >= GAP
    first = values[0].ctypes.data
    assert [v.ctypes.data - first for v in values[1:3]] == [4, 16]
    values[0][:] = np.arange(8)
    assert values[1].tolist() == [1, 2]
    assert values[2][:4].tolist() == [4, 5, 6, 7]


@pytest.mark.parametrize(
    ("shape", "strides", "seen"),
    [
        ((2, 3), None, (12, 4)), ((2, 3), (5, 1), (20, 4)), ((3, 2), (1, 3), (4, 12)),
        ((2, 3), (2, 1), None), ((), None, ()),
    ],
)  # fmt: skip
def test_arrays_have_the_strides_of_the_facts(shape: Any, strides: Any, seen: Any) -> None:
    """Where elements are several at once it is all of its memory, in a line."""
    ((found,), _) = made(placed("a", 0, *shape, strides=strides))
    assert (found.shape, found.strides) == ((shape, seen) if seen is not None else ((5,), (4,)))


def test_arrays_hold_what_the_facts_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """Floats of which nothing is said are not all one, unless there are many; integers are zeros."""
    monkeypatch.setattr(replays, "_FILLED", 200)
    table = np.array([[3, 1, 2], [9, 8, 7]])
    (some, many, numbers, known, whole, overlapping), _ = made(
        placed("some", 0, 2, 100), placed("many", 1 << 16, 201), placed("numbers", 2 << 16, 9, dtype="i32"),
        placed("known", 3 << 16, 2, 3, dtype="i32", strides=(4, 1), contents=table),
        placed("whole", 4 << 16, 2, 3, contents=table),
        placed("overlapping", 5 << 16, 2, 3, strides=(2, 1), contents=table),
    )  # fmt: skip
    assert some.min() == 0.5
    assert some.max() < 1.5
    assert np.unique(some).size == 97
    assert (np.diff(some.reshape(-1)) != 0).all()
    assert not many.any()
    assert not numbers.any()
    assert known.dtype == np.int32
    assert known.tolist() == whole.tolist() == table.tolist()
    assert not overlapping.any()


def test_numbers_and_tables_of_arrays() -> None:
    table = Placed(Tensor("t", "i64", (3,), words=("a", 7, "b")), START + (1 << 20))
    (a, b, n, (one, seven, other)), _ = made(placed("a", 0, 4), placed("b", 1 << 18, 4), 5, table)
    assert one is a
    assert other is b
    assert (n, seven) == (5, 7)


ENTRY = """
cuda_tile.module @m {
  entry @k(%x: tile<ptr<f32>>) {
    %t = make_token : token
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %c = constant <f32: 1.0> : tile<f32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %many = constant <i32: 50> : tile<i32>
    for %i in (%zero to %many, step %one) : tile<i32> {
      continue
    }
    %at = offset %x, %b : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %s = store_ptr_tko weak %at, %c token=%t : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
"""


def ready(grid: int, extent: int) -> tuple[Any, Call]:
    module = parse_module(make_context(), ENTRY, "k.mlir")
    (entry,) = (op for op in module.walk() if isinstance(op, EntryOp))
    facts = {"grid": [grid], "arguments": [{"name": "x", "dtype": "f32", "shape": [extent]}]}
    return module, call_of(entry, launch_from(facts))


@pytest.mark.parametrize(("grid", "code"), [(4, ""), (5, "O521")])
def test_how_a_run_ends(grid: int, code: str) -> None:
    module, call = ready(grid, 4)
    assert ending(module, "k", call, 1000) == code
    assert ending(module, "k", call, 20) is None
    found = replay(module, "k", call, [grid - 1], checked=False)
    assert (found.error.code if found.error else found.why) == (code or "the replay went well")
    assert replay(module, "k", call, [0], checked=True).why == "the replay went well"


def test_how_much_is_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    module, call = ready(1, 3 << 18)
    monkeypatch.setattr(replays, "MOST_BYTES", 3 << 20)
    assert replay(module, "k", call, [0], checked=False).why == "the replay went well"
    monkeypatch.setattr(replays, "MOST_BYTES", (3 << 20) - 1)
    assert replay(module, "k", call, [0], checked=False).why == "its arrays have 3 MiB, too much to replay it"
    monkeypatch.setattr(replays, "MOST_BYTES", 3 << 20)
    monkeypatch.setattr(replays, "_MOST_TURNS", 20)
    assert replay(module, "k", call, [0], checked=False).why == "the replay does not come to its end"
