"""Overlapping windows as an output."""

import numpy as np

import freehold as fh
from freehold import Out

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def fill(y: Out["M", "N"]):
    y.store(1.0)

def mistake():
    windows = np.lib.stride_tricks.sliding_window_view(y, 32, writeable=True)
    fill(fh.partition(windows, (16, 32))).sync()

def fixed():
    windows = np.zeros((225, 32), np.float32)
    fill(fh.partition(windows, (16, 32))).sync()
    return windows, np.ones((225, 32))
