"""A product of integers of 32 bits."""

import numpy as np

import freehold as fh
from freehold import i32, i8, Out, Ref

a = np.linspace(-1, 1, 64 * 32, dtype=np.float32).reshape(64, 32)
b = np.linspace(-1, 1, 32 * 64, dtype=np.float32).reshape(32, 64)
c = np.zeros((64, 64), np.float32)


@fh.kernel
def matmul(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
    c.store(fh.mma(a.load((0, 0), (64, 32)), b.load((0, 0), (32, 64)), fh.zeros((64, 64), i32)))


@fh.kernel
def matmul_fixed(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
    c.store(fh.mma(a.load((0, 0), (64, 32)).astype(i8), b.load((0, 0), (32, 64)).astype(i8), fh.zeros((64, 64), i32)))


def mistake():
    matmul(fh.partition(c.astype(np.int32), (64, 64)), a.astype(np.int32), b.astype(np.int32)).sync()


def fixed():
    matmul_fixed(fh.partition(c.astype(np.int32), (64, 64)), a.astype(np.int32), b.astype(np.int32)).sync()
    return 0, 0
