"""Bound launches on the interpreter; those on the stub driver are in stub_deployment.py."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Mut, Ref, f32

HERE = Path(__file__).parent


@fh.kernel
def saxpy(y: Mut["N"], x: Ref["N"], a: f32 = 1.0):  # pyright: ignore[reportArgumentType] -- a number
    y.store(a * x.load_like(y) + y.load())


def ones(n: int = 100) -> Any:
    return np.ones(n, np.float32)


def test_it_runs_again_and_again() -> None:
    y, x = ones(), ones()
    bound = saxpy.bind(fh.partition(y, 64), x, a=2.0)
    assert repr(bound) == "<bound launch of saxpy>"
    assert bound.sync() is y
    assert bound.on().wait() is y
    assert (y == 5).all()
    assert bound().sync() is y
    assert (y == 7).all()


def test_everything_is_checked_when_it_is_bound() -> None:
    y = ones()
    for arguments, code in (((fh.partition(y, 64), y), "O201"), ((y, y), "O201"), ((), "O210")):
        with pytest.raises(fh.Rejected) as caught:
            saxpy.bind(*arguments)
        assert caught.value.codes == (code,)


def test_rebinding() -> None:
    y, x, z = ones(), ones(), ones()
    bound = saxpy.bind(fh.partition(y, 64), x)
    assert bound.rebind(y=z, a=3.0) is bound
    assert bound.sync() is z
    assert (y == 1).all()
    assert (z == 4).all()
    bound.rebind(y=fh.partition(y, 32), x=ones() * 5).sync()
    assert (y == 16).all()
    with pytest.raises(fh.Rejected) as caught:
        bound.rebind(x=ones(99))
    assert caught.value.codes == ("O230",)
    with pytest.raises(fh.Rejected) as caught:
        bound.rebind(w=ones())
    assert caught.value.codes == ("O210",)
    bound.sync()
    assert (y == 31).all()


def test_empty_arrays_are_bound_as_they_are_launched() -> None:
    """A launch that writes nothing does nothing, and so do runs of it; arrays that do not agree are refused."""
    y = ones(0)
    bound = saxpy.bind(fh.partition(y, 64), ones(0))
    assert bound.sync() is y
    assert bound.on().wait() is y
    assert bound().sync() is y
    z = ones()
    assert bound.rebind(y=z, x=ones()).sync() is z
    assert (z == 2).all()
    assert bound.rebind(y=y, x=ones(0)).sync() is y
    saxpy(fh.partition(y, 64), ones(0)).prepare()
    for arguments, code in (((fh.partition(y, 64), ones()), "O230"), ((fh.partition(z, 64), ones(0)), "O202")):
        with pytest.raises(fh.Rejected) as caught:
            saxpy.bind(*arguments)
        assert caught.value.codes == (code,)
        with pytest.raises(fh.Rejected) as caught:
            saxpy(*arguments).prepare()
        assert caught.value.codes == (code,)


def test_an_array_that_was_exchanged(golden: Callable[[Path, str], None]) -> None:
    y, x = ones(), ones()
    bound = saxpy.bind(fh.partition(y, 64), x)
    x.resize(10_000_000, refcheck=False)  # too large to stay where it is
    scope: dict[str, Any] = {"bound": bound}
    fh.register_source("train.py", "bound.sync()\n")
    with pytest.raises(fh.Rejected) as caught:
        exec(compile("bound.sync()", "train.py", "exec"), scope)
    golden(HERE / "operators" / "O275.err", str(caught.value))
    assert (y == 1).all()
    bound.rebind(x=ones()).sync()
    assert (y == 2).all()
