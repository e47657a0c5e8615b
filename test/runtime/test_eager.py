"""`fh.eager`: kernels that run as they are called."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Mut, Ref, f32

X = np.arange(40, dtype=np.float32)


@fh.kernel
def add(y: Mut["N"], x: Ref["N"], bias: Ref["N"] | None = None):
    t = y.load() + x.load_like(y)
    y.store(t if bias is None else t + bias.load_like(y))


@fh.kernel
def scale(y: Mut["N"], a: f32):
    y.store(y.load() * a)


@pytest.fixture(autouse=True)
def off_again() -> Iterator[None]:
    yield
    fh.eager(False)


def test_a_call_is_done_when_it_returns() -> None:
    y = X.copy()
    with fh.eager():
        done: Any = add(fh.partition(y, 16), X)
        np.testing.assert_array_equal(y, 2 * X)
        assert done.value is y
        assert done.sync() is done.on().wait() is y
        assert repr(done).startswith("<`add`, done: array(")
        add(y, X, X)
        scale(y, 0.5)
    np.testing.assert_array_equal(y, 2 * X)
    later = add(fh.partition(y, 16), X)
    np.testing.assert_array_equal(y, 2 * X)
    later.sync()
    np.testing.assert_array_equal(y, 3 * X)


def test_a_switch_holds_until_it_is_turned_off_and_blocks_nest() -> None:
    y = np.zeros(40, np.float32)
    fh.eager()
    scale(y, 2.0)
    add(y, X)
    with fh.eager(False):
        described = add(y, X)
        np.testing.assert_array_equal(y, X)
        described.sync()
    add(y, X)
    fh.eager(False)
    np.testing.assert_array_equal(y, 3 * X)
    add(y, X).sync()
    np.testing.assert_array_equal(y, 4 * X)


def test_chains_and_operations_as_arguments_run_at_once() -> None:
    y, z = np.zeros(40, np.float32), np.zeros(40, np.float32)
    with fh.eager():
        done = add(y, X).then(lambda made: add(fh.partition(z, 16), made)).map(lambda made: made.sum())
        assert done.sync() == X.sum()
        add(z, add(y, X))
    np.testing.assert_array_equal(z, 3 * X)


def test_it_is_awaited_as_well() -> None:
    async def program() -> Any:
        y = np.zeros(40, np.float32)
        with fh.eager():
            return await add(y, X)

    np.testing.assert_array_equal(asyncio.run(program()), X)


def test_other_threads_describe_as_ever() -> None:
    y = np.zeros(40, np.float32)
    seen: list[bool] = []

    def other() -> None:
        launch = add(y, X)
        seen.append(bool((y == 0).all()))
        launch.sync()

    with fh.eager():
        thread = Thread(target=other)
        thread.start()
        thread.join()
    assert seen == [True]


def test_errors_come_at_once_and_leave_all_as_it_was() -> None:
    y = np.zeros(40, np.float32)
    with pytest.raises(fh.Rejected, match="O230"), fh.eager():
        add(fh.partition(y, 16), X[:3])
    described = add(fh.partition(y, 16), X)
    assert (y == 0).all()
    described.sync()


def test_graphs_and_packages_are_not_made_of_what_was_run(tmp_path: Path) -> None:
    y = np.zeros(40, np.float32)
    with fh.eager():
        with pytest.raises(fh.Rejected, match="O243"), fh.graph() as graph:
            graph.record(add(fh.partition(y, 16), X))
        with pytest.raises(fh.Rejected, match="O274"):
            fh.build([add(fh.partition(y, 16), X)], [], tmp_path / "kernels")
