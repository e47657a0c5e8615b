"""
What launches cost the host, as steps in Python a launch, on the stub driver. Run by test_native.py: a short way that is
not taken shows as many times as many. What they cost as time is measured by `benchmarks.host_side`.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.host_side import COUNT, SMALL, Work, bound_chain, chain, foreign_add
from counting import steps
from stub import the_stub

import freehold as fh
from freehold.runtime.base import native
from freehold.runtime.gpu.timeline import timeline
from freehold.runtime.memory import ledger

LIMITS = {
    "chained": (13, 800),
    "gathered": (10, 770),
    "bound, gathered": (1, 740),
    "bound, chained": (8, 770),
    "each enqueued": (11, 800),
    "each awaited": (200, 1070),
    "foreign, each enqueued": (4, 780),
    "leases": (34, 34),
    "replays": (95, 95),
}
"""The most steps of one of each: with the native module and without it. Over once and a half what it takes."""


def main() -> None:
    """Prints the steps of each, and what is too many."""
    the_stub()
    work = Work(SMALL, False)
    user = timeline(0)
    with fh.graph() as graph:
        graph.record(work.launch())

    def leases() -> None:
        for _ in range(COUNT):
            with user.lock:
                ledger.lease(user, (work.x, work.y), (work.z,))

    async def awaited() -> None:
        for _ in range(COUNT):
            await work.launch()

    rows: dict[str, Callable[[], object]] = {
        "chained": lambda: chain(work).sync(),
        "gathered": lambda: fh.gather([work.launch() for _ in range(COUNT)]).sync(),
        "bound, gathered": lambda: fh.gather([work.bound] * COUNT).sync(),
        "bound, chained": lambda: bound_chain(work).sync(),
        "each enqueued": lambda: [work.launch().on() for _ in range(COUNT)],
        "each awaited": lambda: asyncio.run(awaited()),
        "foreign, each enqueued": lambda: [foreign_add(work.z, work.x, work.y).on() for _ in range(COUNT)],
        "leases": leases,
        "replays": lambda: [graph.replay().on() for _ in range(COUNT)],
    }
    for name, ours in rows.items():
        ours()
        found = steps(ours) / COUNT
        most = LIMITS[name][0 if native.BUILT else 1]
        print(f"{name.replace(' ', '_')}:{found:.1f}{'' if found < most else f'_is_more_than_{most}'}")


if __name__ == "__main__":
    main()
