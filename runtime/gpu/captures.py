"""Graphs of the driver: what is captured on a stream of ours, made ready, run and dropped."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
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


def end_capture(stream: Any, device: int, *, overlap: bool = False) -> Any:
    """
    What was recorded since `begin_capture`, ready to be run, and uploaded. With `overlap` kernels that wait by
    themselves for those in front of them begin before these have ended. Raises `Rejected` (O241).
    """
    bindings = driver.api()
    _, graph = driver.checked("capturing a graph", bindings.cuStreamEndCapture(driver.handle_of(stream)))
    try:
        if overlap and _early:
            _overlap(graph)
        _, made = driver.checked("making a graph", bindings.cuGraphInstantiate(graph, 0))
    finally:
        bindings.cuGraphDestroy(graph)
    driver.checked("making a graph", bindings.cuGraphUpload(made, driver.handle_of(stream)))
    _spare[device].append(stream)
    return made


_early: Final[set[int]] = set()
"""Kernels, by handles of the driver, that wait by themselves for the one in front of them (`overlap`)."""


def may_begin_early(kernel: Any, device: int) -> None:
    """
    Says of a loaded kernel that it touches nothing before it has waited for the kernels in front of it.

    In a graph it then begins while the one in front of it ends. Raises `Rejected` (O241).
    """
    with driver.on_device(device):
        _, function = driver.checked("loading a kernel", driver.api().cuKernelGetFunction(kernel.handle))
    _early.update((int(kernel.handle), int(function)))


def _overlap(graph: Any) -> None:
    """
    Lets kernels of a graph that wait by themselves begin early, where they come behind a kernel, and nothing else.

    What such a kernel waits for is the end of the one in front of it, which itself ends behind all that it waits for:
    so nothing is touched sooner than before.
    """
    bindings = driver.api()
    (*_, count) = driver.checked("making a graph", bindings.cuGraphGetEdges(graph))
    _, before, after, _, _ = driver.checked("making a graph", bindings.cuGraphGetEdges(graph, count))
    behind = Counter(int(node) for node in after)
    edges = [(a, b) for a, b in zip(before, after, strict=True) if behind[int(b)] == 1 and _waits(b) and _is_kernel(a)]
    if not edges:
        return
    nodes = [a for a, _ in edges], [b for _, b in edges]
    early = bindings.CUgraphEdgeData()
    early.from_port = bindings.CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC
    early.type = int(bindings.CUgraphDependencyType.CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC)
    answer = bindings.cuGraphRemoveDependencies(graph, *nodes, None, len(edges))
    driver.checked("making a graph", answer)
    answer = bindings.cuGraphAddDependencies(graph, *nodes, [early] * len(edges), len(edges))
    driver.checked("making a graph", answer)


def _is_kernel(node: Any) -> bool:
    bindings = driver.api()
    _, kind = driver.checked("making a graph", bindings.cuGraphNodeGetType(node))
    return kind == bindings.CUgraphNodeType.CU_GRAPH_NODE_TYPE_KERNEL


def _waits(node: Any) -> bool:
    if not _is_kernel(node):
        return False
    _, launch = driver.checked("making a graph", driver.api().cuGraphKernelNodeGetParams(node))
    return int(launch.func) in _early or int(launch.kern) in _early


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
