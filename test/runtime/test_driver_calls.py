"""What the driver is asked, call by call, on bindings that write it down and answer as they are told."""

# Stand-ins are of no type that checkers know.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false, reportPrivateUsage=false

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from asked_driver import Bindings, in_place

import freehold as fh
from freehold.runtime.gpu import captures, driver, kernels, transfers


@pytest.fixture
def bindings(monkeypatch: pytest.MonkeyPatch) -> Bindings:
    """In place of the driver's."""
    return in_place(monkeypatch)


# --- Memory -----------------------------------------------------------------------------------------------------------


def test_memory_of_the_host_is_page_locked(bindings: Bindings) -> None:
    bindings.answers["cuMemHostAlloc"] = 0, 4096
    assert transfers.page_locked(100, 2) == 4096
    assert bindings.calls() == [("on", 2), ("cuMemHostAlloc", 100, 3), ("off", 2)]
    transfers.unlock(4096, 2)
    assert bindings.calls() == [("on", 2), ("cuMemFreeHost", 4096), ("off", 2)]
    bindings.answers["cuMemFreeHost"] = (2,)
    with pytest.raises(RuntimeError, match="giving page-locked memory back: 2"):
        transfers.unlock(4096, 2)


def test_copies(bindings: Bindings, monkeypatch: pytest.MonkeyPatch) -> None:
    transfers.copy(1, 2, 0, "stream")
    transfers.copy_to_device(1, 2, 0, 3)
    transfers.copy_to_host(1, 2, 0, 3)
    assert bindings.calls() == []  # nothing is copied
    transfers.copy(1, 2, 7, "stream")
    assert bindings.calls() == [("cuMemcpyAsync", 1, 2, 7, "stream")]
    bindings.answers |= {"cuMemcpyHtoD": (0,), "cuMemcpyDtoH": (0,)}
    transfers.copy_to_device(1, 2, 7, 3)
    transfers.copy_to_host(1, 2, 7, 3)
    assert bindings.calls() == [
        *(("on", 3), ("cuMemcpyHtoD", 1, 2, 7), ("off", 3)),
        *(("on", 3), ("cuMemcpyDtoH", 1, 2, 7), ("off", 3)),
    ]
    bindings.answers["cuMemcpyDtoH"] = (5,)
    with pytest.raises(RuntimeError, match="copying from the GPU: 5"):
        transfers.copy_to_host(1, 2, 7, 3)
    opened: list[Any] = []
    monkeypatch.setattr(transfers, "_open_pool", lambda *ends: opened.append(ends))
    monkeypatch.setattr(transfers, "context", lambda device: f"context {device}")
    bindings.calls()
    transfers.copy_between(10, 1, 20, 2, 7, "stream")
    assert opened == [(2, 1), (1, 2)]
    assert bindings.calls() == [("cuMemcpyPeerAsync", 10, "context 1", 20, "context 2", 7, "stream")]


def test_memory_is_filled_by_the_width_of_elements(bindings: Bindings) -> None:
    transfers.fill(8, 1, 4, 0, "stream")
    assert bindings.calls() == []
    for width in (1, 2, 4):
        transfers.fill(8, 3, width, 5, "stream")
        assert bindings.calls() == [(f"cuMemsetD{8 * width}Async", 8, 3, 5, "stream")]
    transfers.fill(8, 0x1234567890ABCDEF, 8, 5, "stream")
    assert bindings.calls() == [  # first one half of each element, then the other
        ("cuMemsetD2D32Async", 8, 8, 0x90ABCDEF, 1, 5, "stream"),
        ("cuMemsetD2D32Async", 12, 8, 0x12345678, 1, 5, "stream"),
    ]
    bindings.answers["cuMemsetD8Async"] = (9,)
    with pytest.raises(RuntimeError, match="filling memory: 9"):
        transfers.fill(8, 3, 1, 5, "stream")


class Core:
    """cuda.core, as far as it is asked."""

    def __init__(self, said: list[Any], reach: bool = True):
        self.said, self.reach = said, reach
        self.memory_resource = SimpleNamespace(peer_accessible_by=set())

    def Device(self, number: int) -> Any:
        return SimpleNamespace(
            allocate=lambda size, stream: self.said.append(("allocate", number, size, stream)) or "buffer",
            can_access_peer=lambda other: self.reach and other != number,
            memory_resource=self.memory_resource,
            set_current=lambda: self.said.append(("current", number)),
        )

    def EventOptions(self, **options: Any) -> Any:
        return options


