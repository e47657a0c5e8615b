"""
The host's side against a model (`host_machine.py`) on the stub driver, whose streams run in random orders.

    python test/runtime/stub_machine.py [--examples 200] [--steps 50]

On a GPU, where the driver is no stub, the same machine runs on the GPU.
"""

from __future__ import annotations

import argparse
import gc
from typing import Any

from host_machine import HostMachine
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule, run_state_machine_as_test
from stub import the_stub

from freehold.runtime.gpu import driver

STUB = the_stub()
STREAMS: list[Any] = []


class GpuMachine(HostMachine):
    """The same on a GPU."""

    device = 0

    def stream(self) -> Any:
        """One of four, or the current one."""
        return self.chosen.choice([*STREAMS, None])

    @initialize(seed=st.integers(1, 2**32))
    def defer(self, seed: int) -> None:
        """From here on streams are queues."""
        if STUB is not None:
            STUB.stub_defer(seed)

    @rule(items=st.integers(1, 5))
    def progress(self, items: int) -> None:
        """The GPU gets a little further."""
        if STUB is not None:
            STUB.stub_run(items)

    def teardown(self) -> None:
        """Ends everything; nothing may have touched what it should not have."""
        super().teardown()
        if STUB is not None:
            STUB.stub_defer(0)
            assert STUB.stub_stray() == 0, "memory was used that was not allocated"
        for root in self.roots:
            assert not root.holds


def main() -> None:
    """Runs it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=200)
    parser.add_argument("--steps", type=int, default=50)
    arguments = parser.parse_args()
    gc.collect()
    gc.freeze()  # the machine collects often, and what is there now is nothing of its own
    STREAMS.extend(driver.new_stream(0) for _ in range(4))
    chosen = settings(
        max_examples=arguments.examples,
        stateful_step_count=arguments.steps,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=(HealthCheck.too_slow,),
    )
    run_state_machine_as_test(GpuMachine, settings=chosen)
    print("right")


if __name__ == "__main__":
    main()
