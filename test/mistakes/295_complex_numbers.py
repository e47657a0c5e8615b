"""An array of complex numbers."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

z = np.exp(1j * np.linspace(-1, 1, 256)).astype(np.complex64)
y = np.zeros(256, np.float32)


@fh.kernel
def norm(y: Out["N"], z: Ref["N"]):
    t = z.load_like(y)
    y.store(t * t)


@fh.kernel
def norm_fixed(y: Out["N"], z: Ref["N", 2]):
    t = z.load((y.index[0], 0), (y.tile[0], 2))
    y.store((t * t).sum(axis=1))


def mistake():
    norm(fh.partition(y, 64), z).sync()


def fixed():
    norm_fixed(fh.partition(y, 64), z[..., None].view(np.float32)).sync()
    return y, np.abs(z) ** 2
