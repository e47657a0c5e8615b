"""Numbers in two axes, from `arange` with a shape."""

import numpy as np

import freehold as fh
from freehold import Out, f32

y = np.zeros((4, 4), np.float32)


@fh.kernel
def ramp(y: Out["M", "N"]):
    y.store(fh.arange((4, 4), f32))


@fh.kernel
def ramp_fixed(y: Out["M", "N"]):
    y.store(fh.arange(16, f32).reshape(4, 4))


def mistake():
    ramp(fh.partition(y, (4, 4))).sync()


def fixed():
    ramp_fixed(fh.partition(y, (4, 4))).sync()
    return y, np.arange(16).reshape(4, 4)
