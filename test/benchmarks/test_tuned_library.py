"""What a search of the library's schedules changes, and that it has calls of every function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from benchmarks.library_calls import WITHOUT, Call, Calls
from benchmarks.tuned_library import Change, Changed, Search, same, together

import freehold as fh
from freehold import Mut, Out, Ref, i32, kernels
from freehold.runtime.errors.kernel_checks import IndexOutside
from freehold.runtime.jit.kernel import Kernel
from freehold.runtime.launch.partition import Partition

torch: Any = pytest.importorskip("torch")

WARPS = Change((("num_worker_warps", 2), ("occupancy", 8)))


@fh.kernel
def twice(y: Out["M", "N"], x: Ref["M", "N"]):
    """y = 2 x."""
    y.store(x.load_like(y) * 2)


@fh.kernel
def twice_of_some(y: Mut["M", "N"]):
    """y = 2 y."""
    y.store(y.load() * 2)


@fh.kernel
def tile_sizes(y: Out["M", "N"]):
    """How many rows a tile has."""
    y.store(fh.full(y.tile, y.tile[0], i32))


@pytest.fixture
def launched() -> list[tuple[str, dict[str, Any], list[Any]]]:
    return []


@pytest.fixture
def changed(launched: list[tuple[str, dict[str, Any], list[Any]]]) -> Iterator[Changed]:
    call: Callable[..., Any] = Kernel.__call__

    def seen(kernel: Kernel, *args: Any) -> Any:
        tiles = [a.spec.tile for a in args if isinstance(a, Partition)]
        launched.append((kernel.__name__, dict(kernel.options.hints), tiles))
        return call(kernel, *args)

    with Changed(seen).entered() as entered:
        yield entered


def search(changed: Changed, function: Callable[[], Any]) -> Search:
    return Search(torch, Call("a call", lambda: function), changed)


def doubled() -> Any:
    x = torch.arange(1024.0).view(32, 32)
    y = torch.empty_like(x)
    twice.with_hints(occupancy=4)(fh.partition(y, (4, 16), order=fh.COLUMN), x).on()
    return y


def test_every_function_has_calls_and_each_call_a_name_of_its_own():
    names = [call.name for call in Calls(torch, "cpu", 64)]
    assert len(set(names)) == len(names)
    assert {name.split()[0] for name in names} == {*kernels.__all__, "AdamW"} - {*WITHOUT}


@pytest.mark.parametrize(
    ("change", "hints", "tile"),
    [
        (WARPS, {"num_worker_warps": 2, "occupancy": 8}, (4, 16)),
        (Change(first=2), {"occupancy": 4}, (8, 16)),
        (WARPS._replace(last=0.5), {"num_worker_warps": 2, "occupancy": 8}, (4, 8)),
    ],
)
def test_a_launch_is_changed(
    change: Change, hints: dict[str, int], tile: tuple[int, int], changed: Changed, launched: list[Any]
):
    found = search(changed, doubled)
    assert found.kernels == ("twice",)
    assert launched == [("twice", {"occupancy": 4}, [(4, 16)])]
    assert found.works({"twice": change, "another": Change(first=2)})
    assert launched[1:] == [("twice", hints, [tile]), launched[0]]


def test_what_cannot_be_or_gives_something_else_is_left_out(changed: Changed):
    def sizes() -> Any:
        y = torch.empty((32, 1), dtype=torch.int32)
        tile_sizes(fh.partition(y, (4, 1))).on()
        return y

    def one() -> Any:
        y = torch.empty((32, 1), dtype=torch.int32)
        tile_sizes(fh.partition(y, (1, 1))).on()
        return y * 0

    def stepped() -> Any:
        y = torch.ones((32, 32))
        twice_of_some(fh.partition(y, (4, 16), step=(8, 16))).on()
        return y

    def partly() -> Any:
        y = torch.ones((32, 32))
        twice_of_some(fh.partition(y, (4, 16), partial=True)).on()
        return y

    def of_half(checks: list[int] = []) -> Any:  # noqa: B006 -- it counts its calls
        y, x = torch.empty((32, 32)), torch.ones((32, 32))
        checks.append(0)
        twice(fh.partition(y if len(checks) % 2 else y[:16], (4, 16)), x[: 32 if len(checks) % 2 else 16]).on()
        return y

    found = search(changed, sizes)
    assert found.works({"tile_sizes": WARPS})
    assert not found.works({"tile_sizes": Change(first=2)})  # it stores what its tile is
    assert not found.works({"tile_sizes": Change(last=0.5)})  # there is no half of an element
    assert not search(changed, doubled).works({"twice": Change(first=2.0**30)})
    assert not search(changed, one).works({"tile_sizes": Change(first=2)})
    assert not search(changed, stepped).works({"twice_of_some": Change(first=2)})
    assert not search(changed, partly).works({"twice_of_some": Change(last=0.5)})
    assert search(changed, partly).works({"twice_of_some": WARPS})
    assert not search(changed, of_half).works({"twice": WARPS})  # half is as it was, which nothing new may read
    assert not torch.are_deterministic_algorithms_enabled()
    assert not search(changed, lambda: doubled() is None or None).works({"twice": Change(last=0.5)})
    assert search(changed, lambda: doubled() is None or None).works({"twice": WARPS})


def test_each_launch_that_failed_a_check_is_told_before_the_next_search(changed: Changed):
    failed = fh.LaunchError([IndexOutside(None, "x", 0, 4, 4)])
    told = [failed] * 2

    def fails_later() -> Any:
        if changed.changes:
            raise told.pop()
        if failing and told:
            raise told.pop()
        return torch.ones(4)

    failing = False
    found = search(changed, fails_later)
    found.kernels = ("a", "b")
    failing = True
    assert not found.works({"a": WARPS})
    assert not told
    assert found.checked()
    told += [failed] * 9
    with pytest.raises(RuntimeError, match="the call itself"):
        found.checked()


def test_functions_of_the_library_are_called_as_they_are_written(changed: Changed, launched: list[Any]):
    call = next(c for c in Calls(torch, "cpu", 64) if c.name.startswith("group_norm 8 backward"))
    found = Search(torch, call, changed)
    assert found.kernels == ("channel_sums", "means_of_channels", "sums_of_samples", "scaled_channels_backward")
    assert found.works({"channel_sums": WARPS})
    assert [hints for name, hints, _ in launched if name == "channel_sums"][1] == dict(WARPS.hints)


def test_what_results_are_the_same():
    x = torch.randn(100)
    assert same([x, x.int()], [x * (1 + 1e-6), x.int()])
    assert same([x.half()], [x.half() * (1 + 1e-3)])
    assert not same([x], [x * 1.001])
    assert not same([x.int()], [x.int() + (x == x.max()).int()])
    assert not same([x * float("nan")], [x])


def test_the_best_of_each_kernel_is_put_together():
    other = Change((("num_worker_warps", 8), ("occupancy", 1)))
    gains = [(1.5, "a", WARPS), (1.4, "a", other), (1.3, "b", Change(last=2)), (1.2, "a", Change(first=2))]
    gains += [(1.1, "a", Change(last=2)), (1.0, "c", WARPS)]
    assert together(gains) == {"a": WARPS._replace(first=2), "b": Change(last=2)}
    assert together(gains[-1:]) == {}
