"""A nested function that counts."""

import numpy as np

import freehold as fh
from freehold import f32, Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def total(y: Out["N"], x: Ref["N"]):
    acc = fh.zeros(y.tile, f32)

    def add(t):
        nonlocal acc
        acc = acc + t

    add(x.load_like(y))
    y.store(acc)


@fh.kernel
def total_fixed(y: Out["N"], x: Ref["N"]):
    acc = fh.zeros(y.tile, f32)

    def add(t):
        return acc + t

    acc = add(x.load_like(y))
    y.store(acc)


def mistake():
    total(fh.partition(y, 64), x).sync()


def fixed():
    total_fixed(fh.partition(y, 64), x).sync()
    return y, x
