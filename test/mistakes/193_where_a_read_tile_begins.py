"""Where the tile begins that is read, of a tensor that the launch does not cut."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def places(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) + x.start[0])


@fh.kernel
def places_fixed(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) + x.start[0])


def mistake():
    places(fh.partition(y, 64), x).sync()


def fixed():
    places_fixed(fh.partition(y, 64), fh.partition(x, 64)).sync()
    return y, x + np.arange(256) // 64 * 64
