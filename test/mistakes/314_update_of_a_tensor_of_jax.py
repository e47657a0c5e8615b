"""JAX's updates, `y.at[i].set(t)`, of a tensor."""

import numpy as np

import freehold as fh
from freehold import Mut, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def put(y: Mut["N"], x: Ref["N"]):
    (i,) = y.index
    y = y.at[i].set(x.load((i,), (64,)))


@fh.kernel
def put_fixed(y: Mut["N"], x: Ref["N"]):
    (i,) = y.index
    y.at(i).store(x.load((i,), (64,)))


def mistake():
    put(fh.partition(y, 64), x).sync()


def fixed():
    put_fixed(fh.partition(y, 64), x).sync()
    return y, x
