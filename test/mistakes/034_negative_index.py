"""The last tile by a negative index."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def last(y: Out["M"], x: Ref["N"]):
    y.store(x.load((-1,), (64,)))


@fh.kernel
def last_fixed(y: Out["M"], x: Ref["N"]):
    y.store(x.load((fh.cdiv(x.shape[0], 64) - 1,), (64,)))


def mistake():
    last(fh.partition(y[:64], 64), x).sync()


def fixed():
    last_fixed(fh.partition(y[:64], 64), x).sync()
    return y[:64], x[-64:]
