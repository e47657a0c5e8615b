"""Names with a number behind them: errors, contracts and packages call values as the text does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import i32 as i32_type
from xdsl.ir import Block

import freehold as fh
from freehold import Mut, Out, Ref, f32, i32
from freehold.dialects.names import in_ir, users_name


@fh.kernel
def moved(y: Out["N"], x: Ref["M"], x_1: Ref["L"], n: i32, n_1: i32):
    y.store(x.load((n,), (64,)) + x_1.load((n_1,), (64,)))


@fh.kernel
def scattered(y_2: Mut["N"], y: Ref["N"], i_1: Ref[i32, "N"]):
    k_1 = i_1.load((0,), ())
    y_2.at(k_1).store(y.load_like(y_2))


@fh.kernel
def sums(y: Out["N"], x: Ref["N"], x_1: Ref["N"], n_1: i32):
    y.store(x.load_like(y) + x_1.load_like(y) + n_1.astype(f32))


@fh.kernel
def grüße(y: Out["N"], ñ: Ref["N"], ß: i32):
    y.store(ñ.load_like(y) + ß.astype(f32))


def ones() -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.ones(256, np.float32)


@pytest.mark.parametrize("name", ["x", "x_1", "x_1_2", "_1", "x_", "x1", "x_0x", "_", "__3"])
def test_a_name_comes_back_from_the_ir(name: str) -> None:
    value = Block(arg_types=[i32_type]).args[0]
    value.name_hint = in_ir(name)
    assert users_name(value) == name


def test_errors_name_what_is_written() -> None:
    with pytest.raises(fh.Rejected) as refused:
        moved(fh.partition(ones(), 64), ones(), ones(), 1, 100).sync()
    assert "`0 <= n_1 and n_1 < ceildiv(L, 64)` is false" in str(refused.value)
    assert "every tile of `x_1` is loaded inside it" in str(refused.value)
    with pytest.raises(fh.Rejected) as refused:
        scattered(fh.partition(ones(), 64), ones(), np.zeros(256, np.int32)).sync()
    assert "write different regions of `y_2`" in str(refused.value)
    assert "`k_1` is read from memory" in str(refused.value)
    assert "`y_2.store(...)`" in str(refused.value)


def test_packages_know_their_parameters(tmp_path: Path) -> None:
    y = ones()
    launches = [sums(fh.partition(y, 64), ones(), ones(), 3), grüße(fh.partition(y, 64), ones(), 3)]
    package = fh.load(fh.build(launches, [], tmp_path / "kernels"))
    package["sums"](fh.partition(y, 64), ones(), ones(), 3).sync()
    assert (y == 5).all()
    package["grüße"](fh.partition(y, 64), ones(), 3).sync()
    assert (y == 4).all()
