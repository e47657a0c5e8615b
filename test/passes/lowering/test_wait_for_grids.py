"""Kernels that begin while the one in front of them ends: what they load before they have waited, and who knows it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import i1
from xdsl.ir import Block, Region

import freehold as fh
from freehold import Const, Out, Ref
from freehold.backend.bytecode.reader import read_bytecode
from freehold.backend.bytecode.writer import write_bytecode
from freehold.backend.cubin import fills_a_multiprocessor, waits_for_grids
from freehold.dialects.cuda_tile.ops.control_flow import IfOp, ReturnOp
from freehold.dialects.cuda_tile.ops.memory import GdcLaunchDependentsTkoOp, GdcWaitTkoOp, MakeTokenOp
from freehold.dialects.cuda_tile.ops.shape import ConstantOp
from freehold.dialects.cuda_tile.ops.views import LoadViewTkoOp
from freehold.passes import wait_for_grids
from freehold.passes.rewriting import walk
from freehold.runtime.gpu import captures, driver
from freehold.runtime.memory.arguments import view
from freehold.runtime.operations.leases import early
from freehold.runtime.operations.recording import Recording
from freehold.runtime.variants import build
from freehold.runtime.variants.build import Options, emitted, validate
from freehold.support.diagnostic import Rejected


def scaled(y: Out["M"], x: Ref["M"], w: Ref["M"], TURNS: Const[int] = 1):
    by = w.load_like(y)
    for _ in range(TURNS):
        by += x.load_like(y)
    y.store(by)


WAITS = Options(overlap=())


def verified() -> Any:
    """The kernel."""
    y, x, w = (np.zeros(64, "f") for _ in range(3))
    return fh.kernel(scaled).verify(fh.partition(y, 16), x, w)


@pytest.mark.parametrize("early", [(), ("w",), ("w", "x")])
def test_what_is_not_early_waits(early: tuple[str, ...]) -> None:
    module, places = verified(), fh.kernel(scaled).signature.positions(early)
    made = emitted(module, WAITS, "sm_90", places)
    loads = [op for op in walk(made) if isinstance(op, LoadViewTkoOp)]
    assert [load.token is None for load in loads] == [name in early for name in ("w", "x")]
    (wait,) = (op for op in walk(made) if isinstance(op, GdcWaitTkoOp))
    ahead = () if wait.token is None else getattr(wait.token.owner, "tokens", (wait.token,))
    assert [*ahead] == [load.result_token for load in loads if load.token is None and load.parent is wait.parent]
    assert "gdc" not in str(emitted(module, WAITS, "sm_80", places))
    validate(module, write_bytecode(made), WAITS, "sm_90", places)


def numbered(y: Out["M"], w: Ref["M"], w_1: Ref["M"]):
    y.store(w.load_like(y) + w_1.load_like(y))


def several(y: Out["M"], w: tuple[Ref["M"], ...], w0: Ref["M"]):
    y.store(w[0].load_like(y) + w[1].load_like(y) + w0.load_like(y))


def left_out(y: Out["M"], x: Ref["M"] | None, w: Ref["M"]):
    y.store(w.load_like(y) if x is None else w.load_like(y) + x.load_like(y))


def exchanged(y: Out["M"], x: Ref["M"], w: Ref["M"]):
    w, x = x, w
    y.store(w.load_like(y) + x.load_like(y))


@pytest.mark.parametrize(
    ("function", "others", "loaded", "ahead"),
    [
        (numbered, (1, 1), [1, 2], [1]),
        (several, (2, 1), [1, 2, 3], [1, 2]),
        (left_out, (0, 1), [1], [1]),
        (left_out, (1, 1), [2, 1], [2]),
        (exchanged, (1, 1), [1, 2], [2]),
    ],
)
def test_code_and_launches_load_the_same_early(
    function: Any, others: tuple[int, int], loaded: list[int], ahead: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever tensors are called in the IR, where `w` and `w_1` have one name."""
    given: list[Any] = []
    for count in others:
        made = tuple(np.zeros(64, "f") for _ in range(count))
        given.append(made if count > 1 else made[0] if made else None)
    codes: list[bytes] = []

    def assembled(code: bytes, arch: str, kernel: str, meanwhile: Any) -> bytes:
        codes.append(code)
        meanwhile()
        return b""

    monkeypatch.setattr(build, "assembled", assembled)
    monkeypatch.setenv("FREEHOLD_CACHE_DIR", "")
    kernel = fh.kernel(overlap=("w",))(function)
    made = kernel.compile(fh.partition(np.zeros(64, "f"), 16), *given, arch="sm_90")
    loads = [op for op in walk(read_bytecode(codes[0])) if isinstance(op, LoadViewTkoOp)]
    assert [wait_for_grids.loaded(op) for op in loads] == loaded
    assert [wait_for_grids.loaded(op) for op in loads if op.token is None] == ahead
    formed, _ = kernel.in_form((None, *given))
    rows = np.zeros((len(formed.signature.tensors), 64), "f")
    leased = early(formed.signature, made.early, [view(row) for row in rows])
    assert [t.low for t in leased] == [rows[n].ctypes.data for n in ahead]


