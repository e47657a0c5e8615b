"""NumPy's names of arguments, where ours are others."""

import numpy as np

import freehold as fh


def mistake():
    fh.linspace(0.0, 1.0, num=5).sync()


def fixed():
    return fh.linspace(0.0, 1.0, count=5, device=fh.HOST).sync().numpy(), np.linspace(0.0, 1.0, 5)
