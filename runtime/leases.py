"""What a launch leases of the ledger: tensors of ours, and memory of other libraries by its bytes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from freehold.frontend.signature import KernelSignature
from freehold.runtime.arguments import ArrayView
from freehold.runtime.ledger import Leased
from freehold.runtime.storage import Outside


class Leases(NamedTuple):
    """The tensors of a launch."""

    reads: list[Leased]
    writes: list[Leased]


def leases(signature: KernelSignature, views: Iterable[ArrayView]) -> Leases:
    """What a launch with these arrays leases. What is not only read counts as written."""
    from freehold.runtime.tensor import Tensor

    made = Leases([], [])
    modes = [p.mode for p in signature.parameters if p.is_tensor]
    for mode, found in zip(modes, views, strict=True):
        tensor = found.owner
        if not isinstance(tensor, Tensor):
            tensor = Outside(found.device, found.pointer, found.pointer + found.size)
        (made.reads if mode == "ref" else made.writes).append(tensor)
    return made
