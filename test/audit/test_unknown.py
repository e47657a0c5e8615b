"""What the facts of a launch do not decide: it is said, with the fact that would decide it, and never called safe."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("cuda.tile", reason="cuda-tile is not installed")

import planted
from planted import Made, T, array, ct

from freehold.audit import cells, page, sarif, straight, verdict
from freehold.audit.facts import launch_from
from freehold.audit.text import text_of
from freehold.audit.verdict import Audit, audit
from freehold.backend.bytecode.reader import read_bytecode
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.support.span import SourceMap
from freehold.tools import files

TABLE = {"name": "x", "dtype": "i32", "shape": [256]}


def audited(kernel: Any, grid: int, *arguments: dict[str, Any]) -> Audit:
    made = Made(kernel, (grid,), arguments)
    module = read_bytecode(made.bytecode())
    (entry,) = (op for op in module.walk() if isinstance(op, EntryOp))
    return audit(module, entry, launch_from(made.facts))


def locked(lock: Any, y: Any) -> None:
    while ct.atomic_cas(lock, 0, 0, 1, memory_order=ct.MemoryOrder.ACQUIRE) == 1:
        pass
    ct.store(y, (0,), ct.load(y, (0,), (T,)) + 1)
    ct.atomic_xchg(lock, 0, 0, memory_order=ct.MemoryOrder.RELEASE)


def relaxed_lock(lock: Any, y: Any) -> None:
    while ct.atomic_cas(lock, 0, 0, 1, memory_order=ct.MemoryOrder.RELAXED) == 1:
        pass
    ct.store(y, (0,), ct.load(y, (0,), (T,)) + 1)
    ct.atomic_xchg(lock, 0, 0, memory_order=ct.MemoryOrder.RELAXED)


def chosen(x: Any, y: Any) -> None:
    i = ct.bid(0)
    if ct.load(x, (i,), (1,)).item() > 0:
        ct.store(y, (i,), ct.full((T,), 1.0, ct.float32))
    else:
        ct.store(y, (i,), ct.full((T,), 2.0, ct.float32))


def chosen_place(x: Any, y: Any) -> None:
    i = ct.bid(0)
    if ct.load(x, (i,), (1,)).item() > 0:
        ct.store(y, (i,), ct.full((T,), 1.0, ct.float32))
    else:
        ct.store(y, (0,), ct.full((T,), 2.0, ct.float32))


def as_long(x: Any, y: Any) -> None:
    i = ct.bid(0)
    acc = ct.zeros((T,), ct.float32)
    for _ in range(ct.load(x, (i,), (1,)).item()):
        acc = acc + ct.load(y, (i,), (T,))
        ct.store(y, (i,), acc)


def as_far(x: Any, y: Any) -> None:
    for k in range(ct.load(x, (ct.bid(0),), (1,)).item()):
        ct.store(y, (k,), ct.full((T,), 1.0, ct.float32))


def counted(x: Any, y: Any) -> None:
    at = ct.load(x, (ct.bid(0),), (T,))
    ct.atomic_add(y, at, 1.0)


def looked_up(x: Any, y: Any) -> None:
    i = ct.bid(0)
    ct.store(y, (i,), ct.gather(x, ct.load(x, (i,), (T,))).astype(ct.float32))


@pytest.mark.parametrize("kernel", [chosen, as_long, counted, looked_up])
def test_what_is_safe_whatever_memory_holds_is_safe(kernel: Any) -> None:
    found = audited(kernel, 4, TABLE, array("y", 256))
    assert found.verdict == "safe", (found.findings, found.open)


@pytest.mark.parametrize("kernel", [planted.permuted, planted.permuted_elements, planted.ragged, chosen_place, as_far])
def test_what_depends_on_memory_is_not_decided(kernel: Any) -> None:
    found = audited(kernel, 4, TABLE, array("y", 256))
    assert found.verdict == "unknown"
    assert "contents of `x`" in {item.fact for item in found.open}


LOCK = {"name": "lock", "dtype": "i32", "shape": [1]}


def test_blocks_that_wait_for_one_another_are_not_decided() -> None:
    found = audited(locked, 4, LOCK, array("y", 64))
    assert found.verdict == "unknown"


def test_a_lock_that_orders_nothing_is_none() -> None:
    found = audited(relaxed_lock, 4, LOCK, array("y", 64))
    assert [finding.error.code for finding in found.findings] == ["O523"]


def test_elements_beside_one_another_are_compared_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "MOST_CELLS", 1 << 10)
    line = array("x", 1 << 20), array("y", 1 << 20)
    assert audited(planted.apart, 512, *line).verdict == "safe"


def test_a_launch_that_is_too_large_is_not_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "MOST_CELLS", 1 << 8)
    line = array("x", 1 << 20), array("y", 1 << 20)
    found = audited(planted.apart, 512, *line)
    assert found.verdict == "unknown"
    assert {"a launch of the same kind, but smaller"} == {item.fact for item in found.open}


def of_even(x: Any, y: Any) -> None:
    i = ct.bid(0)
    if i % 2 == 0:
        ct.store(y, (i,), ct.load(x, (i,), (T,)))


def of_small(x: Any, y: Any) -> None:
    at = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(y, at, ct.gather(x, at))


@pytest.mark.parametrize(
    ("kernel", "grid", "told"),
    [
        (of_even, 8, "4 of 8 tile blocks write nothing: 1, 3, 5, 7"),
        (of_small, 9, "1 of 9 tile blocks writes nothing: 8"),
        (of_small, 20, "12 of 20 tile blocks write nothing: 8, 9, 10, 11, ..."),
        (of_small, 8, ""),
        (planted.every_tile, 8, ""),
    ],
)
def test_tile_blocks_that_write_nothing_are_told_of(kernel: Any, grid: int, told: str) -> None:
    found = audited(kernel, grid, array("x", 500), array("y", 500))
    assert (found.verdict, found.dead) == ("safe", told)
    assert told in text_of(found)
    assert told in str(sarif.log([found], "file"))
    assert told in page.page([found], "title")
    assert sarif.plain(found)["dead_blocks"] == told


def test_of_tile_blocks_that_may_write_it_is_not_said_that_they_do_not() -> None:
    made = audited(chosen, 4, TABLE, array("y", 256))
    assert made.dead == ""


WRAPPING = """
cuda_tile.module @m {
  entry @wrapping(%y: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_token : token
    %c = constant <f32: 1.0> : tile<f32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %most = constant <i32: 2147483647> : tile<i32>
    %end = for %i in (%one to %n, step %one) : tile<i32> iter_values(%before = %t) -> (token) {
      %far = addi %most, %i overflow<no_signed_wrap> : tile<i32>
      %p = offset %y, %far : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
      %done = store_ptr_tko weak %p, %c token=%before : tile<ptr<f32>>, tile<f32> -> token
      continue %done : token
    }
    return
  }
}
"""


UNORDERED = """
cuda_tile.module @m {
  entry @unordered(%y: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_token : token
    %c = constant <f32: 1.0> : tile<f32>
    %one = constant <i32: 1> : tile<i32>
    for %i in (%one to %n, step %one) : tile<i32> {
      %read, %loaded = load_ptr_tko weak %y token=%t : tile<ptr<f32>> -> tile<f32>, token
      %stored = store_ptr_tko weak %y, %c token=%t : tile<ptr<f32>>, tile<f32> -> token
      continue
    }
    return
  }
}
"""


@pytest.mark.parametrize(("text", "codes"), [(WRAPPING, ["O528"]), (UNORDERED, ["O525"])])
def test_what_is_wrong_in_every_turn_of_a_loop_is_not_replayed_for_each(
    text: str, codes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    module = files.read_module(text.encode(), "kernel.mlir", "test", SourceMap())
    (entry,) = (op for op in module.walk() if isinstance(op, EntryOp))
    replays: list[object] = []
    real: Any = verdict.replay

    def counted(*given: Any, **more: Any) -> Any:
        replays.append(given)
        return real(*given, **more)

    monkeypatch.setattr(verdict, "replay", counted)
    found = audit(module, entry, launch_from({"grid": [1], "arguments": [array("y", 8), {"name": "n", "value": 500}]}))
    assert [finding.error.code for finding in found.findings] == codes
    assert len(replays) < 10


def test_a_loop_of_very_many_turns_is_walked_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """An access costs more than another operation: it is looked at again by all that comes after the walk."""
    module = files.read_module(WRAPPING.encode(), "kernel.mlir", "test", SourceMap())
    (entry,) = (op for op in module.walk() if isinstance(op, EntryOp))
    taken: list[object] = []
    real: Any = straight.Access

    def counted(*given: Any) -> Any:
        taken.append(given)
        return real(*given)

    monkeypatch.setattr(straight, "Access", counted)
    monkeypatch.setattr(straight, "MOST_WORK", 8000)
    turns = {"name": "n", "value": 1400}
    found = audit(module, entry, launch_from({"grid": [1], "arguments": [array("y", 8), turns]}))
    assert len(taken) < 1000
    assert found.verdict != "safe"
    assert {("the launch is too large to be walked", "a launch of the same kind, but smaller")} <= {
        (item.why, item.fact) for item in found.open
    }


RACY = """
cuda_tile.module @m {
  entry @racy(%y: tile<ptr<i32>>) {
    %x, %b, %c = get_tile_block_id : tile<i32>
    %t = make_token : token
    %done = store_ptr_tko weak %y, %x token=%t : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
"""


@pytest.mark.parametrize("dtype", ["i32", "u32", "f32"])
def test_an_array_of_other_elements_of_their_size_is_replayed_as_well(dtype: str) -> None:
    """Memory has no dtype: a kernel of integers may be given floats."""
    module = files.read_module(RACY.encode(), "kernel.mlir", "test", SourceMap())
    (entry,) = (op for op in module.walk() if isinstance(op, EntryOp))
    given = {"name": "y", "dtype": dtype, "shape": [8]}
    assert audit(module, entry, launch_from({"grid": [1], "arguments": [given]})).verdict == "safe"
    assert audit(module, entry, launch_from({"grid": [2], "arguments": [given]})).verdict == "faulty"
