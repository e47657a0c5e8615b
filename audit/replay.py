"""What the audit found wrong, run on the interpreter: the tile blocks that it is about, on arrays that are there.

Only what happens there, too, is shown as an error. The interpreter shares no code with what found it, but for the
meaning of single operations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from xdsl.ir import Operation

from freehold.audit.facts import Call, Placed
from freehold.dialects.cuda_tile.types import PointerType, TileType
from freehold.dialects.location import span_of
from freehold.runtime.interpreter.compile import TooManyTurns
from freehold.runtime.interpreter.elements import Array, element_of
from freehold.runtime.interpreter.launch import Entry
from freehold.support.diagnostic import Error, Rejected
from freehold.support.span import Span

MOST_BYTES: Final = 1 << 28
"""Of arrays that are made for a replay."""
_MOST_TURNS: Final = 20_000
_FILLED: Final = 1 << 20
"""Elements of an array that are given different values; larger ones are zeros."""
_GAP: Final = 1 << 16
"""Bytes between two arrays, which belong to nobody."""


@dataclass(frozen=True)
class Replay:
    """What became of a replay: the error that it ended in, or why it is none."""

    error: Error | None
    why: str = ""


def replay(module: Operation, symbol: str, call: Call, blocks: Sequence[int], *, checked: bool) -> Replay:
    """Runs tile blocks one after another, on arrays as the facts say. `checked` looks for undefined results, too."""
    total = sum(placed.end - placed.start for placed in call.arrays.values())
    if total > MOST_BYTES:
        return Replay(None, f"its arrays have {total >> 20} MiB, too much to replay it")
    try:
        _run(module, symbol, call, blocks, _MOST_TURNS, checked=checked)
    except Rejected as rejected:
        return Replay(rejected.errors[0])
    except TooManyTurns:
        return Replay(None, "the replay does not come to its end")
    except OverflowError:
        return Replay(None, "addresses in its replay do not fit in 64 bits")
    return Replay(None, "the replay went well")


def ending(module: Operation, symbol: str, call: Call, turns: int) -> str | None:
    """The code of the error in which a run of all tile blocks ends; empty if it ends well, None if it does not end."""
    try:
        _run(module, symbol, call, None, turns)
    except Rejected as rejected:
        return rejected.codes[0]
    except (TooManyTurns, OverflowError):
        return None
    return ""


def _run(
    module: Operation, symbol: str, call: Call, blocks: Sequence[int] | None, turns: int, *, checked: bool = False
) -> None:
    """Runs the tile blocks, or some, watched for races. Raises `Rejected`, `TooManyTurns` and `OverflowError`."""
    values, keep = arrays_of(call)
    try:
        unwritten = frozenset(n for n, placed in call.arrays.items() if placed.tensor.unwritten)
        entry = Entry.of(module, symbol, checked=checked, turns=turns)
        parameters = entry.op.regions[0].block.args
        read = [_read_as(p.type, v) for p, v in zip(parameters, values, strict=True)]
        entry.run(read, call.launch.grid, names=call.names, only=blocks, watched=True, outputs=unwritten, write=_silent)
    finally:
        del keep


def _read_as(type_: object, value: Any) -> Any:
    """An array as a pointer's elements: it may be given as an array of others of their size."""
    if value.__class__ is not np.ndarray or not isinstance(type_, TileType):
        return value
    wanted = element_of(type_.element_type.pointee).dtype if isinstance(type_.element_type, PointerType) else None
    return value.view(wanted) if wanted is not None and value.itemsize == wanted.itemsize else value


def _silent(_: str) -> None:
    """What kernels print is of no interest here."""


def agrees(error: Error, codes: Sequence[str], ops: Sequence[Operation]) -> bool:
    """Whether an error is of one of the codes, and about one of the operations."""
    if error.code not in codes:
        return False
    spans = [span_of(op) for op in ops]
    return not isinstance(error.place, Span) or error.place in spans or None in spans


def arrays_of(call: Call) -> tuple[list[Any], list[Array]]:
    """Arrays and numbers for the parameters of an entry. Arrays that share memory by the facts do so here."""
    memories: list[list[Placed]] = []
    end = -1
    for placed in sorted(call.arrays.values(), key=lambda placed: placed.start):
        if placed.start < end:
            memories[-1].append(placed)
        else:
            memories.append([placed])
        end = max(end, placed.end)
    made: dict[str, Array] = {}
    keep: list[Array] = []
    for memory in memories:
        start, size = memory[0].start, max(placed.end for placed in memory) - memory[0].start
        raw = np.zeros(size + 2 * _GAP + 4096, np.uint8)
        keep.append(raw)
        skip = (start - raw.ctypes.data - _GAP) % 4096 + _GAP
        for placed in memory:
            first = skip + placed.start - start
            made[placed.tensor.name] = _array(placed, raw[first : first + placed.end - placed.start])
    values: list[Any] = []
    for value in call.values:
        if isinstance(value, Placed) and value.tensor.words:
            values.append([made[word] if isinstance(word, str) else word for word in value.tensor.words])
        else:
            values.append(made[value.tensor.name] if isinstance(value, Placed) else value)
    return values, keep


def _array(placed: Placed, memory: Array) -> Array:
    """The elements of an array in its memory; in one dimension where its strides overlap."""
    tensor = placed.tensor
    flat = memory.view(tensor.element.dtype)
    if tensor.regular:
        steps = [s * flat.itemsize for s in tensor.steps]
        found: Array = np.ndarray(tensor.shape, flat.dtype, flat, 0, steps)
    else:
        found = flat
    if tensor.contents is not None and tensor.regular:
        found[...] = tensor.contents.astype(found.dtype)
    elif tensor.contents is None and found.size <= _FILLED and tensor.element.is_float:
        with np.errstate(all="ignore"):
            found[...] = (np.arange(found.size) % 97 / 97 + 0.5).reshape(found.shape)
    return found
