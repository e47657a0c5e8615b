"""Kernels copied, pickled, and sent to other processes, however these are started."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import sys
from importlib import import_module
from pathlib import Path
from subprocess import run
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Out, Ref, f32
from freehold.support import dtypes

PROGRAM = """
import multiprocessing
import sys

import numpy as np
from kernels_here import double, half, hinted

import freehold as fh


def work(kernel):
    y = np.zeros(100, np.float32)
    kernel(fh.partition(y, 64), np.ones(100, np.float32)).sync()
    return float(y.sum())


if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        print(pool.map(work, [double, half, hinted]))
"""

KERNELS = """
import freehold as fh
from freehold import Out, Ref


@fh.kernel
def double(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) * 2.0)


@fh.kernel(partition=32, math="fast")
def half(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) / 2.0)


hinted = double.with_hints(occupancy=2)
"""


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (tmp_path / "kernels_here.py").write_text(KERNELS)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, "kernels_here", raising=False)
    yield import_module("kernels_here")
    del sys.modules["kernels_here"]


def test_a_copy_of_a_kernel_is_the_kernel(made: Any) -> None:
    assert copy.deepcopy({"a": made.double})["a"] is made.double
    assert copy.copy(made.double) is made.double


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_a_dtype_stays_the_one_that_it_is(dtype: fh.DType) -> None:
    """Kernels compare them by `is`, as they do enumerations."""
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    assert copy.deepcopy({"a": dtype})["a"] is dtype


@pytest.mark.parametrize("taken", [copy.copy, copy.deepcopy, pickle.dumps])
def test_what_is_of_an_array_is_made_where_it_is_used(taken: Any, made: Any) -> None:
    cut = fh.partition(np.zeros(8, np.float32), 8)
    launch = made.double(cut, np.ones(8, np.float32))
    with pytest.raises(fh.Rejected, match="send the array and the tile"):
        taken(cut)
    with pytest.raises(fh.Rejected, match="send the kernel and its arrays"):
        taken(launch)
    launch.sync()


def test_a_kernel_is_pickled_by_its_name(made: Any) -> None:
    assert pickle.loads(pickle.dumps(made.double)) is made.double
    assert pickle.loads(pickle.dumps(made.half)) is made.half
    again = pickle.loads(pickle.dumps(made.hinted))
    assert again.options == made.hinted.options != made.double.options
    assert again.__wrapped__ is made.double.__wrapped__


def test_a_kernel_without_a_name_of_its_own_is_not_pickled() -> None:
    @fh.kernel
    def inner(y: Out[f32, "N"], x: Ref["N"]):
        y.store(fh.zeros(y.tile, f32))

    with pytest.raises(pickle.PicklingError, match=r"`inner` is not found as .* define it there, outside of functions"):
        pickle.dumps(inner)


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_kernels_in_other_processes(method: str, tmp_path: Path) -> None:
    (tmp_path / "kernels_here.py").write_text(KERNELS)
    (tmp_path / "program.py").write_text(PROGRAM)
    ran = run([sys.executable, "program.py", method], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.stdout == "[200.0, 50.0, 200.0]\n", ran.stderr
