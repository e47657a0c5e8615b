"""`with unsafe("why"):`, and what may be done to raw tensors in it."""

from __future__ import annotations

from typing import Final, cast

from freehold.dialects.cuda_tile.attrs import MemoryOrderingSemanticsAttr, MemoryScopeAttr
from freehold.dialects.cuda_tile.ops.atomics import ALL_ORDERS, atomic_elements
from freehold.dialects.cuda_tile.types import element_name
from freehold.dialects.ownership import UnsafeLoadOp, UnsafeStoreOp, UnsafeSwapOp, UnsafeUpdateOp
from freehold.frontend import errors
from freehold.frontend.arguments import Arguments, Signature, bind
from freehold.frontend.arithmetic import broadcast, convert
from freehold.frontend.context import Context, Flow
from freehold.frontend.elements import element_indices, mask_of, stretched, together
from freehold.frontend.intrinsics import intrinsic_of
from freehold.frontend.memory import constant_padding_of, held_as, storage, stored
from freehold.frontend.syntax import core
from freehold.frontend.types import tile_type
from freehold.frontend.values import NONE, POISON, Poison, Static, TensorValue, TileValue, Value, describe
from freehold.support import dtypes

# --- The block -------------------------------------------------------------------------------------------------------


def with_(c: Context, node: core.With) -> Flow:
    """`with unsafe("why this is right"):`. The block covers the text in it, not that of helpers it calls."""
    reason = _reason(c, node)
    if node.returns:
        error = errors.NotAnUnsafeBlock(
            c.span(node.context), what="an `unsafe` block is left by `return`", why="it ends at its end"
        )
        c.error(error.add(error.Instead("assign the result, and return it behind the block")))
        return Flow.FALLS
    outer, c.frame.unsafe = c.frame.unsafe, reason
    try:
        return c.statements(node.body)
    finally:
        c.frame.unsafe = outer


def _reason(c: Context, node: core.With) -> str:
    """The text that a block gives as its reason; some text after reporting that there is none."""
    call = node.context
    function = c.lower(call.func)
    declared = intrinsic_of(function.value) if isinstance(function, Static) else None
    if declared is None or declared.name != "unsafe":
        error = errors.Unsupported(c.span(call), what="`with`", why="kernels have no contexts to enter")
        c.error(error.add(error.Instead("write its body alone")))
        return "?"
    a = bind(c, call, Signature("unsafe", ("reason",)))
    if a is None:
        return "?"
    reason = a["reason"]
    if isinstance(reason, Static) and isinstance(reason.value, str) and reason.value.strip():
        return reason.value.strip()
    if isinstance(reason, Poison):
        return "?"
    what = "gives no reason" if isinstance(reason, Static) else f"gives {describe(reason)} as its reason"
    error = errors.NotAnUnsafeBlock(
        c.span(a.place("reason")),
        what=f"an `unsafe` block {what}",
        why="who reads this has to be told why it is right",
    )
    c.error(error.add(error.Instead('write it down: `with fh.unsafe("blocks take tickets, so no two get one slot"):`')))
    return "?"


# --- Accesses --------------------------------------------------------------------------------------------------------

ATOMICS: Final[dict[str, tuple[str, str, str]]] = {
    "atomic_add": ("add", "add", "addf"),
    "atomic_max": ("max", "umax", ""),
    "atomic_min": ("min", "umin", ""),
    "atomic_and": ("and", "and", ""),
    "atomic_or": ("or", "or", ""),
    "atomic_xor": ("xor", "xor", ""),
    "atomic_exchange": ("xchg", "xchg", "xchg"),
}
"""The modes of atomic updates: of signed and of unsigned integers, and of floats."""

SCOPES: Final = {"block": "tl_blk", "device": "device", "system": "sys"}
"""Scopes as users write them, and as the compiler does."""


def _begun(c: Context, a: Arguments) -> tuple[TensorValue, str]:
    """The tensor that is accessed, and why that is right. Reports where no block says so."""
    tensor = cast(TensorValue, a["self"])
    if c.frame.unsafe is None:
        c.error(errors.UnsafeNeeded(c.span(a.node), name=tensor.name))
    return tensor, c.frame.unsafe or "?"


class _Access:
    """What the accesses share: indices, mask, shape, order and scope."""

    def __init__(
        self, c: Context, tensor: TensorValue, a: Arguments, orders: tuple[str, ...], *values: TileValue | Poison
    ):
        self.ok = False
        found, mask, order = element_indices(c, tensor, a), mask_of(c, a), _order(c, a, orders)
        if found is None or isinstance(mask, Poison) or order is None or any(isinstance(v, Poison) for v in values):
            return
        indices, place = found
        tiles = [v for v in values if isinstance(v, TileValue)]
        shape = together(c, (*indices, *tiles, *(() if mask is None else (mask,))), place)
        if shape is None:
            return
        self.ok = True
        self.shape = shape
        self.ordering, self.scope = order
        with c.at(a.node):
            self.mask = None if mask is None else broadcast(c, mask, shape)
            self.indices = [stretched(c, index, len(shape)) for index in indices]
            self.values = [broadcast(c, v, shape) for v in tiles]


