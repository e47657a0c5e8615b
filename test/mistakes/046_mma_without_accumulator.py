"""A product without an accumulator."""

import numpy as np

import freehold as fh
from freehold import f32, Out, Ref

a = np.linspace(-1, 1, 64 * 32, dtype=np.float32).reshape(64, 32)
b = np.linspace(-1, 1, 32 * 64, dtype=np.float32).reshape(32, 64)
c = np.zeros((64, 64), np.float32)


@fh.kernel
def matmul(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
    c.store(fh.mma(a.load((0, 0), (64, 32)), b.load((0, 0), (32, 64))))


@fh.kernel
def matmul_fixed(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
    c.store(fh.mma(a.load((0, 0), (64, 32)), b.load((0, 0), (32, 64)), fh.zeros((64, 64), f32)))


def mistake():
    matmul(fh.partition(c, (64, 64)), a, b).sync()


def fixed():
    matmul_fixed(fh.partition(c, (64, 64)), a, b).sync()
    return c, a @ b