FAULTS = (
    "a load begins an order",
    "an access waits for nothing",
    "no wait",
    "two waits",
    "past",
    "an end",
    "begin",
)


@pytest.mark.parametrize("fault", FAULTS)
def test_validation_finds_what_does_not_wait(fault: str) -> None:
    module, ahead = verified(), () if fault == "begin" else (2,)
    made = emitted(module, WAITS, "sm_90", ahead)
    (wait,) = (op for op in walk(made) if isinstance(op, GdcWaitTkoOp))
    block = wait.parent
    assert block is not None
    if fault == "an access waits for nothing":
        ahead = ()  # who launches it does not know that it loads `w` early
    elif fault == "past":
        first, late = (op for op in walk(made) if isinstance(op, LoadViewTkoOp))
        late.operands = (*late.operands[:-1], first.result_token)
    elif fault == "two waits":
        block.insert_op_before(GdcWaitTkoOp(), wait)
    elif fault == "an end":
        truth = ConstantOp.scalar(1, i1)
        leaves = IfOp(truth.result, (), Region(Block([ReturnOp()])))
        block.insert_ops_before([truth, leaves], wait)
    elif fault == "begin":
        (begin,) = (op for op in walk(made) if isinstance(op, GdcLaunchDependentsTkoOp))
        begin.operands = ()
    else:
        start = MakeTokenOp()
        block.insert_op_before(start, wait)
        wait.result_token.replace_all_uses_with(start.result)
        if fault == "no wait":
            wait.detach()
            wait.erase()
    with pytest.raises(Rejected) as refused:
        validate(module, write_bytecode(made), WAITS, "sm_90", ahead)
    assert refused.value.codes == ("O140",)


def test_code_waits_where_there_is_such_a_thing() -> None:
    kernel = fh.kernel(overlap=("w",))(scaled)
    arrays = [np.zeros(64, "f") for _ in range(3)]
    for arch, kind in (("sm_90", kernel), ("sm_80", kernel), ("sm_90", fh.kernel(scaled))):
        made = kind.compile(fh.partition(arrays[0], 16), *arrays[1:], arch=arch)
        assert waits_for_grids(made.cubin) == made.overlaps == (kind is kernel and arch == "sm_90")
    assert not waits_for_grids(b"no cubin")


