"""Modes of the interpreter, chosen by a block or by the environment, for arrays of several libraries."""

from __future__ import annotations

import asyncio
import importlib
import os
import runpy
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Mut, Out, Raw, Ref, i32
from freehold.runtime.launch import modes

HERE = Path(__file__).parent
GOLDEN = HERE / "modes"
PROGRAM = """
import freehold as fh
from freehold import Acc, Mut, Out, Raw, Ref, f32, i32
import numpy as np


"""


@fh.kernel
def tickets(y: Mut[i32, "N"], counter: Raw[i32, 1]):
    """Counts its blocks, wrongly: two of them may see the same number."""
    with fh.unsafe("one block after the other, or so its author thought"):
        seen = counter.gather(0)
        counter.scatter(seen + 1, 0)
    y.store(y.load() + seen)


@fh.kernel
def order(y: Out[i32, "N"], last: Raw[i32, 1]):
    """Says which block was the last."""
    y.store(fh.zeros(y.tile, i32))
    with fh.unsafe("any of them may be the last"):
        last.atomic_exchange(y.index[0], 0)


def counted(blocks: int = 16) -> int:
    """How many blocks `tickets` counts."""
    y, counter = np.zeros(4 * blocks, np.int32), np.zeros(1, np.int32)
    tickets(fh.partition(y, 4), counter).sync()
    return int(counter[0])


# --- What the modes find ----------------------------------------------------------------------------------------------


def test_adversarial_mode_loses_updates_that_are_not_atomic() -> None:
    assert counted() == 16
    with fh.interpreting("adversarial"):
        assert counted() < 16


def test_a_seed_decides() -> None:
    found: list[int] = []
    for seed in (0, 1, 2, 3, 4, 0):
        with fh.interpreting("adversarial", seed=seed):
            found.append(counted())
    assert found[0] == found[-1]
    assert len({*found}) > 1


def test_blocks_run_in_another_order() -> None:
    lasts: set[int] = set()
    for seed in range(6):
        y, last = np.ones(64, np.int32), np.zeros(1, np.int32)
        with fh.interpreting("adversarial", seed=seed):
            order(fh.partition(y, 4), last).sync()
        assert not y.any()
        lasts.add(int(last[0]))
    assert len(lasts) > 1


@fh.kernel
def publish(y: Mut[i32, "N"], data: Raw[i32, 1], ready: Raw[i32, 1], safe: bool):
    """The first block hands a number to all others, through a flag."""
    with fh.unsafe("the number is there when the flag is, if that is stored with an order"):
        if y.index[0] == 0:
            data.scatter(7, 0)
            if safe:
                ready.scatter(1, 0, order="release", scope="device")
            else:
                ready.scatter(1, 0, order="relaxed", scope="device")
        else:
            flag = ready.gather(0, order="acquire", scope="device")
            y.store(fh.full(y.tile, 0, i32) + flag * 100 + data.gather(0))


def published(safe: bool, seed: int) -> set[int]:
    y, data, ready = np.zeros(32, np.int32), np.zeros(1, np.int32), np.zeros(1, np.int32)
    with fh.interpreting("adversarial", seed=seed):
        publish(fh.partition(y, 1), data, ready, safe).sync()
    return {*y.tolist()}


def test_a_relaxed_store_may_be_seen_before_an_earlier_one() -> None:
    assert any(100 in published(False, seed) for seed in range(40))
    assert not any(100 in published(True, seed) for seed in range(40))


@fh.kernel
def all_at_one(y: Mut[i32, "N"], r: Raw[i32, "M"]):
    with fh.unsafe("any element may stay"):
        r.scatter(fh.arange(8), fh.zeros((8,), i32))
    y.store(y.load())


def test_any_of_equal_elements_stays() -> None:
    found: set[int] = set()
    for seed in range(12):
        r = np.zeros(3, np.int32)
        with fh.interpreting("adversarial", seed=seed):
            all_at_one(fh.partition(np.zeros(4, np.int32), 4), r).sync()
        found.add(int(r[0]))
    assert len(found) > 2


