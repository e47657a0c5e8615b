"""Triton's `tl.load(x + offsets)`: a load takes a tile's number, and elements at places of their own are gathered."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def odd(y: Out["N"], x: Ref["N"]):
    offsets = (y.start[0] + fh.arange(64)) ^ 1
    t = x.load(offsets)
    y.store(t + x.load((offsets,), (64,)))


@fh.kernel
def odd_fixed(y: Out["N"], x: Ref["N"]):
    offsets = (y.start[0] + fh.arange(64)) ^ 1
    t = x.gather(offsets)
    y.store(t + x.gather(offsets))


def mistake():
    odd(fh.partition(y, 64), x).sync()


def fixed():
    odd_fixed(fh.partition(y, 64), x).sync()
    return y, 2 * x.reshape(-1, 2)[:, ::-1].reshape(-1)
