"""Triton's kernels for the benchmarks. Importing it needs Triton."""
# pyright: basic, reportMissingImports=false, reportInvalidTypeForm=false

import triton
import triton.language as tl


@triton.jit
def add(z, x, y, n, BLOCK: tl.constexpr):
    """z = x + y."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)
