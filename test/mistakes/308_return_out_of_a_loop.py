"""`return` where `break` was meant: nothing behind `while True` is ever done."""

import numpy as np

import freehold as fh
from freehold import Out, Ref, f32

x = np.linspace(1, 2, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def halve(y: Out["N"], x: Ref["N"], most: f32):
    t = x.load_like(y)
    while True:
        if t.max() < most:
            return
        t = t / 2.0
    y.store(t)


@fh.kernel
def halve_fixed(y: Out["N"], x: Ref["N"], most: f32):
    t = x.load_like(y)
    while True:
        if t.max() < most:
            break
        t = t / 2.0
    y.store(t)


def mistake():
    halve(fh.partition(y, 256), x, 0.6).sync()


def fixed():
    halve_fixed(fh.partition(y, 256), x, 0.6).sync()
    return y, x / 4
