"""What graphs know while they are recorded: which kernels may still run, and what these write; arrays that are used."""

# Stand-ins are of no type that checkers know.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold.runtime.memory.arguments import view
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
