"""Graphs of the driver: what is captured on a stream of ours, made ready, run and dropped."""

from __future__ import annotations

import os
from collections import defaultdict
from functools import cache
from typing import Any, Final

from freehold.runtime.gpu import driver
from freehold.runtime.gpu.flight import never_drop

_spare: Final[defaultdict[int, list[Any]]] = defaultdict(list)
"""By GPU: streams on which a graph was captured, for the next one."""


def begin_capture(device: int) -> Any:
    """A stream on which what is enqueued is not run but recorded. Other streams and threads go on as before."""
    bindings = driver.api()
    stream = _spare[device].pop() if _spare[device] else driver.new_stream(device)
    driver.checked("capturing a graph", bindings.cuStreamBeginCapture(driver.handle_of(stream), driver.relaxed()))
    return stream


def end_capture(stream: Any, device: int) -> Any:
    """What was recorded since `begin_capture`, ready to be run, and uploaded. Raises `Rejected` (O241)."""
    bindings = driver.api()
    _, graph = driver.checked("capturing a graph", bindings.cuStreamEndCapture(driver.handle_of(stream)))
    try:
        _, made = driver.checked("making a graph", bindings.cuGraphInstantiate(graph, 0))
    finally:
        bindings.cuGraphDestroy(graph)
    driver.checked("making a graph", bindings.cuGraphUpload(made, driver.handle_of(stream)))
    _spare[device].append(stream)
    return made


def follows_a_kernel(handle: int) -> bool:
    """
    Whether what is enqueued next on a stream of the current GPU, by its handle, is captured, by whomever, and comes
    behind one kernel of that GPU and nothing else. Where that is not certain it is not so.
    """
    if not driver.captures(handle):
        return False
    bindings = driver.api()
    error, status, _, _, before, edges, _ = bindings.cuStreamGetCaptureInfo(handle)
    active = bindings.CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_ACTIVE
    if error or status != active or len(before or ()) != 1:
        return False
    if any(edge.from_port or edge.to_port or edge.type for edge in edges or ()):  # it waits for something else of it
        return False
    error, kind = bindings.cuGraphNodeGetType(before[0])
    if error or kind != bindings.CUgraphNodeType.CU_GRAPH_NODE_TYPE_KERNEL:
        return False
    return not _several() or _is_here(before[0])


def _is_here(kernel: Any) -> bool:
    """Whether a kernel of a graph runs on the current GPU."""
    bindings = driver.api()
    error, launch = bindings.cuGraphKernelNodeGetParams(kernel)
    wrong, current = bindings.cuCtxGetCurrent()
    return not error and not wrong and int(launch.ctx) == int(current) != 0


def give_up_capture(stream: Any, device: int) -> None:
    """Ends a capture of which nothing is wanted."""
    bindings = driver.api()
    error, graph = bindings.cuStreamEndCapture(driver.handle_of(stream))
    if not error and graph is not None:
        bindings.cuGraphDestroy(graph)
    _spare[device].append(stream)


@cache
def _several() -> bool:
    """Whether there are GPUs of which another one may be current."""
    return driver.device_count() != 1


def run_graph(graph: Any, handle: int, device: int) -> None:
    """Enqueues all that was recorded on a stream. Raises `Rejected` (O241)."""
    # The default streams of all GPUs have one handle: it means that of the GPU which is current.
    elsewhere = _several() and driver.parts()[1]()[1] != device
    error = elsewhere or driver.api().cuGraphLaunch(graph, handle)[0]
    if error:
        with driver.on_device(device):  # no context, or another GPU's, is current in this thread; or it is a real one
            driver.checked("running a graph", driver.api().cuGraphLaunch(graph, handle))


def drop_graph(graph: Any) -> None:
    """Gives back what a graph takes; runs of it that are in flight go on."""
    driver.api().cuGraphExecDestroy(graph)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: (never_drop(_spare.copy()), _spare.clear()))
