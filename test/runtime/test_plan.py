"""Launches that look like one before: which addresses and numbers fit what was made for that one."""

# Stand-ins are of no type that checkers know.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false, reportUnknownParameterType=false

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from freehold.runtime.launch import plan
from freehold.runtime.launch.plan import Arrays
from freehold.runtime.memory.arguments import view
from freehold.runtime.variants.evaluation import Geometry

inner: Any = plan
"""The module, of which some is not for others."""


class Evaluates:
    """As much of an evaluator as arrays ask: of two arrays, the values 0 and 2 of all; the value 1 is a scalar."""

    def __init__(self, **changes: Any):
        self.contract = SimpleNamespace(parameters=())
        self.tensors = ((0, SimpleNamespace(mode="out")), (2, SimpleNamespace(mode="ref")))
        self.admits: Any = None
        self.judge: Any = None
        self.varies = (1,)
        self.asked: list[Any] = []
        self.answer: Geometry | None = Geometry(7, ())
        vars(self).update(changes)

    def extents(self, shapes: Any) -> tuple[int, ...]:
        return tuple(extent for shape in shapes for extent in shape)

    def evaluate(self, *given: Any) -> Geometry | None:
        self.asked.append(given)
        return self.answer


def arrays(evaluator: Any, one: Any, other: Any) -> Arrays:
    return Arrays(evaluator, [view(one), view(other)])


COLUMNS = np.zeros((4, 8), np.float32)[:, :2]
ROW = np.zeros(5, np.float16)


def bytes_of(array: Any, address: int) -> set[int]:
    """The bytes of an array, if it begins at an address."""
    return {
        address + sum(i * s for i, s in zip(index, array.strides, strict=True)) + byte
        for index in np.ndindex(array.shape)
        for byte in range(array.itemsize)
    }


def fits(found: Arrays, values: Any) -> bool:
    try:
        found.verify(values)
    except inner.Mismatch:
        return False
    return True


def test_arrays_that_share_a_byte_with_what_is_written_do_not_fit() -> None:
    found = arrays(Evaluates(), COLUMNS, ROW)
    for _ in range(2):  # what was found once is known then
        for distance in range(-16, 110):
            apart = not bytes_of(COLUMNS, 1000) & bytes_of(ROW, 1000 + distance)
            assert fits(found, [1000, 3, 1000 + distance]) == apart, distance
    reading = Evaluates(tensors=((0, SimpleNamespace(mode="ref")), (2, SimpleNamespace(mode="ref"))))
    assert fits(arrays(reading, COLUMNS, ROW), [1000, 3, 1000])
    turned = Evaluates(tensors=((0, SimpleNamespace(mode="ref")), (2, SimpleNamespace(mode="out"))))
    assert not fits(arrays(turned, COLUMNS, ROW), [1000, 3, 1000])


def test_what_is_known_of_distances_does_not_grow_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def overlap(one: Any, other: Any) -> bool:
        asked.append((one, other))
        return False

    monkeypatch.setattr(inner, "overlap", overlap)
    large = np.zeros((1000, 1000), np.float32)
    found: Any = arrays(Evaluates(), large, large)
    sizes = list[int]()
    for distance in range(600):
        found.verify([0, 3, distance])
        sizes.append(len(found._disjoint))
    assert sizes[:258] == [*range(1, 258), 1]
    assert max(sizes) == 257
    assert len(asked) == 600
    found.verify([0, 3, 599])
    assert len(asked) == 600


def test_numbers_that_do_not_fit() -> None:
    def admits(extents: Any, values: Any) -> bool:
        assert extents == (4, 2, 5)
        return values[1] > 2

    found = arrays(Evaluates(admits=admits), COLUMNS, ROW)
    assert [fits(found, [0, n, 1000]) for n in (1, 2, 3)] == [False, False, True]


