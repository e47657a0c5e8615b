"""Two outputs that are cut into different numbers of regions."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def split(y: Out["N"], z: Out["N"], x: Ref["N"]):
    y.store(2.0 * x.load_like(y))
    z.store(3.0 * x.load_like(z))

def mistake():
    split(fh.partition(y, 64), fh.partition(y.copy(), 128), x).sync()

def fixed():
    split(fh.partition(y, 64), fh.partition(y.copy(), 64), x).sync()
    return y, 2 * x
