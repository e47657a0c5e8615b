"""Prints of whole kernels: every one waits for those before it, through every room, and the text is the same in all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from answers import assembles
from xdsl.dialects.builtin import ModuleOp

import freehold as fh
from freehold import Mut, Out, Ref, f32, i32
from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.cuda_tile.ops.misc import PrintTkoOp
from freehold.passes.launch_contract import contract
from freehold.passes.pipeline import convert
from freehold.runtime.interpreter import run, run_entry


def told(t: Any, name: str) -> Any:
    fh.print(name, t.max())
    return t + 1.0


@fh.kernel
def straight(y: Out[f32, "N"], x: Ref[f32, "N"]):
    t = x.load_like(y)
    fh.print("in block", y.index[0])
    t = told(t, "first")
    t = told(t, "second")
    y.store(t)
    fh.print("stored", t)


@fh.kernel
def turns(y: Mut[f32, "N"], x: Ref[f32, "N"]):
    t = x.load_like(y)
    for k in range(x.shape[0] // 4):
        fh.print("turn", k)
        if k % 2 == 0:
            t = told(t, "even")
        else:
            fh.print("odd")
    fh.print("end")
    y.store(t + y.load())


@fh.kernel
def searched(y: Out[f32, "N"], x: Ref[f32, "N"]):
    n = 0
    while n < 10:
        fh.print("looking at", n)
        if n * n > y.index[0] + 3:
            fh.print("found")
            break
        n += 1
    y.store(x.load_like(y) + n)


@pytest.mark.parametrize("kernel", [straight, turns, searched], ids=lambda k: k.__name__)
@pytest.mark.parametrize("persistent", [False, True])
def test_prints_come_in_order(kernel: Any, persistent: bool) -> None:
    y, x = np.zeros(16, np.float32), np.arange(16, dtype=np.float32)
    cut = fh.partition(y, 4, blocks=fh.PERSISTENT) if persistent else fh.partition(y, 4)
    verified: ModuleOp = kernel.verify(cut, x)
    wanted: list[str] = []
    run(verified, [y, x], write=wanted.append)
    assert len(wanted) >= 12
    call = contract(verified)
    lowered = convert(verified.clone())
    prints = [op for op in lowered.walk() if isinstance(op, PrintTkoOp)]
    assert sum(op.token is None for op in prints) <= 1
    found: list[str] = []
    again = np.zeros(16, np.float32)
    run_entry(lowered, call, [again, x], blocks=8, checked=True, write=found.append)
    assert found == wanted
    assert again.tolist() == y.tolist()
    assert assembles(write_bytecode(lowered), "sm_90")


def test_one_print_alone_waits_for_nothing() -> None:
    @fh.kernel
    def one(y: Out[i32, "N"]):
        fh.print(y.index[0])
        y.store(fh.zeros(y.tile, i32))

    lowered = convert(one.verify(fh.partition(np.zeros(16, np.int32), 4)).clone())
    (op,) = (op for op in lowered.walk() if isinstance(op, PrintTkoOp))
    assert op.token is None
