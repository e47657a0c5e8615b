"""Names that other libraries have outside kernels: who asks for one is told ours, and what is told exists."""

from __future__ import annotations

import re
from inspect import signature

import numpy as np
import pytest

import freehold as fh
from freehold import Out
from freehold.runtime.jit.kernel import Kernel
from freehold.runtime.launch.launch import Launch
from freehold.runtime.operations.in_flight import InFlight
from freehold.runtime.variants.compiled import Compiled
from freehold.support import missing


@fh.kernel
def ones(y: Out["N"]):
    y.store(fh.ones(y.tile, y.dtype))


@pytest.mark.parametrize("name", missing.MODULE)
def test_names_of_the_module(name: str) -> None:
    assert not hasattr(fh, name)
    with pytest.raises(AttributeError, match=re.escape(missing.MODULE[name])):
        getattr(fh, name)


def test_names_of_kernels_and_launches() -> None:
    launch = ones(fh.partition(np.zeros(8, np.float32), 8))
    for owner, known in ((ones, missing.KERNEL), (launch, missing.LAUNCH)):
        for name, told in known.items():
            assert not hasattr(owner, name)
            with pytest.raises(AttributeError, match=re.escape(told)):
                getattr(owner, name)
    launch.sync()


def test_what_is_told_exists() -> None:
    told = " ".join({*missing.MODULE.values(), *missing.KERNEL.values(), *missing.LAUNCH.values()})
    names, methods = set(re.findall(r"fh\.(\w+)", told)), set(re.findall(r"(?<!fh)\.([a-z_]+)\(", told))
    assert {"kernel", "partition", "f32"} <= names
    assert all(hasattr(fh, name) for name in names)
    assert {"sync", "on", "wait", "compile"} <= methods
    assert all(any(hasattr(owner, m) for owner in (Launch, InFlight, Kernel, int)) for m in methods)
    assert ".cubin" in told
    assert "cubin" in signature(Compiled).parameters


def test_python_proposes_what_is_written_alike() -> None:
    for owner, name in ((fh, "kernal"), (ones, "explian")):
        with pytest.raises(AttributeError) as caught:
            getattr(owner, name)
        assert (caught.value.name, caught.value.obj) == (name, owner)  # of which Python makes "Did you mean"
