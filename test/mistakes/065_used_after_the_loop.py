"""The last tile of a loop, after it."""

import numpy as np

import freehold as fh
from freehold import f32, Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def last(y: Out["T"], x: Ref["N"]):
    for k in fh.tiles(x, axis=0, size=64):
        t = x.load((k,), (64,))
    y.store(t)


@fh.kernel
def last_fixed(y: Out["T"], x: Ref["N"]):
    t = fh.zeros((64,), f32)
    for k in fh.tiles(x, axis=0, size=64):
        t = x.load((k,), (64,))
    y.store(t)


def mistake():
    last(fh.partition(y[:64], 64), x).sync()


def fixed():
    last_fixed(fh.partition(y[:64], 64), x).sync()
    return y[:64], x[-64:]
