"""Integers with and without a sign, and truth values: contracts tell them apart, and so does whoever uses one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Out, Ref, u32
from freehold.passes.pipeline import convert
from freehold.runtime.interpreter.launch import Kernel, entry_call, run_entry
from freehold.runtime.jit.module_launch import LoadedKernel
from freehold.runtime.variants.build import contract_of
from freehold.tools import tile_run


@fh.kernel
def count(y: Out[u32, "N"], x: Ref["N"], a: u32):
    y.store(fh.where(x.load_like(y), a, fh.zeros(y.tile, u32)))


@fh.kernel
def add(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) + 1)


Y, X = np.zeros(64, np.uint32), np.arange(64) % 2 == 0


def test_a_contract_has_the_sign() -> None:
    module = count.verify(fh.partition(Y, 16), X, 7)
    assert [p.dtype for p in contract_of(module).parameters] == ["u32", "bool_", "u32"]
    assert 'dtypes ["u32", "bool_", "u32"]' in str(module)


def test_what_a_loaded_kernel_writes() -> None:
    """By the numbers of its arguments, of which a scalar is none that is written."""
    module = count.verify(fh.partition(Y, 16), X, 7)
    assert LoadedKernel(module, contract_of(module), signed=True).written == {0}


def test_floats_need_no_words() -> None:
    assert "dtypes" not in str(add.verify(fh.partition(np.ones(64, np.float32), 16), np.ones(64, np.float32)))


def test_the_interpreter_takes_what_the_kernel_says() -> None:
    module = count.verify(fh.partition(Y, 16), X, 7)
    for y, x, a, wrong in (
        (Y.view(np.int32), X, 7, "an array of int32 where u32 is needed"),
        (Y, X.view(np.int8), 7, "an array of int8 where bool_ is needed"),
        (Y, X, -1, "-1 is no u32"),
        (Y, X, 1 << 32, "4294967296 is no u32"),
    ):
        with pytest.raises(fh.Rejected) as caught:
            Kernel.of(module).run([y, x, a])
        assert caught.value.codes == ("O530",)
        assert wrong in str(caught.value)
        with pytest.raises(fh.Rejected, match=wrong):
            entry_call(contract_of(module), [y, x, a], signed=True)
    found: Any = np.zeros(64, np.uint32)
    Kernel.of(module).run([found, X, 0xFFFFFFFF])
    assert found.tolist() == [0xFFFFFFFF, 0] * 32
    again: Any = np.zeros(64, np.uint32)
    run_entry(convert(module), contract_of(module), [again, X, 0xFFFFFFFF])
    assert np.array_equal(found, again)


def test_a_kernel_that_says_nothing_takes_either() -> None:
    x = np.arange(64, dtype=np.int32)
    module = add.verify(fh.partition(x.copy(), 16), x)
    kernel = next(op for op in module.walk() if op.name == "ownership.kernel")
    del kernel.properties["dtypes"]
    y = np.zeros(64, np.uint32)
    Kernel.of(module).run([y, x])
    assert np.array_equal(y, x + 1)


def test_tile_run_checks_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "count.mlir"
    file.write_text(str(count.verify(fh.partition(Y, 16), X, 7)), encoding="utf-8")
    np.save(tmp_path / "x.npy", X)
    command = [str(file), "-a", "zeros:{0}[64]", "-a", str(tmp_path / "x.npy"), "-a", "7"]
    assert tile_run.main([c.format("i32") for c in command]) == 1
    assert "an array of int32 where u32 is needed" in capsys.readouterr().err
    assert tile_run.main([c.format("u32") for c in command]) == 0
    assert "argument 0: uint32[64]" in capsys.readouterr().out


def test_what_only_the_interpreter_can_do_is_refused_for_a_gpu(capsys: pytest.CaptureFixture[str]) -> None:
    for option in (["--order", "7"], ["--order", "increasing"], ["--checked"]):
        with pytest.raises(SystemExit) as caught:
            tile_run.main(["--gpu", *option, "-"])
        assert caught.value.code == 2
        assert f"{option[0]} is the interpreter's" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        tile_run.main(["--blocks", "0", "-"])
    assert "--blocks takes a positive number" in capsys.readouterr().err
