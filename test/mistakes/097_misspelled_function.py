"""A misspelled function."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def root(y: Out["N"], x: Ref["N"]):
    y.store(fh.sqr(fh.abs(x.load_like(y))))


@fh.kernel
def root_fixed(y: Out["N"], x: Ref["N"]):
    y.store(fh.sqrt(fh.abs(x.load_like(y))))


def mistake():
    root(fh.partition(y, 64), x).sync()


def fixed():
    root_fixed(fh.partition(y, 64), x).sync()
    return y, np.sqrt(np.abs(x))