def test_the_geometry_of_other_numbers() -> None:
    evaluator = Evaluates()
    found = arrays(evaluator, COLUMNS, ROW)
    assert found.geometry((9,)) == Geometry(7, ())
    assert evaluator.asked == [([(4, 2), (5,)], [(8, 1), (1,)], {1: 9})]  # strides in elements
    evaluator.answer = None
    with pytest.raises(inner.Mismatch):
        found.geometry((9,))


@pytest.mark.parametrize("wrong", [False, True])
def test_who_is_asked_of_each_launch(wrong: bool) -> None:
    judged: list[Any] = []

    def judge(*given: Any) -> bool:
        judged.append(given)
        return wrong

    found = arrays(Evaluates(judge=judge), COLUMNS, ROW)
    if wrong:
        with pytest.raises(inner.Mismatch):
            found.geometry((9,))
    else:
        assert found.geometry((9,)) == Geometry(7, ())
    assert judged == [(Geometry(7, ()), [(4, 2), (5,)], [(8, 1), (1,)], {1: 9}, None)]


# --- On a GPU ---------------------------------------------------------------------------------------------------------


class Gpu:
    """Writes down what is asked of the driver."""

    def __init__(self) -> None:
        self.said: list[Any] = []
        self.gpus, self.current, self.error, self.multiprocessors = 1, 0, 0, 132
        self.capturing = False

    def launch(self, config: Any, kernel: int, block: int, more: int) -> tuple[int]:
        self.said.append(("launch", config, kernel, block, more))
        return (self.error,)

    def config(self, blocks: int, handle: int, shape: Any, early: bool = False) -> str:
        return f"{blocks} on {handle}{f' of {shape}' if shape else ''}{', early' if early else ''}"


class Layout:
    """Where parameters lie."""

    offsets = (0, 8)

    def __init__(self, gpu: Gpu) -> None:
        self.gpu = gpu

    def filled(self, integers: Any) -> str:
        return f"memory of {integers}"

    def pack(self, data: Any, values: Any, failures: Any = None) -> None:
        self.gpu.said.append(("pack", data, values, None if failures is None else failures()))


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Gpu:
    found = Gpu()
    blocks: list[Any] = []

    def parameter_block(data: Any, offsets: Any) -> Any:
        blocks.append(data)
        return (data, len(blocks), offsets)

    monkeypatch.setattr(inner.driver, "device_count", lambda: found.gpus)
    monkeypatch.setattr(inner.driver, "multiprocessors", lambda device: found.multiprocessors)
    monkeypatch.setattr(inner.driver, "parts", lambda: (found.launch, lambda: (0, found.current)))
    monkeypatch.setattr(inner.driver, "parameter_block", parameter_block)
    monkeypatch.setattr(inner.driver, "launch_failed", lambda *given: found.said.append(("failed", *given)))
    monkeypatch.setattr(inner.kernels, "launch_config", found.config)
    monkeypatch.setattr(inner.kernels, "allow_shared", lambda *given: found.said.append(("shared", *given)))
    monkeypatch.setattr(inner.captures, "follows_a_kernel", lambda handle: found.capturing)
    monkeypatch.setattr(inner.checked, "enter", lambda *given: given)
    monkeypatch.setattr(inner.native, "thread", SimpleNamespace(new=False))
    return found


def compiled(gpu: Gpu, **changes: Any) -> Any:
    """Code, of kinds that are told by name: of the contract `persistent`, `blocks` and `kernel_checks`."""
    contract = {name: changes.pop(name, None) for name in ("persistent", "blocks", "kernel_checks")}
    given: dict[str, Any] = {
        "evaluator": Evaluates(varies=()), "name": "scale", "contract": SimpleNamespace(**contract),
        "layout": Layout(gpu), "loaded": lambda device: SimpleNamespace(handle=f"{40 + device}"), "ctas": 1,
        "at_once": lambda device: 264 + device, "begins_anywhere": True, "gains": None, "fills": False, "waits": True,
    }  # fmt: skip
    return SimpleNamespace(**{**given, **changes})


