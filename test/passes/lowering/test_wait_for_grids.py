"""Kernels that begin while the one in front of them ends: what they load before they have waited, and who knows it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Const, Out, Ref
from freehold.backend.bytecode.writer import write_bytecode
from freehold.backend.cubin import waits_for_grids
from freehold.dialects.cuda_tile.ops.memory import GdcWaitTkoOp, MakeTokenOp
from freehold.dialects.cuda_tile.ops.views import LoadViewTkoOp
from freehold.passes.rewriting import walk
from freehold.runtime.gpu import captures, driver
from freehold.runtime.operations.recording import Recording
from freehold.runtime.variants.build import Options, emitted, validate
from freehold.support.diagnostic import Rejected


def scaled(y: Out["M"], x: Ref["M"], w: Ref["M"], TURNS: Const[int] = 1):
    by = w.load_like(y)
    for _ in range(TURNS):
        by += x.load_like(y)
    y.store(by)


def verified(early: tuple[str, ...]) -> tuple[Any, Options]:
    """The kernel, and the options with which it overlaps."""
    y, x, w = (np.zeros(64, "f") for _ in range(3))
    return fh.kernel(scaled).verify(fh.partition(y, 16), x, w), Options(overlap=early)


@pytest.mark.parametrize("early", [(), ("w",), ("w", "x")])
def test_what_is_not_early_waits(early: tuple[str, ...]) -> None:
    module, options = verified(early)
    made = emitted(module, options, "sm_90")
    loads = [op for op in walk(made) if isinstance(op, LoadViewTkoOp)]
    assert [load.token is None for load in loads] == [name in early for name in ("w", "x")]
    (wait,) = (op for op in walk(made) if isinstance(op, GdcWaitTkoOp))
    ahead = () if wait.token is None else getattr(wait.token.owner, "tokens", (wait.token,))
    assert [*ahead] == [load.result_token for load in loads if load.token is None and load.parent is wait.parent]
    assert "gdc" not in str(emitted(module, options, "sm_80"))
    validate(module, write_bytecode(made), options, "sm_90")


@pytest.mark.parametrize(
    "fault", ["a load begins an order", "an access waits for nothing", "no wait", "two waits", "past"]
)
def test_validation_finds_what_does_not_wait(fault: str) -> None:
    module, options = verified(("w",))
    made = emitted(module, options, "sm_90")
    (wait,) = (op for op in walk(made) if isinstance(op, GdcWaitTkoOp))
    block = wait.parent
    assert block is not None
    if fault == "an access waits for nothing":
        options = Options(overlap=())  # who launches it does not know that it loads `w` early
    elif fault == "past":
        early, late = (op for op in walk(made) if isinstance(op, LoadViewTkoOp))
        late.operands = (*late.operands[:-1], early.result_token)
    elif fault == "two waits":
        block.insert_op_before(GdcWaitTkoOp(), wait)
    else:
        start = MakeTokenOp()
        block.insert_op_before(start, wait)
        wait.result_token.replace_all_uses_with(start.result)
        if fault == "no wait":
            wait.detach()
            wait.erase()
    with pytest.raises(Rejected) as refused:
        validate(module, write_bytecode(made), options, "sm_90")
    assert refused.value.codes == ("O140",)


def test_code_waits_where_there_is_such_a_thing() -> None:
    kernel = fh.kernel(overlap=("w",))(scaled)
    arrays = [np.zeros(64, "f") for _ in range(3)]
    for arch, kind in (("sm_90", kernel), ("sm_80", kernel), ("sm_90", fh.kernel(scaled))):
        made = kind.compile(fh.partition(arrays[0], 16), *arrays[1:], arch=arch)
        assert waits_for_grids(made.cubin) == made.overlaps == (kind is kernel and arch == "sm_90")
    assert not waits_for_grids(b"no cubin")


def test_many_blocks_do_not_wait() -> None:
    """Each of them would, and the launch saves its few microseconds once."""
    kernel = fh.kernel(overlap=("w",))(scaled)
    arrays = [np.zeros(64, "f") for _ in range(3)]
    made = kernel.compile(fh.partition(arrays[0], 16), *arrays[1:], arch="sm_90")
    assert made.of_points(64 * 132, 132) is made
    alone = made.of_points(64 * 132 + 1, 132)
    assert alone is made.of_points(1 << 20, 132)
    assert not alone.overlaps
    assert not alone.early
    assert not waits_for_grids(alone.cubin)
    assert alone.contract == made.contract
    few = kernel.compile(fh.partition(arrays[0], 16, blocks=fh.PERSISTENT), *arrays[1:], arch="sm_90")
    assert few.of_points(1 << 20, 132) is few


def test_names_of_what_is_early_are_those_of_what_is_read() -> None:
    for name in ("y", "v", "TURNS"):
        with pytest.raises(TypeError, match=f"`scaled` has no argument `{name}` that it only reads"):
            fh.kernel(overlap=(name,))(scaled)


class Driver:
    """A driver with one graph: kernels a, b, c that follow one another, a copy, kernel d, and e that joins two."""

    CUgraphEdgeData = SimpleNamespace
    CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC = 1
    CUgraphDependencyType = SimpleNamespace(CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC=1)
    CUgraphNodeType = SimpleNamespace(CU_GRAPH_NODE_TYPE_KERNEL="kernel")

    def __init__(self) -> None:
        self.names = dict(enumerate("abc.de", 100))
        self.edges = {"ab": 0, "bc": 0, "c.": 0, ".d": 0, "de": 0, "ce": 0}

    def _nodes(self, at: int) -> list[int]:
        return [next(n for n, name in self.names.items() if name == edge[at]) for edge in self.edges]

    def cuGraphGetEdges(self, graph: object, count: int = 0) -> tuple[Any, ...]:
        if not count:
            return 0, [], [], [], len(self.edges)
        return 0, self._nodes(0), self._nodes(1), [None] * count, count

    def cuGraphNodeGetType(self, node: int) -> tuple[int, str]:
        return 0, "copy" if self.names[node] == "." else "kernel"

    def cuGraphKernelNodeGetParams(self, node: int) -> tuple[int, Any]:
        return 0, SimpleNamespace(func=0, kern=ord(self.names[node]))

    def cuGraphRemoveDependencies(self, _: object, before: list[int], after: list[int], data: None, count: int) -> Any:
        for a, b in zip(before, after, strict=True):
            del self.edges[self.names[a] + self.names[b]]
        return (0,)

    def cuGraphAddDependencies(
        self, _: object, before: list[int], after: list[int], data: list[Any], count: int
    ) -> tuple[int]:
        for a, b, edge in zip(before, after, data, strict=True):
            self.edges[self.names[a] + self.names[b]] = edge.from_port * 10 + edge.type
        return (0,)


def test_kernels_that_wait_begin_early_behind_one_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Driver()
    monkeypatch.setattr(driver, "api", lambda: fake)
    monkeypatch.setattr(captures, "_early", {ord(name) for name in "abde"})
    captures._overlap(object())  # pyright: ignore[reportPrivateUsage]
    # c waits not by itself, d comes behind a copy, and e behind two.
    assert fake.edges == {"ab": 11, "bc": 0, "c.": 0, ".d": 0, "de": 0, "ce": 0}


@pytest.mark.parametrize(("written", "apart"), [((0, 64), False), ((60, 80), False), ((64, 80), True)])
@pytest.mark.parametrize("between", ["", "kernel that waits", "other", "kernel", "copy"])
def test_graphs_whose_kernels_may_still_write_what_is_read_early_do_not_overlap(
    written: tuple[int, int], apart: bool, between: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[bool] = []

    def ended(stream: object, device: int, *, overlap: bool) -> None:
        told.append(overlap)

    monkeypatch.setattr(captures, "end_capture", ended)
    spans = (0, 64), written, (80, 96)
    read, one, other = ([SimpleNamespace(space=0, low=a, high=b, storage=0, epoch=0)] for a, b in spans)
    recording: Any = Recording()
    recording.captured, recording.device = object(), 0
    recording.uses((), (), one, kind="kernel that waits")
    if between:
        recording.uses((), (), other, kind=between)
    recording.uses((), read, other, read, kind="kernel that waits")
    recording.uses((), (), one, kind="kernel that waits")  # which does not begin to write before that one has ended
    recording.end()
    assert told == [apart or between in ("kernel", "copy")]
