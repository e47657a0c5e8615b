"""A mask's number that half precision does not have."""

import numpy as np

import freehold as fh
from freehold import Out, Ref, f16

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def masked(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y).astype(f16)
    y.store(fh.where(t > 0, t, -1e9))


@fh.kernel
def masked_fixed(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y).astype(f16)
    y.store(fh.exp(fh.where(t > 0, t, float("-inf"))))


def mistake():
    masked(fh.partition(y, 64), x).sync()


def fixed():
    masked_fixed(fh.partition(y, 64), x).sync()
    return y, np.where(x > 0, np.exp(x.astype(np.float16)), 0)
