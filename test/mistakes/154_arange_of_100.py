"""Offsets of a number that is no power of two."""

import numpy as np

import freehold as fh
from freehold import Out

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def ramp(y: Out["N"]):
    y.store(fh.arange(100).sum())


@fh.kernel
def ramp_fixed(y: Out["N"]):
    t = fh.arange(128)
    y.store(fh.where(t < 100, t, 0).sum())


def mistake():
    ramp(fh.partition(y, 64)).sync()


def fixed():
    ramp_fixed(fh.partition(y, 64)).sync()
    return y, 4950
