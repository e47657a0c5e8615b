"""Offsets from `arange` with a start and a stop."""

import numpy as np

import freehold as fh
from freehold import Out

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def ramp(y: Out["N"]):
    y.store(fh.arange(0, 64))


@fh.kernel
def ramp_fixed(y: Out["N"]):
    y.store(fh.arange(64))


def mistake():
    ramp(fh.partition(y[:64], 64)).sync()


def fixed():
    ramp_fixed(fh.partition(y[:64], 64)).sync()
    return y[:64], np.arange(64)