def test_memory_of_a_gpu_has_a_byte_at_least(bindings: Bindings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfers, "require_gpu", lambda: None)
    monkeypatch.setattr(transfers, "cuda_core", lambda: Core(bindings.said))
    monkeypatch.setattr(transfers, "stream", lambda handle, device: f"stream {handle} of {device}")
    assert [transfers.allocate(n, 1) for n in (0, 1, 9)] == ["buffer"] * 3
    transfers.allocate(9, 1, "mine")
    found = [call[2:] for call in bindings.calls() if call[0] == "allocate"]
    assert found == [*((n, "stream 0 of 1") for n in (1, 1, 9)), (9, "mine")]


def test_gpus_reach_each_other_where_they_can(bindings: Bindings, monkeypatch: pytest.MonkeyPatch) -> None:
    open_pool = transfers._open_pool.__wrapped__
    for reach, wanted in ((True, {1}), (False, set[int]())):
        core = Core(bindings.said, reach)
        monkeypatch.setattr(transfers, "cuda_core", lambda core=core: core)
        open_pool(0, 1)
        assert core.memory_resource.peer_accessible_by == wanted
    assert bindings.calls()[0] == ("on", 0)


def test_seconds_are_those_of_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[Any] = []

    class Event(float):
        def sync(self) -> None:
            said.append(("sync", float(self)))

    times = iter([Event(100.0), Event(350.0)])

    def record(options: Any) -> Event:
        said.append(options)
        return next(times)

    monkeypatch.setattr(transfers, "cuda_core", lambda: Core(said))
    assert transfers.seconds(SimpleNamespace(record=record), lambda: said.append("work")) == 0.25
    assert said == [{"timing_enabled": True}, "work", {"timing_enabled": True}, ("sync", 350.0)]


# --- Graphs -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def graphs(bindings: Bindings, monkeypatch: pytest.MonkeyPatch) -> Bindings:
    monkeypatch.setattr(captures, "_spare", {0: list[Any](), 1: list[Any]()})
    made = iter(("one", "other"))
    monkeypatch.setattr(driver, "new_stream", lambda device: f"{next(made)} of {device}")
    monkeypatch.setattr(driver, "relaxed", lambda: "relaxed")
    return bindings


def test_a_graph_is_captured_made_and_brought_there(graphs: Bindings) -> None:
    stream = captures.begin_capture(1)
    assert graphs.calls() == [("cuStreamBeginCapture", "one of 1", "relaxed")]
    graphs.answers |= {"cuStreamEndCapture": (0, "graph"), "cuGraphInstantiate": (0, "made")}
    assert captures.end_capture(stream, 1) == "made"
    assert graphs.calls() == [
        ("cuStreamEndCapture", "one of 1"),
        ("cuGraphInstantiate", "graph", 0),
        ("cuGraphDestroy", "graph"),
        ("cuGraphUpload", "made", "one of 1"),
    ]
    assert captures.begin_capture(1) == stream  # which serves again
    assert captures.begin_capture(1) == "other of 1"
    graphs.calls()
    graphs.answers["cuGraphInstantiate"] = 2, None
    with pytest.raises(RuntimeError, match="making a graph: 2"):
        captures.end_capture(stream, 1)
    assert graphs.calls()[-1] == ("cuGraphDestroy", "graph")
    captures.drop_graph("made")
    assert graphs.calls() == [("cuGraphExecDestroy", "made")]


@pytest.mark.parametrize(("answer", "destroyed"), [((0, "graph"), True), ((0, None), False), ((1, "graph"), False)])
def test_a_capture_is_given_up(graphs: Bindings, answer: tuple[Any, ...], destroyed: bool) -> None:
    graphs.answers["cuStreamEndCapture"] = answer
    captures.give_up_capture("stream", 0)
    assert graphs.calls() == [("cuStreamEndCapture", "stream"), *[("cuGraphDestroy", "graph")] * destroyed]
    assert captures.begin_capture(0) == "stream"


