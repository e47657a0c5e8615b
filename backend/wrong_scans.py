"""
Running sums that warps join wrongly (O424).

A warp holds several rows of a tile whose columns are added up, and joins them by shuffles. Where its threads hold more
rows than that, one behind the other, the last of a group of rows is handed to the next: the assembler (release 13.5)
asks the thread for it whose number is that of the row, and not the one that has the row's last column. So all columns
go on from the sum of one of them. In PTX that is a shuffle from a thread of a fixed number, which is right where it is
the warp's last, 31, for then a warp holds one row. Several warps hand sums on through shared memory, and there the
places are wrong for tiles with elements in two more axes beside the one that is added up.

The text of the kernel's PTX, which the cubin has, says which way was taken. Where it has no such text, a kernel whose
tiles have more than one axis counts as wrong.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, cast

from freehold.backend.cubin import ptx
from freehold.backend.errors.wrong_code import ScanMixed

if TYPE_CHECKING:
    from freehold.dialects.cuda_tile.ops.reduce import ScanOp
    from freehold.dialects.cuda_tile.types import TileType

_STEP: Final = "shfl.sync.up"
"""What adds a thread's sum to that of one behind it."""
_HANDED_ON: Final = re.compile(r"shfl\.sync\.idx\.b32\s+[^,]+, [^,]+, ([^,]+), 31,")
"""A shuffle from one thread to all of a warp; the thread's number."""
_SHARED: Final = "st.shared"


def mixed(cubin: bytes, bytecode: bytes, arch: str) -> list[ScanMixed]:
    """The kernels of a cubin, assembled from this bytecode, whose running sums are, or may be, joined wrongly."""
    texts = ptx(cubin)
    if texts and not any(_STEP in text for text in texts.values()):
        return []
    from freehold.backend.bytecode.reader import read_bytecode
    from freehold.dialects.cuda_tile.ops.module import EntryOp
    from freehold.dialects.cuda_tile.ops.reduce import ScanOp

    errors: list[ScanMixed] = []
    for entry in read_bytecode(bytecode).walk():
        if not isinstance(entry, EntryOp):
            continue
        name = entry.sym_name.data
        wrong = [op for op in entry.walk() if isinstance(op, ScanOp) and not _is_right(texts.get(name), beside(op))]
        if wrong:
            shape = " x ".join(map(str, _type(wrong[0]).dims))
            errors.append(ScanMixed(None, f"kernel `{name}`", arch, shape, wrong[0].dim.value.data))
    return errors


def beside(scan: ScanOp) -> int:
    """How many axes of a tile have several elements, but for the one that is added up along."""
    return sum(extent > 1 for axis, extent in enumerate(_type(scan).dims) if axis != scan.dim.value.data)


def _is_right(text: str | None, axes: int) -> bool:
    """Whether a kernel, as PTX, joins sums of tiles with several elements in so many other axes as it should."""
    if axes == 0:
        return True
    if text is None:
        return False
    if _STEP not in text:
        return True
    lanes = _HANDED_ON.findall(text)
    return all(lane in ("0", "31") for lane in lanes) and (axes == 1 or _SHARED not in text)


def _type(scan: ScanOp) -> TileType:
    return cast("TileType", scan.results[0].type)
