"""Signed and unsigned integers together."""

import numpy as np

import freehold as fh
from freehold import i32, Out, Ref

x = np.arange(256, dtype=np.int32)
y = np.zeros(256, np.int32)


@fh.kernel
def add(y: Out["N"], x: Ref["N"], z: Ref["N"]):
    y.store(x.load_like(y) + z.load_like(y))


@fh.kernel
def add_fixed(y: Out["N"], x: Ref["N"], z: Ref["N"]):
    y.store(x.load_like(y) + z.load_like(y).astype(i32))


def mistake():
    add(fh.partition(y, 64), x, x.astype(np.uint32)).sync()


def fixed():
    add_fixed(fh.partition(y, 64), x, x.astype(np.uint32)).sync()
    return y, 2 * x
