"""Kernels of cuTile Python that foreign kernels are made of in tests; imported only where it is installed."""

# pyright: basic, reportInvalidTypeForm=false

from __future__ import annotations

from importlib import import_module
from typing import Any

from freehold import Const, Out, Ref, f32, i32

ct: Any = import_module("cuda.tile")


@ct.kernel
def add(z, x, y, B: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(z, (i,), ct.load(x, (i,), (B,)) + ct.load(y, (i,), (B,)))


signature: dict[str, Any] = {"z": Out[f32, "N"], "x": Ref[f32, "N"], "y": Ref[f32, "N"], "B": Const[int]}


@ct.kernel
def shifted(y, x, s, B: ct.Constant[int]):
    """Block i writes tile i + s, or tile 0 where `s` is negative."""
    i = ct.bid(0)
    place = ct.where(s < 0, 0, i + s)
    ct.store(y, (place,), ct.load(x, (i,), (B,)))


@ct.kernel
def copied(y, x, B: ct.Constant[int]):
    """y = x."""
    i = ct.bid(0)
    ct.store(y, (i,), ct.load(x, (i,), (B,)))


shifted_signature: dict[str, Any] = {"y": Out[f32, "N"], "x": Ref[f32, "N"], "s": i32, "B": Const[int]}
