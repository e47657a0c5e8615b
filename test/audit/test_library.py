"""Our own library, audited from its bytecode without our types: every kernel is safe, by another way than proofs."""

from __future__ import annotations

from typing import Any

import pytest
from examples.kernels import library
from examples.kernels.example import Example

from freehold.audit.facts import launch_of
from freehold.audit.verdict import Audit, audit
from freehold.backend.bytecode.reader import read_bytecode
from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.passes.pipeline import contract, convert
from freehold.passes.split_loops import split_loops
from freehold.runtime.interpreter.launch import entry_call
from freehold.runtime.interpreter.values import aligned
from freehold.runtime.launch.partition import Partition
from freehold.runtime.memory.numpy_types import numpy_dtype
from freehold.support.contract import ScalarParameter

LIBRARY = dict(library())
BLOCKS = 4
"""Of persistent kernels."""


def audited(example: Example) -> Audit:
    """The audit of what a launch of an example runs: the entry's own arguments, and the numbers that arrays hold."""
    kernel: Any = example.kernel
    module = kernel.verify(*example.arguments)
    terms = contract(module)
    given = [
        argument.array if isinstance(argument, Partition) else argument
        for argument, parameter in zip(example.arguments, kernel.signature.parameters, strict=False)
        if parameter.mode != "const" and argument is not None
    ]
    values = [
        numpy_dtype(parameter.dtype).type(value) if isinstance(parameter, ScalarParameter) else aligned(value)
        for value, parameter in zip(given, terms.parameters, strict=True)
    ]
    call = entry_call(terms, values)
    emitted = read_bytecode(write_bytecode(convert(split_loops(module))))
    (entry,) = (op for op in emitted.walk() if isinstance(op, EntryOp))
    grid = (min(call.points, BLOCKS) if terms.persistent else call.points,)
    return audit(emitted, entry, launch_of(grid, call.values, call.names))


@pytest.mark.parametrize("name", LIBRARY)
def test_every_kernel_is_safe(name: str) -> None:
    found = audited(LIBRARY[name])
    assert found.verdict == "safe", (found.findings, found.open)
