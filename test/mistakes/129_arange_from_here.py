"""Positions counted from where the block's tile begins."""

import numpy as np

import freehold as fh
from freehold import Out

y = np.zeros(256, np.float32)


@fh.kernel
def ramp(y: Out["N"]):
    start = y.start[0]
    y.store(fh.arange(start, start + 64))


@fh.kernel
def ramp_fixed(y: Out["N"]):
    start = y.start[0]
    y.store(fh.arange(64) + start)


def mistake():
    ramp(fh.partition(y, 64)).sync()


def fixed():
    ramp_fixed(fh.partition(y, 64)).sync()
    return y, np.arange(256)
