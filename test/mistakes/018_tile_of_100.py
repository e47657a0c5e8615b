"""A tile of 100 elements."""

import numpy as np

import freehold as fh

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)

def mistake():
    fh.partition(y, 100)

def fixed():
    fh.partition(y, 128)
