"""What graphs know while they are recorded: which kernels may still run, and what these write; arrays that are used."""

# Stand-ins are of no type that checkers know.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportPrivateUsage=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from asked_driver import in_place

import freehold as fh
from freehold.runtime.gpu import kernels, timeline
from freehold.runtime.gpu.timeline import Timeline
from freehold.runtime.memory import storage
from freehold.runtime.memory.arguments import view
from freehold.runtime.memory.storage import outside
from freehold.runtime.operations import leases, operation
from freehold.runtime.operations import recording as module
from freehold.runtime.operations.recording import Recording

LOADS_FIRST: Any = "kernel that loads first"


def bytes_at(low: int, high: int) -> Any:
    return SimpleNamespace(low=low, high=high, space="a space", storage=None, epoch=0)


A, B, BOTH = bytes_at(0, 8), bytes_at(8, 16), bytes_at(4, 12)


def test_what_may_still_run_is_what_has_loaded_first_since_something_waited() -> None:
    found = Recording()
    assert found.uses((), (), [A], early=[B])
    found.enqueued([A], LOADS_FIRST)
    assert not found.uses((), (), [B], early=[A])
    assert not found.uses((), (), [B], early=[B, BOTH])
    assert found.running == [A, B, B]  # also of what is enqueued with others in front that still run
    found.enqueued([B], LOADS_FIRST)
    assert found.running == [A, B, B]
    found.enqueued([BOTH], "kernel")  # which has waited: it alone may still run
    assert found.running == [BOTH]
    assert not found.uses((), (), [], early=[A])
    found.enqueued([A], LOADS_FIRST, apart=False)  # it has waited, too
    assert found.running == [A]
    found.enqueued([B], "copy")  # it has ended before anything begins
    assert found.running == []
    assert found.uses((), (), [], early=[A, B, BOTH])


def test_of_work_of_others_nothing_is_known() -> None:
    found = Recording()
    found.unknown = True
    assert found.uses((), (), [])
    assert not found.uses((), (), [], early=[A])
    found.enqueued([], LOADS_FIRST)
    assert found.unknown
    found.enqueued([], "kernel")
    assert not found.unknown
    assert found.uses((), (), [], early=[A])


def test_what_a_replay_leases() -> None:
    """Each once, and what is written is no more read."""
    found = Recording()
    found.uses((), [A, B, bytes_at(0, 8)], [BOTH])
    found.uses((), [A], [B, bytes_at(4, 12)])
    assert found.end() is None
    assert [(t.low, t.high) for t in found.writes] == [(4, 12), (8, 16)]
    assert [(t.low, t.high) for t in found.reads] == [(0, 8)]


def test_arrays_that_are_used() -> None:
    found, array = Recording(), np.zeros(8, np.float32)
    other = np.zeros(8, np.float32)
    found.uses([view(array)])
    assert found.families == set()  # of the host
    assert [v.owner is array for v in found.given.values()] == [True]
    assert found.touches(view(array))
    assert found.touches(view(array[7:]))
    assert not found.touches(view(other))
    found.uses([view(other)])
    assert found.touches(view(array))
    assert found.touches(view(other[:1]))
    assert not found.touches(view(np.zeros(8, np.float32)))
    assert found.changed_array() is None
    array.resize((2, 4), refcheck=False)
    assert found.changed_array() == "an array of numpy, f32 of shape (8,), that this graph uses"


def test_arrays_beside_those_that_are_used_are_not() -> None:
    found, array = Recording(), np.zeros(8, np.float32)
    found.uses([view(array[2:5])])
    assert [found.touches(view(array[at : at + 1])) for at in range(8)] == [False] * 2 + [True] * 3 + [False] * 3
    assert [found.touches(view(array[part])) for part in (slice(0, 2), slice(0, 3), slice(4, 8), slice(5, 8))] == [
        False, True, True, False,
    ]  # fmt: skip


def test_tensors_of_torch_that_a_replay_changes_are_those_that_it_writes() -> None:
    written, *others = (np.zeros(4, np.float32) for _ in range(3))
    views, found = [view(array) for array in (written, *others)], Recording()
    views[0].family = views[1].family = "torch"
    found.uses(views, [outside(views[1])], [outside(views[0]), outside(views[2])])
    assert found.end() is None
    (changed,) = found.changed
    assert changed is written