@pytest.mark.parametrize(
    ("several", "current", "first", "calls"),
    [
        (False, 5, 0, ["cuGraphLaunch"]),
        (False, 0, 3, ["cuGraphLaunch", "on", "cuGraphLaunch", "off"]),
        (True, 0, 0, ["cuGraphLaunch"]),
        (True, 1, 0, ["on", "cuGraphLaunch", "off"]),
    ],
)
def test_a_graph_runs_on_its_own_gpu(
    several: bool, current: int, first: int, calls: list[str], graphs: Bindings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(captures, "_several", lambda: several)
    monkeypatch.setattr(driver, "parts", lambda: (None, lambda: (0, current)))
    answers = iter([(first,), (0,)] if first else [(0,)])
    monkeypatch.setattr(
        Bindings, "cuGraphLaunch", lambda self, *given: self.said.append(("cuGraphLaunch", *given)) or next(answers),
        raising=False,
    )  # fmt: skip
    captures.run_graph("graph", 7, 0)
    found = graphs.calls()
    assert [call[0] for call in found] == calls
    assert all(call[1:] == ("graph", 7) for call in found if call[0] == "cuGraphLaunch")


PLAIN = SimpleNamespace(from_port=0, to_port=0, type=0)


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, True),
        ({"captured": False}, False),
        ({"error": 1}, False),
        ({"status": 2}, False),
        ({"before": None}, False),
        ({"before": ["a", "b"]}, False),
        ({"edges": None}, True),
        *(
            ({"edges": [SimpleNamespace(**{**vars(PLAIN), name: 1})]}, False)
            for name in ("from_port", "to_port", "type")
        ),
        ({"kind": (1, "CU_GRAPH_NODE_TYPE_KERNEL")}, False),
        ({"kind": (0, "CU_GRAPH_NODE_TYPE_MEMCPY")}, False),
        ({"several": True}, True),
        ({"several": True, "context": (0, 6)}, False),
        ({"several": True, "context": (1, 5)}, False),
        ({"several": True, "launch": (1, SimpleNamespace(ctx=5))}, False),
        ({"several": True, "context": (0, 0), "launch": (0, SimpleNamespace(ctx=0))}, False),
    ],
)
def test_what_follows_one_kernel(
    changes: dict[str, Any], found: bool, bindings: Bindings, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[str, Any] = {
        "captured": True, "error": 0, "status": 1, "before": ["node"], "edges": [PLAIN], "several": False,
        "kind": (0, "CU_GRAPH_NODE_TYPE_KERNEL"), "context": (0, 5), "launch": (0, SimpleNamespace(ctx=5)), **changes,
    }  # fmt: skip
    monkeypatch.setattr(driver, "captures", lambda _: given["captured"])
    monkeypatch.setattr(captures, "_several", lambda: given["several"])
    bindings.answers |= {
        "cuStreamGetCaptureInfo": (given["error"], given["status"], 0, 0, given["before"], given["edges"], 0),
        "cuGraphNodeGetType": given["kind"],
        "cuGraphKernelNodeGetParams": given["launch"],
        "cuCtxGetCurrent": given["context"],
    }
    assert captures.follows_a_kernel(9) is found


# --- Contexts and streams ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("context", "device", "found"), [((0, 5), (0, 3), 3), ((0, 0), (0, 3), 0), ((1, 5), (0, 3), 0), ((0, 5), (1, 3), 0)]
)
def test_which_gpu_is_current(context: Any, device: Any, found: int, bindings: Bindings) -> None:
    bindings.answers |= {"cuCtxGetCurrent": context, "cuCtxGetDevice": device}
    assert driver.current_device() == found


@pytest.mark.parametrize(
    ("context", "status", "captured"),
    [((0, 5), (0, 0), False), ((0, 5), (0, 1), True), ((0, 5), (906, 1), False), ((0, 0), (0, 1), False)],
)
def test_whether_a_stream_captures(context: Any, status: Any, captured: bool, bindings: Bindings) -> None:
    bindings.answers |= {"cuCtxGetCurrent": context, "cuStreamIsCapturing": status}
    for handle in (0, 1, 2):
        assert driver.captures(handle) is captured
    assert driver.captures(3) is (status == (0, 1))  # a handle of its own is asked without a context, too
    assert driver.is_capturing(3) is (status == (0, 1))
    assert driver.disturbs_a_capture(0) is (status[0] == 906 or status == (0, 1))


