"""
Random programs on four streams, in random orders: every order gives the result of running one launch after the other.

    python test/runtime/interleavings.py [--programs 1000] [--orders 1000] [--seed 0]

A program is a list of launches, copies, fills and allocations on tensors and slices of tensors, each enqueued on one
of four streams. What the streams wait for is up to the runtime. On the stub driver each program is run in `--orders`
orders that the streams and their waits allow, from the same memory; on a GPU it is run once, as the GPU likes. The
result is compared with NumPy's.
"""

from __future__ import annotations

import argparse
import random
from time import perf_counter
from typing import Any

import numpy as np
from mixing import mix, mixed
from stub import the_stub

import freehold as fh
from freehold.runtime.gpu import driver

STREAMS = 4
N = 64


class Program:
    """One random program, and what it makes of NumPy's arrays."""

    def __init__(self, seed: int, streams: list[Any], length: int):
        self.random = random.Random(seed)
        self.streams = streams
        self.length = length
        self.arrays = [np.random.default_rng((seed, n)).integers(-(2**31), 2**31, N, dtype=np.int32) for n in range(4)]
        self.tensors = [fh.from_numpy(array, device=0).sync() for array in self.arrays]
        for tensor in self.tensors:  # so that all are there before the first launch
            tensor.numpy()

    def enqueue(self) -> None:
        """Enqueues all of it."""
        for _ in range(self.length):
            stream = self.random.choice(self.streams)
            kind = self.random.random()
            if kind < 0.75:
                (y, to), (x, of) = self.slices()
                to[...] = mixed(to, of)
                mix(fh.partition(y, 16), x).on(stream)
            elif kind < 0.85:
                (y, to), (x, of) = self.slices()
                to[...] = of
                y.copy_from(x).on(stream)
            elif kind < 0.95:
                (y, to), _ = self.slices()
                value = self.random.randrange(1000)
                to[...] = value
                y.fill(value).on(stream)
            else:  # a new tensor, which is dropped while it is in use
                (y, to), (x, of) = self.slices()
                to[...] = mixed(to, of)
                copied = x.copy().on(stream).value
                mix(fh.partition(y, 16), copied).on(self.random.choice(self.streams))
                del copied

    def slices(self) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
        """Two slices of equal length that share nothing, each with that of the array."""
        while True:
            length = self.random.choice((16, 32, 64))
            first, second = self.random.randrange(4), self.random.randrange(4)
            begin, other = (16 * self.random.randrange((N - length) // 16 + 1) for _ in range(2))
            if first != second or begin + length <= other or other + length <= begin:
                break
        parts = slice(begin, begin + length), slice(other, other + length)
        return (
            (self.tensors[first][parts[0]], self.arrays[first][parts[0]]),
            (self.tensors[second][parts[1]], self.arrays[second][parts[1]]),
        )

    def right(self) -> bool:
        """Whether the tensors are what the arrays are."""
        return all(np.array_equal(t.numpy(), a) for t, a in zip(self.tensors, self.arrays, strict=True))


def run(programs: int, orders: int, seed: int, *, blind: bool = False) -> tuple[int, int]:
    """How many orders and programs went wrong. With `blind`, on the stub alone, no stream waits for another."""
    stub = the_stub()
    streams = [driver.new_stream(0) for _ in range(STREAMS)]
    wrong_orders = wrong_programs = 0
    for number in range(programs):
        program = Program(seed + number, streams, 4 + number % 29)
        if stub is not None:
            stub.stub_hold(1)
            program.enqueue()
            stub.stub_blind(int(blind))
            wrong_orders += stub.stub_interleave(orders)
            stub.stub_hold(0)
            stub.stub_defer(seed + number + 1)
        else:
            program.enqueue()
        wrong_programs += not program.right()
        if stub is not None:
            stub.stub_blind(0)
            stub.stub_defer(0)
    return wrong_orders, wrong_programs


def main() -> None:
    """Run it and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--orders", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    began = perf_counter()
    orders, programs = run(arguments.programs, arguments.orders, arguments.seed)
    on_stub = the_stub() is not None
    done = arguments.programs * (arguments.orders if on_stub else 1)
    print(f"{arguments.programs} programs, {done} orders, {perf_counter() - began:.0f} s: {orders + programs} wrong")
    if on_stub:
        unordered, _ = run(20, 100, arguments.seed, blind=True)
        print(f"of 2000 orders without waits, {unordered} were wrong")
        if not unordered:
            raise SystemExit("the test sees nothing")
    if orders or programs:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
