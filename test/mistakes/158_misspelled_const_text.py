"""A mode that is compared with a misspelled text."""

import numpy as np

import freehold as fh
from freehold import Const, Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def activate(y: Out["N"], x: Ref["N"], mode: Const[str]):
    t = x.load_like(y)
    if mode == "relu":
        t = fh.maximum(t, 0.0)
    else:
        fh.static_assert(mode == "none", "mode is 'relu' or 'none'")
    y.store(t)

def mistake():
    activate(fh.partition(y, 64), x, "rleu").sync()

def fixed():
    activate(fh.partition(y, 64), x, "relu").sync()
    return y, np.maximum(x, 0)
