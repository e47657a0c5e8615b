"""
A program that ends with tensors in all kinds of places, some of which Python clears last; on the stub driver.

Run by test_stub_driver.py, which looks at what it says on the way out.
"""

from __future__ import annotations

import builtins
import gc
import sys
import threading
from typing import Any

import numpy as np
from mixing import mix
from stub import the_stub

import freehold as fh

stub = the_stub()


def tensors() -> list[Any]:
    """One of each kind of memory, in use and not."""
    made = [fh.from_numpy(np.arange(64, dtype=np.int32), device=0).sync() for _ in range(3)]
    there = made[2]
    mix(fh.partition(made[0], 16), made[1]).on()
    adopted = fh.from_dlpack(Described(there))
    host = fh.zeros((64,), fh.i32, device=fh.HOST).sync()
    bound = mix.bind(fh.partition(there, 16), made[1])
    bound.on()
    with fh.graph() as graph:
        graph.record(mix(fh.partition(made[1], 16), there))
    return [*made, adopted, host, fh.page_locked((64,), fh.i32).sync(), made[0][16:], bound, graph, graph.replay().on()]


class Described:
    """Another library's array."""

    def __init__(self, base: Any):
        self.base = base
        self.__cuda_array_interface__ = base.__cuda_array_interface__


class Late:
    """Has tensors in a cycle of objects, and drops them when it is dropped itself."""

    def __init__(self) -> None:
        self.own = self
        self.tensors = tensors()

    def __del__(self) -> None:
        self.tensors.clear()


own = threading.local()
own.tensors = tensors()
gc.disable()
late = Late()
Late()
kept = tensors()
modules: Any = sys.modules
modules["a module of tensors"] = tensors()
names: Any = builtins
names.kept = tensors()
sys.tensors = tensors()  # pyright: ignore[reportAttributeAccessIssue] -- what Python clears last
print("ends")