def test_what_is_right_stays_right() -> None:
    @fh.kernel
    def both(y: Out[i32, "N"], total: fh.Acc[i32, 1], x: Ref[i32, "N"]):
        t = x.load_like(y)
        y.store(t + 1)
        total.add_at(t, fh.zeros(y.tile, i32))

    for kind, seed in (("fast", None), ("adversarial", 1), ("adversarial", 2), ("checked", None), ("checked", 5)):
        x = np.arange(100, dtype=np.int32)
        y, total = np.zeros_like(x), np.zeros(1, np.int32)
        with fh.interpreting(kind, seed=seed):  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] -- one of them
            both(fh.partition(y, 8), total, x).sync()
        assert y.tolist() == (x + 1).tolist()
        assert total.tolist() == [x.sum()]


def library() -> list[Any]:
    """The examples' kernels, each with arguments and what NumPy makes of them."""
    sys.path.insert(0, str(HERE.parents[1]))
    try:
        return list(importlib.import_module("examples.kernels").library())
    finally:
        sys.path.pop(0)


@pytest.mark.parametrize("mode", [modes.Mode("adversarial", 1), modes.Mode("checked", 2)], ids=lambda m: m.kind)
@pytest.mark.parametrize("name", [name for name, _ in library()])
def test_no_mode_finds_anything_in_the_library(name: str, mode: modes.Mode) -> None:
    example = dict(library())[name]
    arguments = example.arguments
    with modes.running(mode):
        example.kernel(*arguments).sync()
    for number, expected in example.expected.items():
        found = arguments[number]
        array = getattr(found, "array", found).astype(np.float64)
        wanted = expected.astype(np.float64)
        error = np.linalg.norm(array - wanted) / max(np.linalg.norm(wanted), 1e-30)
        assert error <= max(example.tolerance, 1e-5 if example.tolerance else 0), (name, error)


FINDINGS = {
    "race": """
@fh.kernel
def tickets(y: Mut[i32, "N"], counter: Raw[i32, 1]):
    with fh.unsafe("in the order of the blocks"):
        seen = counter.gather(0)
        counter.scatter(seen + 1, 0)
    y.store(y.load() + seen)


tickets(fh.partition(np.zeros(64, np.int32), 4), np.zeros(1, np.int32)).sync()
""",
    "race_loop": """
@fh.kernel
def pushed(y: Mut[i32, "N"], r: Raw[i32, "M"]):
    with fh.unsafe("each block has rows of its own"):
        for k in range(3):
            r.scatter(k, y.index[0] + 2 * k)
    y.store(y.load())


pushed(fh.partition(np.zeros(16, np.int32), 4), np.zeros(8, np.int32)).sync()
""",
    "race_if": """
@fh.kernel
def ends(y: Mut[i32, "M", "N"], r: Raw[i32, "M", "N"]):
    i, j = y.index
    with fh.unsafe("only at the edge"):
        if i == 0:
            r.scatter(fh.full((2,), 1, i32), fh.zeros((2,), i32), j + fh.arange(2))
    y.store(y.load())


ends(fh.partition(np.zeros((4, 8), np.int32), (2, 1)), np.zeros((4, 8), np.int32)).sync()
""",
    "race_helper": """
def bump(counts, at):
    with fh.unsafe("buckets are visited once"):
        counts.scatter(counts.gather(at) + 1, at)


@fh.kernel
def histogram(y: Mut[i32, "N"], counts: Raw[i32, "B"], x: Ref[i32, "N"]):
    bump(counts, x.load_like(y))
    y.store(y.load())


x = np.array([3, 1, 0, 2, 3, 1, 0, 2], np.int32)
histogram(fh.partition(np.zeros(8, np.int32), 4), np.zeros(4, np.int32), x).sync()
""",
    "outside": """
@fh.kernel
def picked(y: Out[f32, "N"], r: Raw[f32, "M"], at: Ref[i32, "N"]):
    with fh.unsafe("the host has checked the indices"):
        y.store(r.gather(at.load_like(y)))


at = np.array([0, 1, 2, 3, 4, 5, -1, 6], np.int32)
picked(fh.partition(np.zeros(8, np.float32), 4), np.zeros(7, np.float32), at).sync()
""",
    "meet": """
@fh.kernel
def inverse(y: Mut[i32, "N"], r: Raw[i32, "M"], x: Ref[i32, "N"]):
    with fh.unsafe("x is a permutation"):
        r.scatter(y.index[0] * 4 + fh.arange(4), x.load_like(y))
    y.store(y.load())


x = np.array([5, 0, 2, 5, 7, 3, 1, 4], np.int32)
inverse(fh.partition(np.zeros(8, np.int32), 4), np.zeros(8, np.int32), x).sync()
""",
    "misspelt": """
with fh.interpreting("chekced"):
    pass
""",
    "seed": """
with fh.interpreting("adversarial", seed=-1):
    pass
""",
}


