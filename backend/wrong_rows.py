"""
Rows that the blocks of a cluster share, and for whose bytes their code waits wrongly (O414).

Where several blocks of a cluster need the same tile, for a product or with one, each of them has the tensor memory
accelerator load a part of it for all. A load brings at most 256 numbers of an axis, so the assembler (release 13.5)
cuts a longer row first into pieces of 256, and then each piece into a part for each block. But the descriptor of the
loads, which says how much each brings, it makes for a block's part of the whole row, where that is no more than 256. So
they bring more than the code waits for: of 512 numbers in a cluster of four 128 a load instead of 64. Of a longer row
the descriptor is for a part of 256 numbers, too, and right. Tiles of several rows are cut otherwise.

The descriptors are made by code for the processor. So what is looked at are the loads: a row that is cut wrongly has
several for one barrier, and no more than there are blocks. The text of the kernel's PTX, which the cubin has, says how
many bytes a barrier waits for. Where that cannot be read, the row counts as wrong, and so do rows that are right with
as few loads, as some that are reshaped to several rows.
"""

from __future__ import annotations

import re
from collections import Counter
from math import prod
from typing import TYPE_CHECKING, Final, cast

from freehold.backend.cubin import ptx
from freehold.backend.errors.wrong_code import NeverEnds
from freehold.backend.flow import CLUSTER, by_threads, hint_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Operation

    from freehold.dialects.cuda_tile.ops.module import EntryOp
    from freehold.dialects.cuda_tile.ops.views import LoadViewTkoOp
    from freehold.dialects.cuda_tile.types import TileType

_AT_ONCE: Final = 256
"""Numbers along an axis that one load by the tensor memory accelerator can bring."""
_FOR_SEVERAL: Final = re.compile(r"cp\.async\.\S*multicast")
"""The name of a load for several blocks."""
_SHARED: Final = re.compile(r"cp\.async\.\S*multicast\S*\s+\[[^]]*\], \[[^]]*\], \[([^]]+)\]")
"""The whole load; its barrier."""
_WAITED_FOR: Final = re.compile(r"mbarrier\.arrive\.expect_tx\S*\s+\S+ \[([^]]+)\], (\S+);")
"""A barrier, and the bytes that it is told to wait for."""
_NUMBER: Final = re.compile(r"mov\.b32\s+(%r\d+), (\S+);")
"""What is put into a register."""


def overfull(cubin: bytes, bytecode: bytes, arch: str) -> list[NeverEnds]:
    """The kernels of a cubin, assembled from this bytecode, whose blocks wait for fewer bytes of a row than come."""
    from freehold.backend.bytecode.reader import read_bytecode
    from freehold.dialects.cuda_tile.ops.module import EntryOp

    if CLUSTER.encode() not in bytecode:  # no kernel has the hint: it need not be read again
        return []
    entries = [op for op in read_bytecode(bytecode).walk() if isinstance(op, EntryOp)]
    found = [(entry, loads) for entry in entries if (loads := long_rows(entry, [*entry.walk()], arch))]
    text = ptx(cubin) if found else {}
    errors: list[NeverEnds] = []
    for entry, loads in found:
        name, blocks, longest = entry.sym_name.data, hint_of(entry, arch, CLUSTER, 1), max(map(_elements, loads))
        if not _is_right(text.get(name, ""), blocks, max(map(_size, loads))):
            error = NeverEnds(None, f"kernel `{name}`", arch)
            errors.append(error.add(error.Shared(blocks, longest), error.LoadOtherwise()))
    return errors


def long_rows(entry: EntryOp, operations: Sequence[Operation], arch: str) -> list[LoadViewTkoOp]:
    """The loads of rows that blocks might share so: whether they do is the assembler's choice."""
    from freehold.dialects.cuda_tile.ops.mma import Mma
    from freehold.dialects.cuda_tile.ops.views import LoadViewTkoOp

    if hint_of(entry, arch, CLUSTER, 1) < 2 or not any(isinstance(op, Mma) for op in operations):
        return []
    return [op for op in operations if isinstance(op, LoadViewTkoOp) and _is_long(op) and not by_threads(op, arch)]


def _is_long(load: LoadViewTkoOp) -> bool:
    """Whether a tile is one row, and more than a load can bring."""
    return max(_type(load).dims, default=1) == _elements(load) > _AT_ONCE


def _is_right(text: str, blocks: int, size: int) -> bool:
    """
    Whether no barrier of a kernel, as PTX, may be that of a row of `size` bytes which is cut wrongly.

    Such a barrier has two loads or more for several blocks, no more of them than `blocks`, and waits for `size` bytes
    or fewer. Where it cannot be read for how many it waits, it may be one.
    """
    loads = Counter(_SHARED.findall(text))
    if not text or loads.total() != len(_FOR_SEVERAL.findall(text)):
        return False
    put: dict[str, set[str]] = {}
    for register, value in _NUMBER.findall(text):
        put.setdefault(register, set()).add(value)
    waited: dict[str, set[str]] = {}
    for barrier, register in _WAITED_FOR.findall(text):
        waited.setdefault(barrier, set()).update(put.get(register, {register}))
    suspects = [waited.get(barrier, {""}) for barrier, count in loads.items() if 1 < count <= blocks]
    return all(amount.isdigit() and int(amount) > size for amounts in suspects for amount in amounts)


def _elements(load: LoadViewTkoOp) -> int:
    return prod(_type(load).dims)


def _size(load: LoadViewTkoOp) -> int:
    """Bytes of a tile."""
    from freehold.dialects.cuda_tile.types import ELEMENT_BITS, element_name

    return _elements(load) * -(-ELEMENT_BITS[element_name(_type(load).element_type)] // 8)


def _type(load: LoadViewTkoOp) -> TileType:
    return cast("TileType", load.results[0].type)