@pytest.mark.parametrize("checks", [False, True])
def test_checks_of_what_was_captured_are_looked_for_where_there_are_some(
    checks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module.failures, "logs", ["a log"] * checks)
    monkeypatch.setattr(module.failures, "captured", lambda handle: f"checks of {handle}")
    monkeypatch.setattr(module.captures, "end_capture", lambda stream, device: f"graph of GPU {device}")
    found = Recording()
    found.captured, found.device = SimpleNamespace(handle="77"), 2
    assert found.end() == "graph of GPU 2"
    assert found.checked == ("checks of 77" if checks else ())


def test_work_of_others_comes_after_what_uses_its_tensors_and_before_what_will(monkeypatch: pytest.MonkeyPatch) -> None:
    """On each GPU those that are there, and the host's by the thread."""
    said = list[Any]()
    tensors = {name: SimpleNamespace(name=name, device=device) for name, device in (("a", 0), ("b", 1), ("c", fh.HOST))}
    monkeypatch.setattr(leases, "_viewed", lambda array, what: tensors[array])
    monkeypatch.setattr(leases, "_leased", lambda found: found.name)
    monkeypatch.setattr(leases, "_user", lambda execution, device, views: SimpleNamespace(device=device))
    monkeypatch.setattr(leases.ledger, "enqueue", lambda user, reads, writes, *_, kept: said.append(
        (user.device, "".join(reads), "".join(writes), kept)
    ))  # fmt: skip
    execution: Any = SimpleNamespace(recording=None, uses=lambda views: [view.name for view in views])
    wanted = [(fh.HOST, "c", "", ["a", "b", "b"]), (0, "a", "", ["a", "b", "b"]), (1, "b", "b", ["a", "b", "b"])]
    with leases.used(execution, "abc", "b", "it"):
        assert sorted(said) == wanted
        said.clear()
    assert sorted(said) == wanted
    execution.recording = SimpleNamespace(uses=lambda *given: said.append(given))
    said.clear()
    with leases.used(execution, "a", "c", "it"):
        assert said == [([tensors["a"], tensors["c"]], ["a"], ["c"])]
    assert len(said) == 1


def test_what_is_shared_is_run_once_and_others_come_after_it() -> None:
    followed = list[Any]()
    ran = SimpleNamespace(device=1, now=7)
    other = SimpleNamespace(device=1, follow=lambda *given: followed.append(given))

    def execution(user: Any, recording: Any = None) -> Any:
        return SimpleNamespace(recording=recording, timelines=[user], place=lambda device: (None, None, user))

    calls = list[int]()
    shared = fh.Work("it", lambda _: calls.append(1) or 5).shared()
    assert [shared.enqueue(execution(user)) for user in (ran, ran, other)] == [5, 5, 5]
    assert (calls, followed) == ([1], [(ran, 7)])
    graph = SimpleNamespace(unknown=False)
    recorded = fh.Work("it", lambda _: 6).shared()
    assert [recorded.enqueue(execution(ran, graph)), recorded.enqueue(execution(other, graph))] == [6, 6]
    assert len(followed) == 1  # a replay leases what it uses
    with pytest.raises(fh.Rejected) as caught:
        recorded.enqueue(execution(ran))
    assert caught.value.codes == ("O268",)


def test_what_is_done_is_let_go_of_behind_the_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    line = Timeline(0, "a stream")
    let_go: Any = []
    monkeypatch.setattr(timeline, "_LET_GO", let_go)
    for line.now in (1, 2, 3):
        line.keep_for_last(f"for {line.now}")
    line._reach(2)
    assert (let_go, [what for _, what in line.kept]) == (["for 1", "for 2"], ["for 3"])


