"""Kernels run everywhere: in several orders of blocks, as ownership IR and as Tile IR, with a watch, and on a GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from answers import assembles
from xdsl.dialects.builtin import ModuleOp

import freehold as fh
from freehold.backend.bytecode.writer import write_bytecode
from freehold.passes.pipeline import contract, convert
from freehold.runtime.interpreter import run, run_entry
from freehold.runtime.launch.partition import Partition

ORDERS = (None, "decreasing", 1, 2)


def everywhere(kernel: Any, *arguments: Any, check: Callable[[], None], arch: str = "") -> None:
    """Runs a kernel in several orders, before and after it is lowered, and checks what it wrote each time."""
    module = kernel.verify(*arguments)
    arrays = [a.array if isinstance(a, Partition) else a for a in arguments]
    written = [a.array for a in arguments if isinstance(a, Partition) and _writable(a)]
    before = [a.copy() for a in written]
    lowered = convert(module.clone())
    for _ in in_all_orders(module, lowered, arrays, written):
        check()
    if arch:
        assert assembles(write_bytecode(lowered), arch)
    if fh.gpu_available():
        on_the_gpu(kernel, arguments, written, before)
        check()


def in_all_orders(module: ModuleOp, lowered: ModuleOp, given: list[Any], written: list[Any]) -> Iterator[None]:
    """Runs a module in several orders with a watch, as it is and lowered, each time on what is in the arrays now."""
    before, found = [a.copy() for a in written], contract(module)
    for order in ORDERS:
        for is_lowered in (False, True):
            for array, value in zip(written, before, strict=True):
                array[...] = value
            if is_lowered:
                run_entry(lowered, found, given, order=order, checked=True)
            else:
                run(module, given, order=order, checked=True)
            yield


def on_the_gpu(kernel: Any, arguments: Any, written: list[Any], before: list[Any]) -> None:
    """Runs a kernel on copies of its arrays on the GPU, and takes back what it wrote."""
    for array, value in zip(written, before, strict=True):
        array[...] = value

    def there(argument: Any) -> Any:
        if isinstance(argument, Partition):
            return argument.of(fh.to_device(argument.array))
        return fh.to_device(argument) if isinstance(argument, np.ndarray) else argument

    moved = [there(a) for a in arguments]
    kernel(*moved).sync()
    copies = [a.array for a, b in zip(moved, arguments, strict=True) if isinstance(b, Partition) and _writable(b)]
    for array, copy in zip(written, copies, strict=True):
        array[...] = fh.to_numpy(copy)


def _writable(part: Partition) -> bool:
    return bool(part.array.flags.writeable)