@pytest.mark.parametrize("name", FINDINGS)
def test_findings(name: str, golden: Callable[[Path, str], None]) -> None:
    text = PROGRAM + FINDINGS[name].lstrip("\n")
    fh.register_source("train.py", text)
    with fh.interpreting("checked"), pytest.raises(fh.Rejected) as caught:
        exec(compile(text, "train.py", "exec"), {"__name__": "__main__"})
    golden(GOLDEN / f"{name}.err", str(caught.value))


def test_equal_elements_may_meet_if_they_say_the_same() -> None:
    @fh.kernel
    def ones(y: Mut[i32, "N"], r: Raw[i32, 1]):
        with fh.unsafe("they all say the same, and there is one block"):
            r.scatter(fh.full((4,), 1, i32), fh.zeros((4,), i32))
        y.store(y.load())

    r = np.zeros(1, np.int32)
    with fh.interpreting("checked"):
        ones(fh.partition(np.zeros(4, np.int32), 4), r).sync()
    assert r[0] == 1


# --- Who chooses the mode ---------------------------------------------------------------------------------------------


def racy() -> Any:
    return tickets(fh.partition(np.zeros(16, np.int32), 4), np.zeros(1, np.int32))


def test_the_block_ends_and_the_inner_one_counts() -> None:
    assert modes.current() is None
    with fh.interpreting("checked"):
        with fh.interpreting("fast"):
            racy().sync()
        with pytest.raises(fh.Rejected, match="O523"):
            racy().sync()
    assert modes.current() is None
    racy().sync()


def test_the_mode_is_that_of_the_run_not_of_the_call() -> None:
    launch = racy()
    with fh.interpreting("checked"), pytest.raises(fh.Rejected, match="O523"):
        launch.sync()
    with fh.interpreting("checked"):
        launch = racy()
    launch.sync()


def test_threads_have_modes_of_their_own() -> None:
    found: dict[str, Any] = {}
    ready, done = threading.Event(), threading.Event()

    def other() -> None:
        found["before"] = modes.current()
        with fh.interpreting("adversarial", seed=3):
            ready.set()
            done.wait(100)
            found["inside"] = modes.current()

    with fh.interpreting("checked"):
        thread = threading.Thread(target=other)
        thread.start()
        ready.wait(100)
        assert modes.current() == modes.Mode("checked")
        done.set()
        thread.join()
    assert found == {"before": None, "inside": modes.Mode("adversarial", 3)}


def test_tasks_have_modes_of_their_own() -> None:
    async def checked(turns: asyncio.Barrier) -> None:
        with fh.interpreting("checked"):
            await turns.wait()
            with pytest.raises(fh.Rejected, match="O523"):
                await racy()
            await turns.wait()

    async def plain(turns: asyncio.Barrier) -> None:
        await turns.wait()
        assert modes.current() is None
        await racy()
        await turns.wait()

    async def both() -> None:
        turns = asyncio.Barrier(2)
        await asyncio.gather(checked(turns), plain(turns))

    asyncio.run(both())


def test_bound_launches_and_chains() -> None:
    bound = tickets.bind(fh.partition(np.zeros(16, np.int32), 4), np.zeros(1, np.int32))
    bound.sync()
    with fh.interpreting("checked"):
        with pytest.raises(fh.Rejected, match="O523"):
            bound.sync()
        with pytest.raises(fh.Rejected, match="O523"):
            fh.value(1).then(lambda _: racy()).sync()
        late = tickets.bind(fh.partition(np.zeros(16, np.int32), 4), np.zeros(1, np.int32))
    bound.sync()
    late.sync()


def test_packages(tmp_path: Path) -> None:
    y, counter = np.zeros(64, np.int32), np.zeros(1, np.int32)
    fh.build([tickets(fh.partition(y, 4), counter)], [], tmp_path / "kernels")
    loaded = fh.load(tmp_path / "kernels").tickets
    with fh.interpreting("adversarial"):
        loaded(fh.partition(y, 4), counter).sync()
    assert 0 < counter[0] < 16
    with fh.interpreting("checked"), pytest.raises(fh.Rejected, match="O523"):
        loaded(fh.partition(y, 4), counter).sync()


