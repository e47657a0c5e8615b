"""NumPy's default dtype for a parameter that is f32."""

import numpy as np

import freehold as fh
from freehold import f32, Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def double(y: Out[f32, "N"], x: Ref[f32, "N"]):
    y.store(2.0 * x.load_like(y))

def mistake():
    double(fh.partition(y, 64), np.linspace(-1, 1, 256)).sync()

def fixed():
    double(fh.partition(y, 64), np.linspace(-1, 1, 256).astype(np.float32)).sync()
    return y, 2 * x
