"""The engine on the stub driver, which computes nothing: what steps ask of the driver. Run by test_stub_driver.py."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest.mock import Mock, patch

import pytest
from stub import run_tests, the_stub

import freehold as fh
from freehold.runtime.gpu import captures, transfers
from freehold.runtime.operations import graph
from freehold.runtime.variants import build

stub = the_stub()
PAGE = 16


@cache
def engine() -> Any:
    """An engine of a tiny model, as it is when its requests begin. The tokens that it reads are zeros."""
    if not all(find_spec(name) for name in ("safetensors", "tokenizers", "jinja2")):
        pytest.skip("what the engine needs is not installed")
    from freehold.engine import Engine, demo

    with tempfile.TemporaryDirectory() as folder:
        made = demo.make(Path(folder), num_hidden_layers=2, dtype="bfloat16")
        return Engine(made, device=0, tokens=32, sequences=16, page=PAGE, pages=64)


@contextmanager
def counted() -> Generator[Counter[str]]:
    """How often things are done meanwhile that take long, or that a step does."""
    counts: Counter[str] = Counter()

    def counting(owner: Any, name: str, what: str) -> Any:
        inner = getattr(owner, name)

        def call(*arguments: Any, **options: Any) -> Any:
            counts[what] += 1
            return inner(*arguments, **options)

        return patch.object(owner, name, call)

    with (
        counting(build, "build", "compiled"),
        counting(graph.Recorded, "__exit__", "recorded"),
        counting(captures, "run_graph", "replayed"),
        counting(transfers, "allocate", "allocated"),
        counting(transfers, "copy", "copied"),
    ):
        before = stub.stub_launches()
        yield counts
        counts["launched"] = stub.stub_launches() - before


def answered(prompts: list[int], tokens: int, **sampling: Any) -> None:
    """Lets prompts of such lengths be answered with so many tokens each."""
    from freehold.engine import Sampling

    asked = Sampling(max_tokens=tokens, ignore_eos=True, **sampling)
    found = engine().generate([[n + 1] * n for n in prompts], asked)
    assert [len(answer.tokens) for answer in found] == [tokens] * len(prompts)


def test_no_request_waits_for_the_assembler() -> None:
    engine()
    with counted() as counts:
        for prompts in ([1], [2, 3], [31], [100], [5, 40, 17], [1, 1, 1, 1, 1, 90], [1] * 13 + [70]):
            answered(prompts, 5, temperature=0)
            answered(prompts, 3, seed=1, top_k=4)
    assert counts["replayed"] > 20
    assert (counts["compiled"], counts["recorded"]) == (0, 0), counts


def test_a_step_that_decodes_is_a_replay() -> None:
    answered([3], 2, temperature=0)
    with counted() as one:
        answered([3], 4, temperature=0)
    with counted() as other:
        answered([3], 36, temperature=0)
    more = {what: other[what] - one[what] for what in other if other[what] > one[what]}
    launches = more.pop("launched", 0)  # of the graph
    assert more == {"replayed": 32}, more
    assert launches % 32 == 0


def test_what_has_a_way_of_its_own_is_recorded_once() -> None:
    for _ in range(2):
        answered([3], 9, temperature=0, logit_bias={1: 2.0})
    with counted() as counts:
        answered([3], 9, temperature=0, logit_bias={1: 2.0})
    assert counts["recorded"] == counts["compiled"] == 0


def test_graphs_that_have_no_memory_are_left_out() -> None:
    runner = engine().runner
    known = dict(runner._recorded)
    runner._recorded.clear()

    def refuse(*_: Any) -> Any:
        raise MemoryError("no room for a graph")

    with patch.object(graph.Recorded, "__exit__", refuse), counted() as counts:
        answered([3], 9, temperature=0)
    assert counts["replayed"] == 0
    assert counts["launched"] > 9
    runner._recorded.clear()
    runner._recorded.update(known)


def test_caches_are_no_larger_than_a_launch_can_address() -> None:
    runner = engine().runner
    c = runner.model.config
    with (
        patch.object(fh, "memory_left", Mock(return_value=(1 << 50, 1 << 50))),
        patch.object(runner.model, "sequences", 1 << 30),
    ):
        pages = runner._pages_that_fit(1.0)
    assert 1 << 30 < pages * PAGE * 2 * c.kv_heads * c.head < 1 << 31


def test_the_end() -> None:
    graphs = [graph for graph in engine().runner._recorded.values() if graph is not None]
    assert graphs
    engine().close()
    assert not engine().healthy
    assert not engine().runner._recorded
    assert all("closed" in repr(graph) for graph in graphs)


if __name__ == "__main__":
    run_tests(globals())