def test_arrays_of_torch() -> None:
    torch: Any = pytest.importorskip("torch")
    y, counter = torch.zeros(64, dtype=torch.int32), torch.zeros(1, dtype=torch.int32)
    with fh.interpreting("checked"), pytest.raises(fh.Rejected, match="O523"):
        tickets(fh.partition(y, 4), counter).sync()
    counter.zero_()
    with fh.interpreting("adversarial"):
        tickets(fh.partition(y, 4), counter).sync()
    assert 0 < int(counter) < 16


def test_tensors_of_ours() -> None:
    y, counter = fh.zeros((64,), i32, device=fh.HOST).sync(), fh.zeros((1,), i32, device=fh.HOST).sync()
    with fh.interpreting("adversarial"):
        tickets(fh.partition(y, 4), counter).sync()
    assert 0 < int(fh.to_numpy(counter)[0]) < 16


def test_arrays_of_jax(capsys: pytest.CaptureFixture[str]) -> None:
    jax: Any = pytest.importorskip("jax")

    @fh.kernel
    def told(y: Out[i32, "N"], x: Ref[i32, "N"]):
        fh.print(y.index[0], end=" ")
        y.store(x.load_like(y))

    x = jax.numpy.arange(64, dtype="int32")
    function = told.as_jax({"y": 4})
    orders: list[str] = []
    for mode in (None, modes.Mode("adversarial", 1)):
        with modes.running(mode):
            assert (function(x) == x).all()
        orders.append(capsys.readouterr().out)
    usual, unusual = (text.split() for text in orders)
    assert usual == [str(n) for n in range(16)]
    assert usual != unusual
    assert sorted(usual) == sorted(unusual)
    y = np.zeros(64, np.int32)
    with fh.interpreting("checked"):
        told(fh.partition(y, 4), x).sync()
    assert y.tolist() == x.tolist()


SCRIPT = """
import numpy as np
import freehold as fh
from freehold import Mut, Raw, i32

@fh.kernel
def tickets(y: Mut[i32, "N"], counter: Raw[i32, 1]):
    with fh.unsafe("in the order of the blocks"):
        seen = counter.gather(0)
        counter.scatter(seen + 1, 0)
    y.store(y.load() + seen)

counter = np.zeros(1, np.int32)
try:
    tickets(fh.partition(np.zeros(64, np.int32), 4), counter).sync()
    print(counter[0])
except fh.Rejected as e:
    print(*e.codes)
"""


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("", "16"),
        ("0", "16"),
        ("1", "16"),
        ("fast", "16"),
        ("adversarial", "lost"),
        ("adversarial,seed=5", "lost"),
        ("checked", "O523"),
        ("checked, seed=2", "O523"),
        ("fast,seed=1", "O245"),
        ("yes", "O245"),
        ("checked,5", "O245"),
        ("checked,seed=", "O245"),
    ],
)
def test_the_environment(
    text: str, printed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "train.py"
    program.write_text(SCRIPT)
    monkeypatch.setenv(modes.VARIABLE, text)
    monkeypatch.setattr(modes, "environment", modes.environment.__wrapped__)  # which reads it once a process
    runpy.run_path(str(program))
    found = capsys.readouterr().out.strip()
    assert found == printed or (printed == "lost" and 0 < int(found) < 16)


def test_the_environment_of_a_new_process(tmp_path: Path) -> None:
    program = tmp_path / "train.py"
    program.write_text(SCRIPT)
    environment = {**os.environ, modes.VARIABLE: "checked"}
    done = subprocess.run([sys.executable, str(program)], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "O523", done.stderr


@pytest.mark.parametrize(
    ("kind", "seed", "mode"),
    [
        ("fast", None, modes.Mode("fast", None)), ("checked", None, modes.Mode("checked", None)),
        ("adversarial", None, modes.Mode("adversarial", 0)), ("adversarial", 0, modes.Mode("adversarial", 0)),
        ("adversarial", 7, modes.Mode("adversarial", 7)), ("checked", 0, modes.Mode("checked", 0)),
        ("fast", 0, None), ("adversarial", -1, None), ("checked", True, None), ("checked", 1.0, None),
        ("slow", None, None),
    ],
)  # fmt: skip
def test_modes_that_there_are(kind: Any, seed: Any, mode: modes.Mode | None) -> None:
    if mode is None:
        with pytest.raises(fh.Rejected) as caught, fh.interpreting(kind, seed=seed):
            pass
        assert caught.value.codes == ("O245",)
        return
    with fh.interpreting(kind, seed=seed):
        assert modes.current() == mode
