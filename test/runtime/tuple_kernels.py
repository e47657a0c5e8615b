"""Kernels that take tuples of tensors, for the tests of how they are launched."""

from __future__ import annotations

import freehold as fh
from freehold import Mut, Out, Ref, f32


@fh.kernel
def sgd(ps: tuple[Mut["N"], ...], gs: tuple[Ref["N"], ...], rate: f32):
    for p, g in zip(ps, gs, strict=True):
        p.store(p.load() - rate * g.load_like(p))


@fh.kernel
def mean(y: Out["N"], xs: tuple[Ref["N"], ...], weight: Ref["N"] | None = None):
    total = fh.zeros(y.tile, f32)
    for n, x in enumerate(xs):
        total = total + x.load_like(y) if n else x.load_like(y)
    if weight is not None:
        total = total * weight.load_like(y)
    y.store(total / len(xs))