def test_captures_of_others_do_not_end(bindings: Bindings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "relaxed", lambda: "relaxed")
    exchange = "cuThreadExchangeStreamCaptureMode"
    bindings.answers[exchange] = 0, "before"
    with driver.unseen(), driver.unseen():
        assert bindings.calls() == [(exchange, "relaxed")]
    assert bindings.calls() == [(exchange, "before")]
    with pytest.raises(KeyError), driver.unseen():
        raise KeyError
    assert bindings.calls() == [(exchange, "relaxed"), (exchange, "before")]


def test_memory_that_is_left(bindings: Bindings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "gpu_available", lambda: True)
    bindings.answers["cuMemGetInfo"] = 0, 5, 9
    assert driver.memory_left() == (5, 9)
    assert bindings.calls() == [("cuMemGetInfo",)]
    assert driver.memory_left(0) == (5, 9)
    assert bindings.calls() == [("on", 0), ("cuMemGetInfo",), ("off", 0)]
    bindings.answers["cuMemGetInfo"] = 1, 5, 9
    assert driver.memory_left() is None
    monkeypatch.setattr(driver, "gpu_available", lambda: False)
    assert driver.memory_left() is None


def test_whose_memory_an_address_is(bindings: Bindings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "_problem", lambda: None)
    bindings.answers["cuPointerGetAttribute"] = 0, 3
    assert driver.device_of(77) == 3
    assert bindings.calls() == [("cuPointerGetAttribute", "CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL", 77)]
    bindings.answers["cuPointerGetAttribute"] = 1, 3
    assert driver.device_of(77) == 0
    monkeypatch.setattr(driver, "_problem", lambda: "no driver")
    bindings.calls()
    assert driver.device_of(77) == 0
    assert bindings.calls() == []


def test_waiting_for_a_gpu(bindings: Bindings) -> None:
    bindings.answers["cuCtxSynchronize"] = (0,)
    driver.synchronize(2)
    assert bindings.calls() == [("on", 2), ("cuCtxSynchronize",), ("off", 2)]
    bindings.answers["cuCtxSynchronize"] = (4,)
    with pytest.raises(RuntimeError, match="waiting for the GPU: 4"):
        driver.synchronize(2)


