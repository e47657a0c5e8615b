"""A conversion by torch's method."""

import numpy as np

import freehold as fh
from freehold import f32, Out, Ref

x = np.arange(256, dtype=np.int32)
y = np.zeros(256, np.int32)


@fh.kernel
def scale(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y).float() * 0.5)


@fh.kernel
def scale_fixed(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y).astype(f32) * 0.5)


def mistake():
    scale(fh.partition(y.astype(np.float32), 64), x).sync()


def fixed():
    scale_fixed(fh.partition(y.astype(np.float32), 64), x).sync()
    return 0, 0
