"""A raw tensor, used like any other."""

import numpy as np

import freehold as fh
from freehold import Out, Raw

y = np.zeros(8, np.int32)
counter = np.zeros(1, np.int32)


@fh.kernel
def tickets(y: Out["N"], counter: Raw["C"]):
    y.store(counter.atomic_add(1, 0))


@fh.kernel
def tickets_fixed(y: Out["N"], counter: Raw["C"]):
    with fh.unsafe("each block takes one ticket, and the order does not matter"):
        ticket = counter.atomic_add(1, 0)
    y.store(ticket)


def mistake():
    tickets(fh.partition(y, 1), counter).sync()


def fixed():
    counter[:] = 0
    tickets_fixed(fh.partition(y, 1), counter).sync()
    return np.sort(y), np.arange(8)