def planned(
    gpu: Gpu, points: int = 7, shape: Any = (), device: int = 0, values: Any = (0, 3, 900), **changes: Any
) -> Any:
    views = [view(COLUMNS), view(ROW)]
    return inner.Plan(compiled(gpu, **changes), views, values, Geometry(points, (5, 6), shape), device)


@pytest.mark.parametrize(
    ("given", "blocks"),
    [
        ({}, 1000), ({"persistent": True}, 264), ({"persistent": True, "device": 2}, 266),
        ({"persistent": True, "blocks": 9}, 9), ({"persistent": True, "blocks": 9, "points": 4}, 4),
        ({"persistent": True, "points": 264}, 264), ({"persistent": True, "points": 100}, 100), ({"blocks": 9}, 1000),
    ],
)  # fmt: skip
def test_how_many_blocks_there_are(given: dict[str, Any], blocks: int, gpu: Gpu) -> None:
    assert planned(gpu, **{"points": 1000, **given}).blocks == blocks


SMALL = 4 * 2 * 4 + 5 * 2
"""Bytes of the elements of the arrays here."""


@pytest.mark.parametrize(
    ("given", "begins"),
    [
        ({}, True), ({"begins_anywhere": False}, False), ({"gains": True, "points": 999}, True), ({"gains": 0}, False),
        ({"points": 132}, True), ({"points": 133}, False), ({"points": 66, "ctas": 2}, True),
        ({"points": 67, "ctas": 2}, False), ({"fills": True, "points": 999}, True),
        ({"gains": True, "fills": True}, True),
    ],
)  # fmt: skip
def test_which_launches_begin_early(
    given: dict[str, Any], begins: bool, gpu: Gpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those whose blocks have a multiprocessor each, or that fill them and have little to read; or a hint says it."""
    monkeypatch.setattr(inner, "MOST_EARLY", SMALL)
    assert planned(gpu, **given).begins is begins
    monkeypatch.setattr(inner, "MOST_EARLY", SMALL - 1)
    assert planned(gpu, **given).begins is (begins and not (given.get("fills") and not given.get("gains")))


def test_a_launch_is_packed_and_enqueued(gpu: Gpu) -> None:
    one = planned(gpu)
    assert (one.kernel, one.name, one.device, one.integers, one.fits) == (40, "scale", 0, (5, 6), {(): one})
    one.enqueue(21, 0, 3, 900)
    one.enqueue(21, 0, 4, 901)
    one.enqueue(22, 0, 4, 902)
    assert gpu.said == [
        ("pack", "memory of (5, 6)", (0, 3, 900), None), ("launch", "7 on 21", 40, 1, 0),
        ("pack", "memory of (5, 6)", (0, 4, 901), None), ("launch", "7 on 21", 40, 1, 0),
        ("pack", "memory of (5, 6)", (0, 4, 902), None), ("launch", "7 on 22", 40, 1, 0),
    ]  # fmt: skip
    assert one.configs == {21: "7 on 21", 22: "7 on 22"}
    assert one.packed == [("memory of (5, 6)", 1, (0, 8))]
    with pytest.raises(inner.Mismatch):
        one.enqueue(21, 0, 3, 4)  # they share bytes
    assert len(gpu.said) == 6


def test_what_is_launched_while_another_packs_has_memory_of_its_own(gpu: Gpu) -> None:
    one = planned(gpu)
    one.enqueue(21, 0, 3, 900)
    taken = one.packed.pop()
    one.enqueue(21, 0, 3, 900)
    assert one.packed == [("memory of (5, 6)", 2, (0, 8))]
    assert taken[1] == 1


def test_foreign_code_has_a_shape_and_shared_memory(gpu: Gpu) -> None:
    one = planned(gpu, shape=(1, 2, 3, 512))
    assert gpu.said == [("shared", one.loaded, 512, 0)]
    one.enqueue(21, 0, 3, 900)
    assert one.configs == {21: "7 on 21 of (1, 2, 3, 512)"}


def test_what_a_kernel_checks_is_entered(gpu: Gpu) -> None:
    planned(gpu, kernel_checks=("check",)).enqueue(21, 0, 3, 900)
    assert gpu.said[0] == ("pack", "memory of (5, 6)", (0, 3, 900), (0, 21, "scale", ("check",)))


@pytest.mark.parametrize(
    ("given", "apart", "capturing", "early"),
    [
        ({}, None, True, True), ({}, None, False, False), ({"begins_anywhere": False}, None, True, False),
        ({}, True, True, True), ({}, False, True, False), ({"waits": False}, True, True, False),
        ({"waits": False}, None, True, True), ({"begins_anywhere": False}, True, True, True),
    ],
)  # fmt: skip
def test_which_launch_begins_while_the_one_in_front_ends(
    given: dict[str, Any], apart: bool | None, capturing: bool, early: bool, gpu: Gpu
) -> None:
    gpu.capturing = capturing
    one = planned(gpu, **given)
    one.enqueue(21, 0, 3, 900, apart=apart)
    assert gpu.said[-1][1] == ("7 on 21, early" if early else "7 on 21")
    assert one.configs == ({} if early else {21: "7 on 21"})


@pytest.mark.parametrize(
    ("gpus", "current", "new", "failed"),
    [(1, 0, False, False), (1, 5, False, False), (2, 0, False, False), (2, 1, False, True), (1, 0, True, True)],
)
def test_where_another_gpu_is_current(gpus: int, current: int, new: bool, failed: bool, gpu: Gpu) -> None:
    gpu.gpus, gpu.current, inner.native.thread.new = gpus, current, new
    gpu.capturing = True
    one = planned(gpu)
    one.enqueue(21, 0, 3, 900)
    if failed:  # nothing was launched yet, nor looked for in a graph
        assert gpu.said[-1] == ("failed", True, 0, "7 on 21", 40, 1)
        assert [said[0] for said in gpu.said] == ["pack", "failed"]
    else:
        assert gpu.said[-1] == ("launch", "7 on 21, early", 40, 1, 0)
    assert len(one.packed) == 1


def test_an_error_of_a_launch_is_looked_at(gpu: Gpu) -> None:
    gpu.error = 201
    planned(gpu).enqueue(21, 0, 3, 900)
    assert gpu.said[-1] == ("failed", 201, 0, "7 on 21", 40, 1)


def test_numbers_that_the_geometry_depends_on(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inner, "MOST_FITS", 2)
    evaluator = Evaluates(answer=Geometry(8, (7, 7)))
    one = planned(gpu, evaluator=evaluator)
    assert one.fits == {(3,): one}
    one.enqueue(21, 0, 3, 900)
    assert evaluator.asked == []
    one.enqueue(21, 0, 4, 900)
    one.enqueue(21, 0, 4, 900)
    assert len(evaluator.asked) == 1
    assert [said[1] for said in gpu.said if said[0] == "launch"] == ["7 on 21", "8 on 21", "8 on 21"]
    assert [said[1] for said in gpu.said if said[0] == "pack"] == ["memory of (5, 6)", *["memory of (7, 7)"] * 2]
    other = one.fits[4,]
    assert (other.blocks, other.fits) == (8, one.fits)
    assert other.configs is not one.configs
    one.enqueue(21, 0, 5, 900)
    assert [*one.fits] == [(5,)]
    evaluator.answer = None
    with pytest.raises(inner.Mismatch):
        one.enqueue(21, 0, 6, 900)


@pytest.mark.parametrize(
    ("families", "wanted"),
    [
        ((), ""), (("freehold", ""), ""), (("cupy", "freehold"), "cupy"), (("cupy", "torch"), "torch"),
        (("torch",), "torch"), (("freehold", "torch", "cupy"), "torch"),
    ],
)  # fmt: skip
def test_whose_stream_is_used(families: tuple[str, ...], wanted: str) -> None:
    assert inner.family_of([SimpleNamespace(family=family) for family in families]) == wanted