def _order(
    c: Context, a: Arguments, orders: tuple[str, ...]
) -> tuple[MemoryOrderingSemanticsAttr, MemoryScopeAttr | None] | None:
    """The memory order and scope of an access, or None after reporting."""
    order, scope = a["order"], a["scope"]
    chosen = order.value if isinstance(order, Static) else None
    within = scope.value if isinstance(scope, Static) else scope
    problem, at, known = "", "order", orders
    if chosen not in orders:
        problem = f"cannot have {describe(order)} as its order"
    elif within is not None and within not in SCOPES:
        problem, at, known = f"cannot have {describe(scope)} as its scope", "scope", tuple(SCOPES)
    elif within is not None and chosen == "weak":
        problem, known = "has a scope, and is ordered with nothing", orders[1:]
    if problem:
        error = errors.WrongArguments(
            c.span(a.place(at)), function=a.signature.name, problem=problem, signature=a.signature.text
        )
        listed = ", ".join(f'"{k}"' for k in known)
        c.error(error.add(error.Instead(f"choose `{at}` from {listed}")))
        return None
    if chosen == "weak":
        return MemoryOrderingSemanticsAttr.of("weak"), None
    return (
        MemoryOrderingSemanticsAttr.of(str(chosen)),
        MemoryScopeAttr.of(SCOPES[str(within) if within is not None else "device"]),
    )


def gather(c: Context, a: Arguments) -> Value:
    """`x.gather(i, j)`."""
    tensor, reason = _begun(c, a)
    dtype = tensor.spec.dtype
    access, padding = _Access(c, tensor, a, UnsafeLoadOp.ORDERINGS), constant_padding_of(c, a, dtype)
    if not access.ok or isinstance(padding, Poison):
        return POISON
    held = held_as(dtype)
    with c.at(a.node):
        read = c.tile(
            held,
            access.shape,
            UnsafeLoadOp,
            reason,
            tensor.handle,
            access.indices,
            tile_type(access.shape, held),
            access.ordering,
            access.scope,
            access.mask,
            padding,
        )
        return convert(c, read, dtype)


def scatter(c: Context, a: Arguments) -> Value:
    """`x.scatter(values, i, j)`."""
    tensor, reason = _begun(c, a)
    access = _Access(c, tensor, a, UnsafeStoreOp.ORDERINGS, stored(c, tensor, a["values"], a.place("values")))
    if not access.ok:
        return POISON
    with c.at(a.node):
        (values,) = access.values
        c.add(UnsafeStoreOp, reason, values, tensor.handle, access.indices, access.ordering, access.scope, access.mask)
    return NONE


def update(c: Context, a: Arguments) -> Value:
    """`x.atomic_add(values, i, j)`, and the other updates."""
    tensor, reason = _begun(c, a)
    name, node = a.signature.name, a.node
    dtype = tensor.spec.dtype
    signed, unsigned, floating = ATOMICS[name]
    mode = floating if dtype.is_float else signed if dtype.signed else unsigned
    if not _available(c, tensor, name, frozenset() if not mode else atomic_elements(mode), node):
        return POISON
    access = _Access(c, tensor, a, ALL_ORDERS, stored(c, tensor, a["values"], a.place("values")))
    if not access.ok:
        return POISON
    with c.at(node):
        (values,) = access.values
        given = (values, tensor.handle, access.indices, access.ordering, access.scope, access.mask)
        return c.tile(dtype, access.shape, UnsafeUpdateOp, reason, mode, *given)


def swap(c: Context, a: Arguments) -> Value:
    """`x.atomic_cas(expected, desired, i, j)`."""
    tensor, reason = _begun(c, a)
    node = a.node
    dtype = tensor.spec.dtype
    if not _available(c, tensor, "atomic_cas", frozenset(("i32", "i64", "f32", "f64")), node):
        return POISON
    pair = [stored(c, tensor, a[name], a.place(name)) for name in ("expected", "desired")]
    access = _Access(c, tensor, a, ALL_ORDERS, *pair)
    if not access.ok:
        return POISON
    with c.at(node):
        given = (*access.values, tensor.handle, access.indices, access.ordering, access.scope, access.mask)
        return c.tile(dtype, access.shape, UnsafeSwapOp, reason, *given)


def _available(c: Context, tensor: TensorValue, name: str, elements: frozenset[str], node: core.Call) -> bool:
    """Whether elements of a tensor can be updated so; reports it if not."""
    dtype = tensor.spec.dtype
    if dtype.kind != "bool" and element_name(storage(dtype)) in elements:
        return True
    known = [d for d in dtypes.ALL if d.kind != "bool" and d.storage_bits and element_name(storage(d)) in elements]
    listed = ", ".join(f"`{d}`" for d in known) or "integers of 32 and 64 bits"
    c.error(errors.UpdateUnavailable(c.span(node), name=tensor.name, update=name, dtype=str(dtype), known=listed))
    return False
