"""A kernel of Triton that a foreign kernel is made of in tests, compiled without a GPU; imported where Triton is."""

# pyright: basic, reportInvalidTypeForm=false

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")  # which it warns of where nobody says

triton: Any = import_module("triton")
tl: Any = import_module("triton.language")
GPUTarget: Any = import_module("triton.backends.compiler").GPUTarget


@triton.jit
def add(x, y, z, N, B: tl.constexpr):
    """z = x + y."""
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(z + i, tl.load(x + i, i < N) + tl.load(y + i, i < N), i < N)


def compiled() -> Any:
    """It, for sm_90."""
    signature = {"x": "*fp32", "y": "*fp32", "z": "*fp32", "N": "i32", "B": "constexpr"}
    source = triton.compiler.ASTSource(fn=add, signature=signature, constexprs={"B": 256})
    return triton.compile(source, target=GPUTarget("cuda", 90, 32))
