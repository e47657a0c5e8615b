"""Arrays annotated as Numba annotates them."""

import numpy as np

import freehold as fh
from freehold import Out, Ref, f32

x = np.linspace(-1, 1, 256, dtype=np.float32).reshape(16, 16)
y = np.zeros((16, 16), np.float32)


def mistake():
    @fh.kernel
    def double(y: f32[:, ::1], x: f32[:, :], bias: f32[16] | None = None):
        t = 2.0 * x.load_like(y)
        y.store(t if bias is None else t + bias.load((0,), (16,)))

    double(fh.partition(y, 16), x).sync()


def fixed():
    @fh.kernel
    def double(y: Out[f32, "M", "N"], x: Ref[f32, "M", "N"], bias: Ref[f32, 16] | None = None):
        t = 2.0 * x.load_like(y)
        y.store(t if bias is None else t + bias.load((0,), (16,)))

    double(fh.partition(y, (16, 16)), x, None).sync()
    return y, 2 * x
