"""Bands of so many rows, where the number is still the text of a configuration file."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

ROWS = "8"


@fh.kernel
def double(y: Out["M", "N"], x: Ref["M", "N"]):
    y.store(x.load_like(y) * 2.0)


def run(order):
    y, x = np.zeros((64, 64), np.float32), np.ones((64, 64), np.float32)
    double(fh.partition(y, (16, 16), order=order), x).sync()
    return y, x * 2.0


def mistake():
    run(fh.grouped(ROWS))


def fixed():
    return run(fh.grouped(int(ROWS)))
