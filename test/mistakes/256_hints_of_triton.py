"""The number of warps is said as in Triton."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


def mistake():
    @fh.kernel(num_warps=4)
    def kernel(y: Out["N"], x: Ref["N"]):
        y.store(x.load_like(y))

    kernel(fh.partition(y, 64), x).sync()


def fixed():
    @fh.kernel(hints={"num_worker_warps": 4})
    def kernel(y: Out["N"], x: Ref["N"]):
        y.store(x.load_like(y))

    kernel(fh.partition(y, 64), x).sync()
    return y, x