def test_who_joins_a_stream_is_told_of_its_checks_and_of_those_that_it_came_after(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = list[Any]()
    monkeypatch.setattr(timeline.failures, "logs", ["a log"])
    monkeypatch.setattr(timeline.failures, "tell", lambda logs, owner: told.append((logs, owner)))
    line = Timeline(0, "a stream")
    others: Any = [SimpleNamespace(log=log) for log in ("one", None, "another")]
    monkeypatch.setattr(Timeline, "earlier", lambda self: others)
    line.join(0)
    line.tell("who asks")
    assert told == [(["one", "another"], None), (["one", "another"], "who asks")]


def test_whose_streams_a_replay_is_ordered_with(monkeypatch: pytest.MonkeyPatch) -> None:
    said = list[Any]()
    monkeypatch.setattr(module.driver, "stream", lambda number, device: f"stream {number} of {device}")
    monkeypatch.setattr(module.driver, "order_after", lambda *given: said.append(given))

    def used(family: str, device: int, stream: Any = None) -> Any:
        return SimpleNamespace(family=family, device=device, stream=stream, owner=f"of {family or 'nobody'}")

    found = Recording()
    found.uses([used("torch", 1), used("freehold", 1), used("", 0, 7), used("numpy", fh.HOST), used("cupy", 0)])
    assert found.families == {"torch", "", "cupy"}
    assert said == [("stream 0 of 0", 7, 0)]
    assert sorted(v.family for v in found.given.values()) == ["numpy", "torch"]
    assert len(found.views) == 5


def test_a_graph_is_of_one_gpu_or_of_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = list[int]()
    monkeypatch.setattr(module.captures, "begin_capture", lambda device: begun.append(device) or f"capture {device}")
    on_gpu = Recording()
    assert on_gpu.stream(1) == on_gpu.stream(1) == "capture 1"
    assert begun == [1]
    on_host = Recording()
    on_host.host_work(begun.clear)
    for refused, said in (
        (lambda: on_gpu.stream(0), "on GPU 1 and on GPU 0"),
        (lambda: on_gpu.host_work(begun.clear), "on GPU 1 and on the host"),
        (lambda: on_host.stream(2), "on the host and on GPU 2"),
    ):
        with pytest.raises(fh.Rejected) as caught:
            refused()
        assert caught.value.codes == ("O264",)
        assert said in str(caught.value)
    assert (begun, len(on_host.work)) == ([1], 1)


@pytest.mark.parametrize("gap", [-4, 0, 4])
def test_what_is_read_early_beside_what_may_still_be_written_is_apart(gap: int) -> None:
    for early in (bytes_at(16 + gap, 32), bytes_at(0, 8 - gap)):
        found = Recording()
        assert found.uses((), [], [bytes_at(8, 16)])
        assert found.uses((), [], [], [early]) is (gap >= 0)


def test_what_is_read_early_is_found_by_its_place_in_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "_leased", lambda found: found)
    signature: Any = SimpleNamespace(positions=lambda names: {"xyz".index(name) for name in names})
    assert [leases.early(signature, names, [1, 2, 3]) for names in ("", "y", "zx")] == [[], [2], [1, 3]]  # type: ignore[list-item]


def test_who_does_not_wait_leaves_what_it_enqueued(monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[Any] = []
    monkeypatch.setattr(operation.Execution, "leave", lambda self: left.append(self))
    flying = fh.Work("it", lambda execution: execution).on()
    assert len(left) == 1
    assert flying.value is left[0]


def test_memory_that_is_freed_is_given_back_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    later: list[Any] = []
    monkeypatch.setattr(storage, "later", lambda work: later.append(work.args[0]))
    monkeypatch.setattr(storage, "_OWNERS", {})
    made = storage.Storage(4096, 64, 0, "a buffer")
    made.free(None)
    assert (later, made.owner, made.gone) == (["a buffer"], None, storage.Gone("freed", None))


def test_a_kernel_is_launched_on_the_gpu_of_its_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    bindings = in_place(monkeypatch)
    core = SimpleNamespace(launch=lambda *given: bindings.said.append(("launch", *given)))
    monkeypatch.setattr(kernels, "cuda_core", lambda: core)
    kernels.launch_on(2, "a stream", "a configuration", "a kernel", 1, 2.5)
    launch = ("launch", "a stream", "a configuration", "a kernel", 1, 2.5)
    assert bindings.calls() == [("on", 2), launch, ("off", 2)]
