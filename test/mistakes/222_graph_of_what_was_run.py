"""A graph is recorded where kernels run at once."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def doubled(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) * 2)


@fh.kernel
def doubled_fixed(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) * 2)


def mistake():
    with fh.eager(), fh.graph() as g:
        g.record(doubled(fh.partition(y, 64), x))


def fixed():
    with fh.graph() as g:
        g.record(doubled_fixed(fh.partition(y, 64), x))
    g.replay().sync()
    return y, 2 * x
