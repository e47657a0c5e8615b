"""Two vectors side by side, as `stack` makes them elsewhere."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros((256, 2), np.float32)


@fh.kernel
def pairs(y: Out["N", 2], x: Ref["N"]):
    t = x.load((y.index[0],), (64,))
    y.store(fh.stack((t, t * t), axis=1))


@fh.kernel
def pairs_fixed(y: Out["N", 2], x: Ref["N"]):
    t = x.load((y.index[0],), (64,))
    y.store(fh.concatenate((t[:, None], (t * t)[:, None]), axis=1))


def mistake():
    pairs(fh.partition(y, (64, 2)), x).sync()


def fixed():
    pairs_fixed(fh.partition(y, (64, 2)), x).sync()
    return y, np.stack((x, x * x), 1)
