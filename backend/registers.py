"""Code that never ends: warps that wait for more registers than their block has. Looked for in every cubin."""

from __future__ import annotations

from typing import Final

from freehold.backend.cubin import NotACubin, Resources, resources
from freehold.backend.errors.wrong_code import NeverEnds
from freehold.backend.flow import WORKERS, hint_of

_WARP: Final = 32
_GROUP: Final = 4
"""Warps that set their registers together."""


def starving(cubin: bytes, bytecode: bytes, arch: str) -> list[NeverEnds]:
    """The kernels of a cubin, assembled from this bytecode, whose warps ask for more registers than there are."""
    try:
        found = resources(cubin)
    except NotACubin:  # whoever loads it is told
        return []
    errors: list[NeverEnds] = []
    for one in found:
        there = one.registers * (one.thread_count or 0)
        most = (one.thread_count or 0) // _WARP - _GROUP
        if most < _GROUP or asked_for(one, most) <= there:
            continue  # however many of its warps compute
        workers = min(most, max(_workers(bytecode, arch, one.kernel), _GROUP * len(one.grows)))
        if (asked := asked_for(one, workers)) > there:
            error = NeverEnds(None, f"kernel `{one.kernel}`", arch)
            errors.append(error.add(error.Starved(asked, there), error.AskForLess()))
    return errors


def asked_for(kernel: Resources, workers: int) -> int:
    """The registers of a block once its warps have what they ask for, if so many of them compute; 0 if none asks."""
    if not kernel.grows:
        return 0
    others = (kernel.thread_count or 0) - _WARP * workers
    return max(kernel.grows) * _WARP * workers + max(kernel.shrinks, default=kernel.registers) * others


def _workers(bytecode: bytes, arch: str, kernel: str) -> int:
    """The warps that compute, as a kernel's hints have them, or else as the assembler does."""
    from freehold.backend.bytecode.reader import read_bytecode
    from freehold.dialects.cuda_tile.ops.module import EntryOp

    for op in read_bytecode(bytecode).walk():
        if isinstance(op, EntryOp) and op.sym_name.data == kernel:
            return hint_of(op, arch, WORKERS, _GROUP)
    return _GROUP
