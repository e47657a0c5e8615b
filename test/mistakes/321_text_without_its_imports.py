"""A kernel's text that was copied without the imports of its file."""

import numpy as np

import freehold as fh
from freehold import Out, Ref

x = np.linspace(-1, 1, 256, dtype=np.float32)
y = np.zeros(256, np.float32)


@fh.kernel
def copied(y: Out["N"], x: Ref["N"]):
    i = tl.program_id(0)  # noqa: F821 -- the mistake
    t = x.load((i,), y.tile)
    t = math.exp(-t) + torch.nn.functional.relu(t) + ct.where(t > 0, np.pi, 0.0)  # noqa: F821 -- the mistake
    y.store(t * scale)  # noqa: F821 -- the mistake


@fh.kernel
def copied_fixed(y: Out["N"], x: Ref["N"]):
    i = y.index[0]
    t = x.load((i,), y.tile)
    y.store(fh.exp(-t) + fh.maximum(t, 0) + fh.where(t > 0, np.pi, 0.0))


def mistake():
    copied(fh.partition(y, 64), x).sync()


def fixed():
    copied_fixed(fh.partition(y, 64), x).sync()
    return y, np.exp(-x) + np.maximum(x, 0) + np.where(x > 0, np.float32(np.pi), 0)
