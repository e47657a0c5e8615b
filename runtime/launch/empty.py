"""Launches whose outputs have no elements: there are no tile blocks, and so there is nothing to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from freehold.frontend.schedule import Grid
from freehold.runtime.launch.partition import Partition
from freehold.runtime.memory.arguments import view
from freehold.support.diagnostic import Rejected

if TYPE_CHECKING:
    from freehold.frontend.signature import KernelSignature
    from freehold.runtime.base.call_site import CallSite


def launches_nothing(signature: KernelSignature, arguments: tuple[Any, ...], site: CallSite, refused: Rejected) -> bool:
    """
    Whether a launch that was refused for empty arrays alone (O202) has no tile blocks: all that it writes is empty, or
    where blocks update what they share, all that is partitioned. Raises `Rejected` where extents do not agree.
    """
    from freehold.runtime.launch.binding import Call, contract_errors

    if {*refused.codes} != {"O202"} or any(isinstance(a, Grid) for a in arguments):
        return False
    given = [(p, a) for p, a in zip(signature.parameters, arguments, strict=True) if p.is_tensor]
    shapes = [view(a.array if isinstance(a, Partition) else a).shape for _, a in given]
    written = [0 in s for (p, _), s in zip(given, shapes, strict=True) if p.mode in ("mut", "out")]
    cut = [0 in s for (_, a), s in zip(given, shapes, strict=True) if isinstance(a, Partition)]
    if not all(written or cut or [False]):
        return False
    call = Call(signature, site)
    constants = {p.name: a for p, a in zip(signature.parameters, arguments, strict=True) if type(a) is int}
    call.errors += contract_errors(call, [p.given(constants) for p, _ in given], shapes)
    call.finish()
    return True
