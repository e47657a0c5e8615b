"""A grid as long as an unsigned number says: the launcher would read 200 of eight bits as -56."""

import numpy as np

import freehold as fh
from freehold import Acc, f32, i32, u8

y = np.zeros(64, np.float32)


@fh.kernel
def count(y: Acc["N"], n: u8, at: fh.Grid = fh.Grid("n + 1")):
    y.add_at(fh.ones((64,), f32), fh.arange(64))


@fh.kernel
def count_fixed(y: Acc["N"], n: i32, at: fh.Grid = fh.Grid("n + 1")):
    y.add_at(fh.ones((64,), f32), fh.arange(64))


def mistake():
    count(y, 200).sync()


def fixed():
    count_fixed(y, 200).sync()
    return y, np.full(64, 201)
