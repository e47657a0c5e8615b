"""Defaults that are none of their parameters' values: they are told of where they stand, as no call gives them."""

import numpy as np

import freehold as fh
from freehold import Const, Out, Ref, f32

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def scaled(y: Out["N"], x: Ref["N"], by: f32 = "2", times: Const[int] = 2.5):  # pyright: ignore
    y.store(x.load_like(y) * by * times)


@fh.kernel
def scaled_fixed(y: Out["N"], x: Ref["N"], by: f32 = 2.0, times: Const[int] = 2):  # pyright: ignore
    y.store(x.load_like(y) * by * times)


def mistake():
    scaled(fh.partition(y, 64), x).sync()


def fixed():
    scaled_fixed(fh.partition(y, 64), x).sync()
    return y, 4 * x
