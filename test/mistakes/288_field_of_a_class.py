"""A field asked of the class, and not of an object of it; and one that is not there."""

from dataclasses import dataclass

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@dataclass(frozen=True)
class Pair:
    low: object
    high: object
    SCALE = 2.0


@fh.kernel
def clamp(y: Out["N"], x: Ref["N"]):
    bounds = Pair(-0.5, 0.5)
    t = fh.maximum(x.load_like(y), Pair.low)
    y.store(fh.minimum(t, bounds.hihg) * Pair.SCAL)


@fh.kernel
def clamp_fixed(y: Out["N"], x: Ref["N"]):
    bounds = Pair(-0.5, 0.5)
    t = fh.maximum(x.load_like(y), bounds.low)
    y.store(fh.minimum(t, bounds.high) * Pair.SCALE)


def mistake():
    clamp(fh.partition(y, 64), x).sync()


def fixed():
    clamp_fixed(fh.partition(y, 64), x).sync()
    return y, 2 * np.clip(x, -0.5, 0.5)
