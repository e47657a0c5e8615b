"""
What launches cost the host, as ratios to cuda.core's launch with everything prepared, on the stub driver, where neither
the driver nor a GPU takes any time. Run by test_native.py: a regression shows as a ratio that is twice what it was.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.host_side import COUNT, SMALL, Work, bound_chain, chain
from stub import the_stub

import freehold as fh
from freehold.runtime.base import native
from freehold.runtime.gpu.timeline import timeline
from freehold.runtime.memory import ledger

LIMITS = {
    "chained": (2.7, 75.0),
    "gathered": (2.3, 75.0),
    "bound, gathered": (1.3, 75.0),
    "bound, chained": (2.3, 75.0),
    "each enqueued": (5.0, 75.0),
    "leases": (1.0, 1.0),
    "replays": (4.5, 5.0),
}
"""The most that each may cost, in launches by hand: with the native module and without it. Over twice what it does."""


def ratio(ours: Callable[[], object], hand: Callable[[], object]) -> float:
    """The least of some: what else the machine does makes both slower, and not always alike."""
    found: list[float] = []
    for _ in range(15):
        began = process_time()
        hand()
        between = process_time()
        ours()
        found.append((process_time() - between) / (between - began))
    return min(found)


def main() -> None:
    """Prints each ratio, and what is too large."""
    the_stub()
    work = Work(SMALL, False)
    user = timeline(0)
    with fh.graph() as graph:
        graph.record(work.launch())

    def leases() -> None:
        for _ in range(COUNT):
            with user.lock:
                ledger.lease(user, (work.x, work.y), (work.z,))

    rows: dict[str, Callable[[], object]] = {
        "chained": lambda: chain(work).sync(),
        "gathered": lambda: fh.gather([work.launch() for _ in range(COUNT)]).sync(),
        "bound, gathered": lambda: fh.gather([work.bound] * COUNT).sync(),
        "bound, chained": lambda: bound_chain(work).sync(),
        "each enqueued": lambda: [work.launch().on() for _ in range(COUNT)],
        "leases": leases,
        "replays": lambda: [graph.replay().on() for _ in range(COUNT)],
    }
    for name, ours in rows.items():
        ours()
        found = ratio(ours, work.by_hand_many)
        most = LIMITS[name][0 if native.BUILT else 1]
        print(f"{name.replace(' ', '_')}:{found:.2f}{'' if found < most else f'_is_more_than_{most}'}")


if __name__ == "__main__":
    main()
