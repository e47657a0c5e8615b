"""Kernels lowered and run: what the tests of the frontend share."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any, cast

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from freehold.frontend.lower import lower
from freehold.frontend.schedule import EACH, ROW, Blocks, Order, PartitionSpec
from freehold.frontend.signature import ConstSpec, ScalarSpec, Specialisation, TensorSpec
from freehold.frontend.source import KernelFunction
from freehold.runtime.interpreter.launch import Kernel
from freehold.support import dtypes
from freehold.support.dtypes import DType

sys.path.insert(0, str(Path(__file__).parent))  # so that tests import the modules beside them


class Part:
    """An array with its partition, as a test gives it for a `Mut` or `Out`."""

    def __init__(self, array: np.ndarray[Any, Any], *tile: int, order: Order = ROW, blocks: Blocks = EACH):
        self.array = array
        self.spec = PartitionSpec(tile, tile, order, blocks)


def dtype_of(array: np.ndarray[Any, Any]) -> DType:
    found = dtypes.from_name(array.dtype.name)
    assert found is not None
    return found


def specialise(function: KernelFunction, *args: object) -> Specialisation:
    """The specialisation for arguments in order: arrays, `Part`s, numbers; dtypes stand for tensors of no extents."""
    specs: list[TensorSpec | ScalarSpec | ConstSpec] = []
    for p, a in zip(function.signature.parameters, args, strict=True):
        if p.mode == "const":
            specs.append(ConstSpec(a))
        elif isinstance(a, Part):
            specs.append(TensorSpec.plain(dtype_of(a.array), a.array.ndim, a.spec))
        elif isinstance(a, np.ndarray):
            array = cast("np.ndarray[Any, Any]", a)
            specs.append(TensorSpec.plain(dtype_of(array), array.ndim))
        else:
            number = {bool: dtypes.bool_, int: dtypes.i32, float: dtypes.f32}
            specs.append(ScalarSpec(p.dtype or number[type(a)]))  # pyright: ignore[reportArgumentType] -- a number
    return Specialisation(tuple(specs))


def lower_for(function: Callable[..., object], *args: object) -> ModuleOp:
    """The ownership module of `function` for arguments, which has been verified as IR."""
    kernel = KernelFunction(cast(FunctionType, function))
    module = lower(kernel, specialise(kernel, *args))
    module.verify()
    return module


def prepared(function: Callable[..., object], *args: object) -> Callable[..., None]:
    """`function`, lowered once, to be interpreted on arrays, in place: on these arguments, and others of their kind."""
    signature = KernelFunction(cast(FunctionType, function))
    specialisation = specialise(signature, *args)
    kernel = Kernel.of(lower_for(function, *args), checked=True)
    parameters = signature.signature.parameters

    def run(*args: object) -> None:
        assert specialise(signature, *args) == specialisation
        kernel.run([
            a.array if isinstance(a, Part) else a for p, a in zip(parameters, args, strict=True) if p.mode != "const"
        ])  # fmt: skip

    return run


def run_on(function: Callable[..., object], *args: object) -> None:
    """Lowers and interprets `function` on arrays, in place."""
    prepared(function, *args)(*args)


@pytest.fixture
def part() -> type[Part]:
    return Part


@pytest.fixture
def specialised() -> Callable[..., Specialisation]:
    return specialise


@pytest.fixture
def lowered() -> Callable[..., ModuleOp]:
    return lower_for


@pytest.fixture
def prepare() -> Callable[..., Callable[..., None]]:
    return prepared


@pytest.fixture
def interpret() -> Callable[..., None]:
    return run_on
