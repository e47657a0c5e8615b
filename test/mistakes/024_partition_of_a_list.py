"""A partition of a list."""

import numpy as np

import freehold as fh
from freehold import Out


@fh.kernel
def zero(y: Out["N"]):
    y.store(0.0)

def mistake():
    zero(fh.partition([0.0] * 64, 64)).sync()

def fixed():
    zero(fh.partition(np.ones(64, np.float32), 64)).sync()
