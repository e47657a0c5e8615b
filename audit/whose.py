"""Which operations are accesses, and whose memory they touch, as far as the text of a kernel says it."""

from __future__ import annotations

from typing import Any, Final

from xdsl.ir import Operation, SSAValue

from freehold.audit.accesses import Kind
from freehold.audit.facts import Call
from freehold.audit.relevant import relevant
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.dialects.cuda_tile.types import TOKEN
from freehold.passes.rewriting import walk
from freehold.runtime.interpreter.access import keyword

_LOADS: Final = frozenset({"cuda_tile.load_view_tko", "cuda_tile.load_ptr_tko"})
_STORES: Final = frozenset({"cuda_tile.store_view_tko", "cuda_tile.store_ptr_tko"})
_UPDATES: Final = frozenset({"cuda_tile.atomic_rmw_tko", "cuda_tile.atomic_cas_tko", "cuda_tile.atomic_red_view_tko"})
ACCESSES: Final = _LOADS | _STORES | _UPDATES


def kind_of(op: Operation) -> Kind:
    """What an access does."""
    return "read" if op.name in _LOADS else "write" if op.name in _STORES else "update"


def bases(entry: EntryOp) -> dict[Operation, int]:
    """The parameter whose memory each access touches, as far as the text says it; -1 where it does not."""
    found: dict[Operation, int] = {}
    for op in walk(entry):
        if op.name not in ACCESSES:
            continue
        fields: Any = op
        value: SSAValue | None = next(
            (getattr(fields, n) for n in ("view", "source", "destination", "pointers") if hasattr(fields, n)), None
        )
        while value is not None and isinstance(value.owner, Operation):
            value = value.owner.operands[0] if value.owner.name in _DERIVED else None
        found[op] = value.index if value is not None and value.owner is entry.body.block else -1  # pyright: ignore
    return found


_DERIVED: Final = frozenset(
    f"cuda_tile.{name}"
    for name in (
        "assume", "reshape", "broadcast", "permute", "offset", "ptr_to_ptr", "make_tensor_view", "make_partition_view",
        "make_strided_view", "make_gather_scatter_view",
    )
)  # fmt: skip


def written(entry: EntryOp, call: Call) -> set[int]:
    """The arrays in whose memory something may be written by an access to a parameter."""
    if any(op.name.startswith("cuda_tile.multimem") for op in walk(entry)):
        return set(call.arrays)
    return sharing(call, {base for op, base in bases(entry).items() if op.name not in _LOADS and base >= 0})


def sharing(call: Call, touched: set[int]) -> set[int]:
    """The arrays that share memory with some of these."""
    arrays = call.arrays
    return {n for n, a in arrays.items() if any(a.start < arrays[b].end and arrays[b].start < a.end for b in touched)}


def waits(entry: EntryOp) -> bool:
    """Whether what an acquiring access reads decides where control goes: then tile blocks may wait for one another."""
    todo = [r for op in walk(entry) if keyword(op, "memory_ordering_semantics") in ("acquire", "acq_rel")
            for r in op.results[:1] if r.type != TOKEN]  # fmt: skip
    matters = relevant(entry)
    return any(value in matters for value in todo)
