"""A function of the language, called on an array."""

import numpy as np

import freehold as fh

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)

def mistake():
    fh.exp(x)

def fixed():
    np.exp(x)
