"""A `for` over the rows of an array."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 64 * 128, dtype=np.float32).reshape(64, 128)
y = np.zeros(64, np.float32)


@fh.kernel
def total(y: Out["M"], x: Ref["M", "N"]):
    acc = 0.0
    for row in x:
        acc += row.sum()
    y.store(acc)

def mistake():
    total(fh.partition(y, 32), x).sync()
