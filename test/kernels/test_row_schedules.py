"""The table of how softmax and norms work on rows: what is looked up in it, and that each entry is for something."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest

import freehold as fh
from freehold.kernels.row_schedules import TABLE, ByColumns, Entry, Function, Kept, Reloaded, Walked, Whole, way_of
from freehold.kernels.schedules import Rows, rows

BF16, F16, F32 = "torch.bfloat16", "torch.float16", "torch.float32"


def way(
    function: Function,
    count: int,
    length: int,
    dtype: str = BF16,
    alike: bool = True,
    bias: bool = False,
    device: Any = SimpleNamespace(type="cpu"),  # noqa: B008 -- nothing changes it
) -> Any:
    x = SimpleNamespace(shape=(count, length), dtype=dtype, device=device)
    asked: Any = way_of
    return asked(function, x, alike, bias)


def test_rows_are_kept_where_there_are_many() -> None:
    assert way("rms_norm", 2048, 32768) == Kept(4096, 16, 2, ahead=2)
    assert isinstance(way("rms_norm", 264, 32768), Rows), "no two rows for each multiprocessor"
    assert isinstance(way("rms_norm", 2048, 32768, F32), Rows)
    assert way("rms_norm", 2048, 32769) == rows(2048, 32769)
    assert way("rms_norm", 2048, 33024) == rows(2048, 33024)
    assert isinstance(way("rms_norm", 16, 32768), Rows)
    assert isinstance(way("add_rms_norm", 2048, 32768), Rows), "it has no such kernel"


def test_rows_that_stay_in_registers_are_cut_otherwise_where_there_are_many() -> None:
    for dtype in (BF16, F16):
        found = way("softmax", 265, 8192, dtype)
        assert found == rows(265, 8192)._replace(tile=(1, 4096), tiles=2, warps=8, occupancy=4)
    assert way("softmax", 264, 8192) == rows(264, 8192)
    for length in (4096, 8192):
        cut = rows(265, length)._replace(tile=(1, 2048), tiles=length // 2048, warps=8, occupancy=8)
        assert way("add_rms_norm", 265, length) == cut
        assert way("add_rms_norm", 264, length) == rows(264, length)
        assert way("add_rms_norm", 265, length, F16) == rows(265, length)
    assert way("softmax", 265, 8192, F32) == rows(265, 8192)
    assert way("log_softmax", 265, 8192) == rows(265, 8192)


def test_clusters_share_rows_where_these_are_few_or_very_long() -> None:
    eight, sixteen = Kept(16384, 8, 4, blocks=8), Kept(32768, 8, 4, blocks=16)
    functions: tuple[Function, ...] = ("softmax", "log_softmax", "rms_norm", "layer_norm")
    for function in functions:
        assert way(function, 1, 131072) == eight
        assert way(function, 32, 131072, F16) == eight
        assert isinstance(way(function, 33, 131072), Rows), function
    for function in functions[:3]:
        for count in (1, 33, 255):
            assert way(function, count, 262144) == sixteen
    assert isinstance(way("layer_norm", 32, 131072, alike=False), Rows)
    assert way("rms_norm", 32, 131072, alike=False) == eight


def test_clusters_of_small_blocks_share_many_rows() -> None:
    for count in (265, 336):
        found = way("softmax", count, 114688)
        assert found == Kept(8192, 4, 6, blocks=8)
        assert found.hints["begin_early"]
        assert way("log_softmax", count, 114688) == Kept(16384, 8, 4, blocks=8), "slower"
        assert way("softmax", count, 114688, F16) == Kept(16384, 8, 4, blocks=8), "not compared with f64 on a GPU"
        assert way("softmax", count, 131072, F16) == Kept(8192, 4, 5, blocks=8)
        assert way("layer_norm", count, 98304, bias=True) == Kept(8192, 4, 6, blocks=8)
        assert way("layer_norm", count, 98304) == Kept(8192, 32, 1, held=6)
    assert way("softmax", 256, 262144).occupancy == 5
    assert way("softmax", 255, 262144).occupancy == 4, "not measured"


def test_rows_are_loaded_again_where_these_fill_the_gpu() -> None:
    for count in (256, 264, 337, 395, 396, 512, 100000):
        found = way("softmax", count, 131072)
        assert isinstance(found, Reloaded), count
        assert found.later == (80 if count >= 396 else 0), "too few to begin at different times"
        assert found.early
    for count in (265, 336):
        assert isinstance(way("softmax", count, 131072), Kept), "another turn for a few rows"
    assert isinstance(way("softmax", 255, 131072), Rows), "too few"
    assert isinstance(way("softmax", 512, 131072, F16), Reloaded)
    assert isinstance(way("softmax", 512, 65536), Reloaded)
    assert isinstance(way("softmax", 256, 65536), Reloaded)
    assert way("softmax", 265, 65536) == Kept(8192, 32, 1, order=way("softmax", 512, 65536).order)
    assert isinstance(way("softmax", 512, 65536, F16), Kept), "not measured"
    assert isinstance(way("softmax", 512, 131072, F32), Rows)
    assert isinstance(way("rms_norm", 512, 131072), Reloaded)
    assert isinstance(way("rms_norm", 512, 131072, alike=False), Kept), "not with weights of another dtype"
    assert isinstance(way("layer_norm", 512, 131072, alike=False), Rows)
    assert isinstance(way("layer_norm", 512, 114688, bias=True), Reloaded)
    assert isinstance(way("layer_norm", 512, 114688), Kept), "not without a bias"


def test_rows_are_walked_as_their_length_says() -> None:
    def walked(function: Function, length: int, dtype: str = BF16) -> Any:
        return way(function, 100, length, dtype)

    plain = rows(100, 1 << 16)
    assert walked("softmax", 1 << 16) == plain._replace(tile=(1, 8192), warps=32, held=4, occupancy=1)
    assert walked("rms_norm", 1 << 16) == plain._replace(tile=(1, 4096), warps=16, held=8, occupancy=1)
    assert walked("softmax", 1 << 16, F32) == plain
    assert walked("softmax", (1 << 16) + 4096).tile == (1, 4096), "no whole tiles of 8,192"
    assert walked("softmax", (1 << 16) + 256) == rows(100, (1 << 16) + 256)
    assert walked("softmax", 16384) == rows(100, 16384), "kept, as shorter ones are"


def test_several_blocks_have_a_row_of_layer_norms() -> None:
    for dtype in (BF16, F32, "torch.float64"):
        assert way("layer_norm", 131, 262144, dtype) == ByColumns(2048, 8, 4)
        assert not isinstance(way("layer_norm", 132, 262144, dtype), ByColumns), "a row for each multiprocessor"
        assert not isinstance(way("layer_norm", 1, 260096, dtype), ByColumns)
        assert not isinstance(way("layer_norm", 1, 262144 + 1024, dtype), ByColumns)
    assert way("layer_norm", 1, 262144 + 2048, alike=False, bias=True) == ByColumns(2048, 8, 4)


@pytest.mark.parametrize(("capability", "there"), [((8, 9), False), ((9, 0), True), ((10, 0), True), ((12, 0), True)])
def test_clusters_are_for_gpus_that_have_them(
    capability: tuple[int, int], there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch: Any = pytest.importorskip("torch")
    asked: list[Any] = []
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (asked.append(device), capability)[1])  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType] -- of torch
    device = SimpleNamespace(type="cuda")
    found = way("softmax", 16, 131072, device=device)
    walked = rows(16, 131072)._replace(tile=(1, 4096), warps=16, held=12, occupancy=1)
    assert found == (Kept(16384, 8, 4, blocks=8) if there else walked)
    assert asked == [device]
    assert way("layer_norm", 300, 131072, device=device) == Kept(8192, 32, 1, held=6), "a block has each of its rows"
    assert len(asked) == 1


def test_arrays_of_the_engine_go_the_ways_of_any_weights() -> None:
    for dtype, named in ((fh.bf16, BF16), (fh.f16, F16), (fh.f32, F32)):
        for count, length in product((100, 265, 512), (1536, 4096, 5120, 12288, 24576, 49152)):
            x: Any = fh.zeros((1, length), dtype).sync()
            found = way_of(
                "rms_norm", SimpleNamespace(shape=(count, length), dtype=x.dtype, device=x.device), alike=True
            )
            assert found == way("rms_norm", count, length, named, alike=False), (dtype, count, length)
    assert way("rms_norm", 265, 4096, "bf16", device=0) == Kept(2048, 8, 5, ahead=2)
    assert isinstance(way("rms_norm", 265, 5120, "bf16", device=0), Rows)
    assert isinstance(way("rms_norm", 16, 131072, "bf16", device=0), Rows), "in no cluster"


def test_extents_are_numbers() -> None:
    """`torch.jit.trace` has tensors there."""
    torch: Any = pytest.importorskip("torch")
    for count, length in ((torch.tensor(4), 65536), (4, torch.tensor(65536))):
        with pytest.raises(TypeError, match="extents are numbers"):
            way("softmax", count, length)


TORCH = {"bf16": BF16, "f16": F16, "f32": F32, "f64": "torch.float64"}


def taken(entry: Entry, function: Function, dtype: str, length: int) -> bool:
    """Whether some number of rows is worked on in the way of this entry."""
    wanted = entry.way
    for count in (1, 32, 33, 131, 255, 256, 264, 265, 300, 396, 512, 1024):
        for alike, bias in ((True, False), (True, True), (False, False)):
            found = way(function, count, length, TORCH[dtype], alike, bias)
            if isinstance(wanted, Walked) and isinstance(found, Rows):
                found = Walked(found.tile[1], found.warps, found.occupancy, found.held)
            elif isinstance(wanted, Whole) and isinstance(found, Rows):
                found = Whole(found.tile[1], found.warps, found.occupancy)
            if found == wanted:
                return True
    return False


@pytest.mark.parametrize("entry", TABLE)
def test_each_entry_is_taken(entry: Entry) -> None:
    """For each of its functions and dtypes, and for each length, or one of a range: entries in front leave it some."""
    lengths = entry.lengths
    if isinstance(lengths, range):
        assert lengths.start % lengths.step == 0
        assert lengths.step == entry.way.width, "whole tiles"
    for function in entry.functions:
        for dtype in entry.dtypes:
            if isinstance(lengths, range):
                assert any(taken(entry, function, dtype, n) for n in lengths[:3]), (function, dtype)
            else:
                assert all(taken(entry, function, dtype, n) for n in lengths), (function, dtype)


def test_functions_have_kernels_of_their_ways() -> None:
    kernels: dict[Function, tuple[type, ...]] = {
        "softmax": (Kept, Reloaded, Walked, Whole),
        "log_softmax": (Kept, Reloaded, Walked),
        "rms_norm": (Kept, Reloaded, Walked),
        "add_rms_norm": (Walked, Whole),
        "layer_norm": (Kept, Reloaded, Walked, ByColumns),
    }
    for function, ways in kernels.items():
        found = {type(entry.way) for entry in TABLE if function in entry.functions}
        assert found == {*ways}, function
