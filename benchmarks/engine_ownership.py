"""
What ownership costs when the engine decodes: the engine beside itself with the ledger and the kernels' checks left out.

    python -m benchmarks.engine_ownership --size 0.6B

What is left out is what no other engine has: the kernels' checks of indices that are data (pages, slots, tokens), and
leases of all that a graph uses but its inputs and the tokens that it chooses, which any engine has to put in order with
the copies around a step. It is one engine, whose steps are replayed from graphs of either kind, in turns.
"""

from __future__ import annotations

import argparse
from collections.abc import Generator
from contextlib import contextmanager
from time import perf_counter
from typing import Any
from unittest.mock import patch

import freehold as fh
from benchmarks.engine import SIZES, engine_of, greedy, prompts_of
from benchmarks.report import Row, against, show
from freehold.engine import Engine
from freehold.engine.runner import Runner
from freehold.runtime.jit.kernel import Kernel
from freehold.runtime.jit.launchable import kernels
from freehold.runtime.launch.launch import reads_nothing


@contextmanager
def unchecked() -> Generator[None]:
    """Kernels that are compiled meanwhile check nothing; graphs that are recorded lease inputs and results alone."""
    compiled: Any = Kernel.compiled
    recorded: Any = Runner._graph  # pyright: ignore[reportPrivateUsage] -- to be replaced

    def without_checks(self: Kernel, specialisation: Any, arch: str, options: Any = None) -> Any:
        given = options or self.options
        without = given if given.deny_kernel_checks else given._replace(checks=False)  # what checks nothing stays
        return compiled(self, specialisation, arch, without)

    def without_leases(self: Runner, batch: Any, ways: Any) -> Any:
        graph = recorded(self, batch, ways)
        memories = self._memory  # pyright: ignore[reportPrivateUsage] -- what the host and the step share
        own = [t.space for m in memories for t in (m.sent, m.told, m.chosen)]
        recording = graph.recording
        recording.checked = ()  # the steps of ranges are compared still, and nobody looks at it
        recording.reads = [t for t in recording.reads if t.space in own]
        recording.writes = [t for t in recording.writes if t.space in own]
        return graph

    with patch.object(Kernel, "compiled", without_checks), patch.object(Runner, "_graph", without_leases):
        _forget()  # what the engine beside this one has planned
        yield
    _forget()


def _forget() -> None:
    """Lets all launches be planned anew."""
    for kernel in list(kernels.values()):
        dispatcher = kernel.dispatcher
        dispatcher._plans.clear()  # pyright: ignore[reportPrivateUsage] -- nobody else wants to
        dispatcher.launcher, dispatcher.read = None, reads_nothing


def without_ownership(engine: Engine) -> dict[Any, Any]:
    """The graphs of an engine that has nothing to do, recorded once more without what ownership costs."""
    runner: Any = engine.runner
    graphs: dict[Any, Any] = {}
    with unchecked():
        for shape, turn, ways in runner._recorded:
            runner._turn = turn
            batch, inputs = runner._batch(shape), runner._numbers(shape)
            inputs.fill([])
            inputs.choice.fill([])
            batch.send(inputs.numbers)
            for operation in runner._operations(batch, ways):  # in which kernels are loaded
                operation.sync()
            graphs[shape, turn, ways] = runner._graph(batch, ways)
    return graphs


def answering(engine: Engine, graphs: dict[Any, Any], count: int, tokens: int) -> float:
    """Seconds that so many answers take whose prompts are in the cache, from these graphs."""
    engine.runner._recorded = graphs  # pyright: ignore[reportPrivateUsage] -- nobody else wants to
    prompts = prompts_of(engine, count, 65)
    began = perf_counter()
    engine.generate(prompts, greedy(tokens))
    return perf_counter() - began


def compared(size: str, counts: list[int], tokens: int, times: int, **options: Any) -> list[Row]:
    """A row for each number of sequences; `options` are the engine's."""
    with engine_of(size, sequences=max(counts), tokens=256, memory=0.3, **options) as engine:
        owned = engine.runner._recorded  # pyright: ignore[reportPrivateUsage]
        other = without_ownership(engine)
        for count in counts:
            answering(engine, owned, count, 2)
        return [
            against(
                f"{count} at a time, a step",
                lambda count=count: answering(engine, owned, count, tokens),
                lambda count=count: answering(engine, other, count, tokens),
                "without ownership",
                unit="us",
                scale=1e6 / tokens,
                times=times,
                mark=">= 0.995",
            )
            for count in counts
        ]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="0.6B")
    parser.add_argument("--tokens", type=int, default=256)
    parser.add_argument("--batch", type=int, nargs="*", default=[1, 32])
    parser.add_argument("--times", type=int, default=7)
    parser.add_argument("--json", metavar="FILE", help="write the rows there, too")
    given = parser.parse_args()
    if not fh.gpu_available():
        parser.error("there is no GPU")
    show(compared(given.size, given.batch, given.tokens, given.times), given.json)


if __name__ == "__main__":
    main()
