"""What programs of tests launch: a kernel whose order can be told from what it leaves, and what it makes of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

import freehold as fh
from freehold import Mut, Ref


@fh.kernel
def mix(y: Mut["N"], x: Ref["N"]):
    y.store(y.load() * 1664525 + x.load_like(y) * 1013904223 + 12345)


def mixed(y: Any, x: Any) -> Any:
    """What `mix` makes of y."""
    with np.errstate(over="ignore"):
        return y * np.int32(1664525) + x * np.int32(1013904223) + np.int32(12345)


class Foreign:
    """A tensor's memory as another library's array, which describes it and keeps it."""

    def __init__(self, base: Any, stream: int | None = None):
        self.base = base
        self.__cuda_array_interface__ = {**base.__cuda_array_interface__, "stream": stream}
