"""Two outputs of different ranks, of which the shorter one would be shared by blocks."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 64 * 128, dtype=np.float32).reshape(64, 128)
y = np.zeros((64, 128), np.float32)


@fh.kernel
def both(y: Out["M", "N"], s: Out["M"], x: Ref["M", "N"]):
    t = x.load_like(y)
    y.store(t)
    s.store(t.sum(axis=1))


def mistake():
    both(fh.partition(y, (32, 64)), fh.partition(np.zeros(64, np.float32), 32), x).sync()

def fixed():
    s = np.zeros(64, np.float32)
    both(fh.partition(y, (32, 128)), fh.partition(s, 32), x).sync()
    return s, x.sum(1)