def test_streams_of_other_libraries(bindings: Bindings, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stream:
        def __init__(self, handle: int):
            self.handle = handle

    made: list[Any] = []
    monkeypatch.setattr(driver, "cuda_core", lambda: SimpleNamespace(Stream=Stream))
    monkeypatch.setattr(driver, "device_count", lambda: 1)
    monkeypatch.setattr(driver, "streams", {0: dict[int, Any](), 1: dict[int, Any]()})
    monkeypatch.setattr(driver, "_owners", {})
    monkeypatch.setattr(driver, "stream", lambda handle, device, owner=None: made.append((handle, device, owner)) or 0)
    own = Stream(7)
    assert driver.stream_of(own, 1) is own
    assert driver.stream_of(Stream(7), 1) is own  # the one that is known by its handle
    assert driver._owners == {(1, 7): own}
    torch, cupy = SimpleNamespace(cuda_stream=5), SimpleNamespace(ptr=6)
    other = SimpleNamespace(__cuda_stream__=lambda: (0, 8))
    for given in (3, torch, cupy, other):
        driver.stream_of(given, 1)
    assert made == [(3, 1, None), (5, 1, torch), (6, 1, cupy), (8, 1, other)]
    with pytest.raises(TypeError, match="str is no CUDA stream"):
        driver.stream_of("torch", 1)


# --- Kernels ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("given", "grid"), [((5,), (5, 1, 1)), ((5, 6), (5, 6, 1)), ((5, 6, 7), (5, 6, 7))])
def test_a_tile_block_is_launched_as_one_thread(
    given: tuple[int, ...], grid: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "cuda_core", lambda: SimpleNamespace(LaunchConfig=lambda **said: said))
    assert kernels.config.__wrapped__(*given) == {"grid": grid, "block": (1, 1, 1)}


def test_shared_memory_is_allowed_once(bindings: Bindings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "_allowed", {})
    kernel, more = SimpleNamespace(handle=5), "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES"
    kernels.allow_shared(kernel, 48 << 10, 0)
    assert bindings.calls() == []
    size = (48 << 10) + 1
    for _ in range(2):
        kernels.allow_shared(kernel, size, 0)
    assert bindings.calls() == [("cuKernelSetAttribute", more, size, 5, "device 0")]
    kernels.allow_shared(kernel, size, 1)
    kernels.allow_shared(kernel, size + 1, 0)
    kernels.allow_shared(kernel, size, 0)
    assert [call[2:] for call in bindings.calls()] == [(size, 5, "device 1"), (size + 1, 5, "device 0")]


def test_clusters_of_more_than_eight_are_allowed(bindings: Bindings) -> None:
    kernel = SimpleNamespace(handle=5)
    kernels.allow_clusters(kernel, 0, 8)
    assert bindings.calls() == []
    kernels.allow_clusters(kernel, 0, 9)
    which = "CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED"
    assert bindings.calls() == [("cuKernelSetAttribute", which, 1, 5, "device 0")]
    bindings.answers["cuKernelSetAttribute"] = (1,)
    with pytest.raises(RuntimeError, match="allowing a kernel clusters of more than 8 blocks: 1"):
        kernels.allow_clusters(kernel, 0, 16)


@pytest.mark.parametrize(
    ("occupancy", "ctas", "clusters", "found"),
    [
        (1, 1, 5, 132),
        (4, 1, 5, 528),
        (1, 4, 30, 30),
        (1, 4, 40, 33),
        (1, 4, None, 33),
        (1, 16, None, 8),
        (1, 256, None, 1),
    ],
)
def test_how_many_blocks_run_at_once(
    occupancy: int, ctas: int, clusters: int | None, found: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "multiprocessors", lambda _: 132)
    monkeypatch.setattr(kernels, "clusters_at_once", lambda *_: clusters)
    assert kernels.at_once(None, 0, occupancy, ctas) == found


@pytest.mark.parametrize(
    ("function", "count", "found"),
    [((0, "f"), (0, 30), 30), ((0, "f"), (0, 0), None), ((0, "f"), (1, 30), None), ((1, "f"), (0, 30), None)],
)
def test_how_many_clusters_run_at_once(
    function: Any, count: Any, found: int | None, bindings: Bindings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "multiprocessors", lambda _: 132)
    monkeypatch.setattr(kernels, "launch_config", lambda blocks, handle: ("config", blocks, handle))
    bindings.answers |= {"cuKernelGetFunction": function, "cuOccupancyMaxActiveClusters": count}
    assert kernels.clusters_at_once(SimpleNamespace(handle=5), 2) == found
    asked = [("cuOccupancyMaxActiveClusters", "f", ("config", 132, 0))] * (not function[0])
    assert bindings.calls() == [("on", 2), ("cuKernelGetFunction", 5), *asked, ("off", 2)]


def test_code_is_told_apart_by_its_first_bytes(bindings: Bindings, monkeypatch: pytest.MonkeyPatch) -> None:
    code = SimpleNamespace(
        from_cubin=lambda given, name: SimpleNamespace(get_kernel=lambda symbol: ("cubin", given, name, symbol)),
        from_ptx=lambda given, name: SimpleNamespace(get_kernel=lambda symbol: ("ptx", given, name, symbol)),
    )
    monkeypatch.setattr(kernels, "cuda_core", lambda: SimpleNamespace(ObjectCode=code))
    assert kernels.load(b"\x7fELF...", "k", 1) == ("cubin", b"\x7fELF...", "k", "k")
    assert kernels.load(b".version", "k", 1) == ("ptx", b".version", "k", "k")
    assert bindings.calls()[:2] == [("on", 1), ("off", 1)]


@pytest.mark.parametrize(("error", "calls"), [(True, 1), (201, 1), (709, 1), (200, 0), (1, 0)])
def test_a_launch_that_found_no_context_is_tried_again(
    error: Any, calls: int, bindings: Bindings, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered: list[bool] = []
    monkeypatch.setattr(driver.native, "enter_thread", lambda: entered.append(True))
    bindings.answers["cuLaunchKernelEx"] = (0,)
    if calls:
        driver.launch_failed(error, 2, "config", 5, 7)
        assert bindings.calls() == [("on", 2), ("cuLaunchKernelEx", "config", 5, 7, 0), ("off", 2)]
        bindings.answers["cuLaunchKernelEx"] = (9,)
    with pytest.raises(RuntimeError, match=f"a launch: {9 if calls else error}"):
        driver.launch_failed(error, 2, "config", 5, 7)
    assert len(entered) == 2 * calls


def test_what_the_driver_says_is_told_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    monkeypatch.setattr(driver, "report", lambda what, text: told.append((what, text)))
    error = SimpleNamespace(name="CUDA_ERROR_X")
    for text in (b"it \xff is", None):
        monkeypatch.setattr(driver, "api", lambda text=text: SimpleNamespace(cuGetErrorString=lambda _: (0, text)))
        driver.refused("work", error)
    assert told == [("work", "CUDA_ERROR_X: it \ufffd is"), ("work", "CUDA_ERROR_X")]
    assert driver.is_of_driver(type("CUDAError", (Exception,), {})())
    assert not driver.is_of_driver(ValueError())
    with pytest.raises(ValueError, match="mine"):
        driver.failed("work", ValueError("mine"))


def test_parameters_of_a_launch_are_where_they_are_said_to_be() -> None:
    import ctypes

    data = bytearray(range(24))
    block, address, keeper = driver.parameter_block(data, (0, 8, 20))
    assert block is data
    pointers = (ctypes.c_void_p * 3).from_address(address)
    first = ctypes.addressof(keeper[0])
    assert list(pointers) == [first, first + 8, first + 20]
    data[8] = 99
    assert ctypes.string_at(pointers[1], 1) == b"c"
    assert driver.parameter_block(bytearray(1), ())[1]


def test_no_gpu_is_said_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "_problem", lambda: "there is none")
    assert not driver.gpu_available()
    assert driver.device_count() == 0
    with pytest.raises(fh.Rejected, match="there is none"):
        driver.require_gpu()
    monkeypatch.setattr(driver, "_problem", lambda: None)
    assert driver.gpu_available()
    driver.require_gpu()


# --- Whether there is a GPU -------------------------------------------------------------------------------------------


class CUDAError(Exception):
    """Named as one of cuda-python's."""


@pytest.mark.parametrize(
    ("devices", "problem"),
    [
        (["one"], None),
        ([], "the NVIDIA driver reports no device"),
        (RuntimeError("no  driver\n here"), "the NVIDIA driver cannot be used (no driver here)"),
        (CUDAError("x" * 300), f"the NVIDIA driver cannot be used ({'x' * 200})"),
        (ImportError("no module"), "cuda-python is not installed (no module)"),
        (ValueError("a mistake"), ValueError),
    ],
)
def test_why_there_is_no_gpu(devices: Any, problem: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    forks: list[Any] = []

    def found() -> Any:
        if isinstance(devices, Exception):
            raise devices
        return devices

    def core() -> Any:
        if isinstance(devices, ImportError):
            raise devices
        return SimpleNamespace(Device=SimpleNamespace(get_all_devices=found))

    monkeypatch.setattr(driver, "cuda_core", core)
    monkeypatch.setattr(driver.os, "register_at_fork", lambda **given: forks.append(given))
    if problem is ValueError:
        with pytest.raises(ValueError, match="a mistake"):
            driver._problem.__wrapped__()
        return
    assert driver._problem.__wrapped__() == problem
    assert forks == ([] if problem else [{"after_in_child": driver.forget}])


def test_memory_of_a_gpu_needs_one(bindings: Bindings, monkeypatch: pytest.MonkeyPatch) -> None:
    class NoGpu(Exception):
        pass

    def require() -> None:
        raise NoGpu

    monkeypatch.setattr(transfers, "require_gpu", require)
    with pytest.raises(NoGpu):
        transfers.allocate(8, 0)
    assert not bindings.calls()