def multiplied(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
    total = fh.zeros(c.tile, fh.f32)
    for k in fh.tiles(a, axis=1, size=64):
        total = fh.mma(a.load((c.index[0], k), (128, 64)), b.load((k, c.index[1]), (64, 256)), total)
    c.store(total.astype(c.dtype))


def test_what_loads_nothing_early_begins_early_anywhere_and_large_blocks_fill_a_multiprocessor() -> None:
    c, a, b = np.zeros((512, 512), "f2"), np.zeros((512, 512), "f2"), np.zeros((512, 512), "f2")
    kernel = fh.kernel(overlap=True, hints={"num_worker_warps": 8})(multiplied)
    large = kernel.compile(fh.partition(c, (128, 256)), a, b, arch="sm_90")
    assert large.waits
    assert large.begins_anywhere
    assert large.fills
    arrays = [np.zeros(64, "f") for _ in range(3)]
    light = fh.kernel(overlap=True)(scaled).compile(fh.partition(arrays[0], 16), *arrays[1:], arch="sm_90")
    assert light.waits
    assert light.begins_anywhere
    assert not light.fills
    early = fh.kernel(overlap=("b",), hints={"num_worker_warps": 8})(multiplied)
    assert not early.compile(fh.partition(c, (128, 256)), a, b, arch="sm_90").begins_anywhere
    assert not fills_a_multiprocessor(b"no cubin")


@pytest.mark.parametrize("said", ["", "0"])
def test_what_is_not_validated_does_not_overlap(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FREEHOLD_VALIDATE", said)
    kernel = fh.kernel(overlap=("w",), validate=bool(said))(scaled)
    arrays = [np.zeros(64, "f") for _ in range(3)]
    made = kernel.compile(fh.partition(arrays[0], 16), *arrays[1:], arch="sm_90")
    assert not made.waits
    assert not waits_for_grids(made.cubin)


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


KERNEL, COPY = "kernel", "copy"
PLAIN, EARLY = (SimpleNamespace(from_port=n, to_port=0, type=n) for n in (0, 1))


@pytest.mark.parametrize(
    ("before", "edges", "error", "expected"),
    [
        ([KERNEL], [PLAIN], 0, True),
        ([KERNEL], None, 0, True),
        ([KERNEL], [EARLY], 0, False),
        ([COPY], [PLAIN], 0, False),
        ([KERNEL, KERNEL], [PLAIN, PLAIN], 0, False),
        ([], [], 0, False),
        (None, None, 0, False),
        ([KERNEL], [PLAIN], 1, False),
    ],
)
@pytest.mark.parametrize("status", [0, 1, 2])
def test_only_behind_one_kernel_may_a_launch_begin_early(
    before: list[str] | None, edges: Any, error: int, expected: bool, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answered(handle: int) -> tuple[Any, ...]:
        return error, status, 7, None, before, edges, len(before or ())

    def kind(node: str) -> tuple[int, str]:
        return 0, node

    def captured(handle: int) -> bool:
        return status != 0

    fake = SimpleNamespace(
        cuStreamGetCaptureInfo=answered,
        cuGraphNodeGetType=kind,
        CUstreamCaptureStatus=SimpleNamespace(CU_STREAM_CAPTURE_STATUS_ACTIVE=1),
        CUgraphNodeType=SimpleNamespace(CU_GRAPH_NODE_TYPE_KERNEL=KERNEL),
    )
    monkeypatch.setattr(driver, "api", lambda: fake)
    monkeypatch.setattr(driver, "captures", captured)
    monkeypatch.setattr(captures, "_several", lambda: False)
    assert captures.follows_a_kernel(5) == (expected and status == 1)


@pytest.mark.parametrize(("written", "apart"), [((0, 64), False), ((60, 80), False), ((64, 80), True)])
@pytest.mark.parametrize("between", ["", "kernel that loads first", "other", "failed", "kernel", "copy"])
def test_what_is_read_early_is_not_what_kernels_may_still_write(
    written: tuple[int, int], apart: bool, between: Any
) -> None:
    spans = (0, 64), written, (80, 96)
    read, one, other = ([SimpleNamespace(space=0, low=a, high=b, storage=0, epoch=0)] for a, b in spans)
    recording: Any = Recording()

    def recorded(writes: Any, early: Any = (), kind: Any = "kernel that loads first") -> bool:
        recording.unknown |= kind == "other"
        found = recording.uses((), early, writes, early)
        if kind not in ("other", "failed"):
            recording.enqueued(writes, kind, found)
        return found

    assert recorded(one)
    if between:
        assert recorded(other, kind=between)
    begins = (apart or between in ("kernel", "copy")) and between != "other"
    assert recorded(other, read) == begins
    # What did not begin early came behind all of them.
    assert recorded(other, read)


def still_running(works: list[tuple[str, bool]]) -> list[set[int]]:
    """
    Of works on one stream, by what each is and whether it begins early: which of those in front of it may not have
    ended when it does its first. From the order of events alone: a start, a wait, leave for others to start, an end.
    """
    after: dict[tuple[str, int], set[tuple[str, int]]] = {}
    for n, (kind, begins) in enumerate(works):
        in_front = {("end", n - 1)} if n else set[tuple[str, int]]()
        after["start", n] = ({("leave", n - 1)} if n else set()) if begins else in_front
        after["waited", n] = {("start", n), *in_front}
        first = kind == "kernel that loads first"
        after["leave", n] = {("end", n)} if kind == "copy" else {("start" if first else "waited", n)}
        after["end", n] = {("waited", n)}

    def before(event: tuple[str, int]) -> set[tuple[str, int]]:
        return {event}.union(*(before(earlier) for earlier in after[event]))

    return [{m for m in range(n) if ("end", m) not in before(("start", n))} for n in range(len(works))]


SPAN = st.tuples(st.integers(0, 3), st.integers(1, 2)).map(lambda given: (given[0], sum(given)))
WORK = st.tuples(st.sampled_from(["kernel that loads first", "kernel", "copy"]), SPAN, SPAN)


@given(st.lists(WORK, min_size=3, max_size=6))
def test_a_recording_knows_what_may_still_run(works: list[tuple[Any, tuple[int, int], tuple[int, int]]]) -> None:
    recording: Any = Recording()
    done: list[tuple[str, bool]] = []
    for n, (kind, *spans) in enumerate(works):
        write, early = ([SimpleNamespace(space=0, low=a, high=b, storage=0, epoch=0)] for a, b in spans)
        loads = early if kind == "kernel that loads first" else []
        apart = recording.uses((), (), write, loads)
        recording.enqueued(write, kind, apart)
        behind_a_kernel = n > 0 and works[n - 1][0] != "copy"
        running = still_running([*done, (kind, behind_a_kernel)])[n]
        meets = any(works[m][1][0] < spans[1][1] and spans[1][0] < works[m][1][1] for m in running)
        if loads and behind_a_kernel:
            assert apart == (not meets)
        done.append((kind, apart and behind_a_kernel and kind != "copy"))
