"""Half precision of two kinds."""

import ml_dtypes

import numpy as np

import freehold as fh
from freehold import f32, Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def add(y: Out["N"], x: Ref["N"], z: Ref["N"]):
    y.store(x.load_like(y) + z.load_like(y))


@fh.kernel
def add_fixed(y: Out["N"], x: Ref["N"], z: Ref["N"]):
    y.store(x.load_like(y).astype(f32) + z.load_like(y))


def mistake():
    add(fh.partition(y, 64), x.astype(np.float16), x.astype(ml_dtypes.bfloat16)).sync()


def fixed():
    add_fixed(fh.partition(y, 64), x.astype(np.float16), x.astype(ml_dtypes.bfloat16)).sync()
    return y / 20, x / 10
