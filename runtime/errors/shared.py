"""Words that several errors share."""

from __future__ import annotations

NOTHING_LAUNCHED = "nothing was launched"
TUPLE_OF_ONE_SHAPE = (
    "all tensors of a tuple are cut alike: launch `{kernel}` once for each shape, with"
    " `[t for t in {many} if t.shape == shape]`"
)
"""A help, where tensors of one tuple are of unlike sizes."""
