"""A scalar that torch computed, given as the tensor that it is."""

import pytest

import freehold as fh
from freehold import Out, Ref, f32

torch = pytest.importorskip("torch")
x = torch.linspace(-1, 1, 256)
y = torch.zeros(256)
scale = 2 * x.abs().max()


@fh.kernel
def scaled(y: Out["N"], x: Ref["N"], scale: f32):
    y.store(scale * x.load_like(y))


def mistake():
    scaled(fh.partition(y, 64), x, scale).sync()


def fixed():
    scaled(fh.partition(y, 64), x, scale.item()).sync()
    return y, 2 * x
