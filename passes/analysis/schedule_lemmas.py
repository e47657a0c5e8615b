"""Why every point of an index space is handed out exactly once, by schedule.

A schedule maps the numbers below the number of points to points (`freehold.passes.schedules`). That each map is a
bijection is a theorem about that map, for all extents: it needs no proof a kernel. The tests prove each entry of this
table by the solver, for symbolic extents and, up to the ranks that they list, each rank; `verify-partitions` looks
entries up, and refuses a schedule that has none.
"""

from __future__ import annotations

from typing import Final

from freehold.dialects.ownership import BlocksKind, OrderAttr, OrderKind

ORDERS: Final[dict[OrderKind, str]] = {
    OrderKind.ROW: "row order numbers every point once",
    OrderKind.COLUMN: "column order numbers every point once",
    OrderKind.GROUPED: "grouped order numbers every point once, those of a ragged last band too",
}
"""The lemma of each order. A bijection of the numbers below `count(grid)` and the points of `grid`."""

BLOCKS: Final[dict[BlocksKind, str]] = {
    BlocksKind.EACH: "block n takes number n",
    BlocksKind.PERSISTENT: "block b of n takes the numbers b, b + n, b + 2 * n and so on",
}
"""The lemma of each way to spread numbers over blocks: each number belongs to one block, in one of its turns."""


def lemma(order: OrderAttr, rank: int, blocks: BlocksKind) -> str | None:
    """Why a schedule hands out each point of an index space of this rank once; None where nothing says so."""
    least_rank = 2 if order.order is OrderKind.GROUPED else 0
    if order.order not in ORDERS or blocks not in BLOCKS or rank < least_rank or order.size.data < 1:
        return None
    return f"{ORDERS[order.order]}; {BLOCKS[blocks]}"
