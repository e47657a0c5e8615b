"""A `for` over a number."""

import numpy as np

import freehold as fh
from freehold import f32, Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def total(y: Out["T"], x: Ref["N"], n: int):
    acc = fh.zeros((64,), f32)
    for k in n:
        acc += x.load((k,), (64,))
    y.store(acc)


@fh.kernel
def total_fixed(y: Out["T"], x: Ref["N"], n: int):
    acc = fh.zeros((64,), f32)
    for k in range(n):
        acc += x.load((k,), (64,))
    y.store(acc)


def mistake():
    total(fh.partition(y[:64], 64), x, 4).sync()


def fixed():
    total_fixed(fh.partition(y[:64], 64), x, 4).sync()
    return y[:64], x.reshape(4, 64).sum(0)
