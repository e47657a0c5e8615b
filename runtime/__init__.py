"""Kernels as Python objects: compiled variants, launches, the driver, and the interpreter."""

if __name__ != "freehold.runtime":  # the checkout's root on sys.path would make a second copy of every class
    raise ImportError("import freehold.runtime, not runtime: the folders at the root are parts of one package")

from typing import Any

from freehold.runtime.operations import handed


def _copy(target: Any, source: Any) -> Any:
    from freehold.runtime.arrays.adoption import copy

    return copy(target, source)


def _prepare(operations: Any) -> None:
    from freehold.runtime.launch.preparing import prepare

    prepare(operations)


handed.prepare = _prepare  # and launches are above operations
handed.copy = _copy  # graphs are below tensors, and are updated by copies
