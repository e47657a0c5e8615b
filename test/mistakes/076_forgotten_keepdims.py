"""Subtracting the sums of rows without keeping their axis."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 64 * 128, dtype=np.float32).reshape(64, 128)
y = np.zeros((64, 128), np.float32)


@fh.kernel
def centre(y: Out["M", "N"], x: Ref["M", "N"]):
    t = x.load_like(y)
    y.store(t - t.sum(axis=1) / 128)


@fh.kernel
def centre_fixed(y: Out["M", "N"], x: Ref["M", "N"]):
    t = x.load_like(y)
    y.store(t - t.sum(axis=1)[:, None] / 128)


def mistake():
    centre(fh.partition(y, (32, 128)), x).sync()


def fixed():
    centre_fixed(fh.partition(y, (32, 128)), x).sync()
    return y, x - x.mean(1, keepdims=True)
