"""A conversion by Triton's name."""

import numpy as np

import freehold as fh
from freehold import f16, Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def half(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y).to(f16))


@fh.kernel
def half_fixed(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y).astype(f16))


def mistake():
    half(fh.partition(y.astype(np.float16), 64), x).sync()


def fixed():
    half_fixed(fh.partition(y.astype(np.float16), 64), x).sync()
    return 0, 0
