"""Products in the ways that their schedules have: tiles side by side, a vector by rows; against torch in float64."""

# What torch has is of no types here.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

import pytest
from comparing import BOUNDS, assembled, close, made
from hypothesis import given
from hypothesis import strategies as st

from freehold import kernels
from freehold.kernels.products import product_launches
from freehold.kernels.schedules import PROCESSORS, by_row, ceildiv
from freehold.kernels.tilings import Product, Tiling, tiling
from freehold.runtime.jit.kernel import Kernel

torch: Any = pytest.importorskip("torch")

PAIR = Tiling((32, 32), 32, 1, 4, 1, False, beside=16)
MARGINS = [PAIR._replace(beside=0, margins=margins) for margins in ((3, 1), (0, 5), (7, 0))]
PARTS = PAIR._replace(tile=(32, 128)), PAIR._replace(tile=(32, 128), persistent=True)
COLUMN = PAIR._replace(tile=(32, 128), beside=0, persistent=True, margins=(8, 8), widened=True)
TURNED = Tiling((16, 64), 32, 1, 4, 2, False, early=True, turned=True)
STRIPS = TURNED._replace(strips=(16, 8, 8))
PAIRS = PAIR, PAIR._replace(persistent=True), PAIR._replace(tile=(32, 64)), PAIR._replace(ctas=2, ahead=4)


@pytest.mark.parametrize("way", [*PAIRS, *MARGINS, TURNED, TURNED._replace(splits=3)])
@pytest.mark.parametrize("shape", [(40, 100, 70), (32, 48, 32), (7, 5, 9), (64, 97, 33)])
@pytest.mark.parametrize("layout", [(False, True), (False, False), (True, False), (True, True)])
def test_tiles_side_by_side_and_margins(
    way: Tiling, shape: tuple[int, int, int], layout: tuple[bool, bool], launched: dict[str, tuple[Kernel, Any]]
) -> None:
    """All of the product is written, whatever overhangs, in every layout, and with all that may follow it."""
    m, n, k = shape
    ta, tb = layout
    a, b = made((k, m) if ta else (m, k), torch.bfloat16, 1), made((n, k) if tb else (k, n), torch.bfloat16, 2)
    bias, residual = made((n,), torch.bfloat16, 3), made((m, n), torch.bfloat16, 4)
    wanted = (a.t() if ta else a).double() @ (b.t() if tb else b).double()
    c = torch.full((m, n), float("nan"), dtype=torch.bfloat16)
    for ends, expected in (
        ((None, None, ""), wanted),
        ((bias, residual, "relu"), torch.relu(wanted + bias.double()) + residual.double()),
    ):
        product = Product(c.fill_(float("nan")), a, b, *ends, layout)
        for launch in product_launches(product, way, lambda: torch.full((way.splits, m, n), float("nan"))):
            launch.sync()
        close(c, expected, 3 * BOUNDS[torch.bfloat16])
    if shape[0] == 40 and not way.persistent and way.ctas == 1:  # tiles of 32 rows are no pair's (O415)
        assembled(launched)


@pytest.mark.parametrize("way", [*PARTS, COLUMN])
@pytest.mark.parametrize("layout", [(False, True), (False, False), (True, False), (True, True)])
def test_equal_parts(way: Tiling, layout: tuple[bool, bool], launched: dict[str, tuple[Kernel, Any]]) -> None:
    """Columns in equal parts that are a little wider than a tile, and a last column of tiles that is."""
    test_tiles_side_by_side_and_margins(way, (40, 408, 48), layout, launched)
    assert any("matmul_parts" in name for name in launched)


@pytest.mark.parametrize("way", [STRIPS, STRIPS._replace(splits=3), STRIPS._replace(persistent=True)])
@pytest.mark.parametrize("shape", [(32, 100, 70), (20, 97, 33), (27, 64, 8), (7, 5, 9)])
@pytest.mark.parametrize("layout", [(False, True), (False, False), (True, False), (True, True)])
def test_strips(
    way: Tiling, shape: tuple[int, int, int], layout: tuple[bool, bool], launched: dict[str, tuple[Kernel, Any]]
) -> None:
    """Rows in strips of different heights: all there are, or fewer, of which the last one overhangs."""
    test_tiles_side_by_side_and_margins(way, shape, layout, launched)
    assert any("matmul_strips" in name for name in launched)
    if shape[0] == 20 and layout == (False, True):
        assembled(launched)


def test_strips_that_leave_rows_over_are_refused() -> None:
    product = Product(*(torch.zeros(shape, dtype=torch.bfloat16) for shape in ((33, 64), (33, 16), (16, 64))))
    with pytest.raises(ValueError, match=r"strips of \(16, 8, 8\) rows are not all of 33"):
        list(product_launches(product, STRIPS, lambda: None))


@given(*[st.integers(1, 40000)] * 3, st.sampled_from([1, 2, 4]), st.booleans(), st.booleans())
def test_tilings(m: int, n: int, k: int, size: int, even: bool, pairs: bool) -> None:
    """Tiles are powers of two, a second one stands beside where it may; a sum is cut where few work on it."""
    way = tiling(m, n, k, size, even, pairs)
    assert all(t == 1 << t.bit_length() - 1 for t in (*way.tile, way.step))
    if any(way.margins):
        assert (pairs, size, way.splits, way.beside) == (True, 2, 1, 0)
        assert all(0 <= margin <= 32 for margin in way.margins)
        assert not way.widened or all(
            margin > 0 and margin % 8 == 0 and extent >= margin + 2 * size
            for margin, extent, size in zip(way.margins, (m, n), way.tile, strict=True)
        )
    if way.beside:
        assert (size, way.splits, way.tile[1] % way.beside) == (2, 1, 0)
        assert pairs or m <= 64
    if way.strips:
        assert (size, way.turned) == (2, True)
        assert all(high == 1 << high.bit_length() - 1 for high in way.strips)
        assert 0 <= sum(way.strips) - m < 8
    if way.splits > 1:
        assert ceildiv(m, way.tile[0]) * ceildiv(n, way.tile[1]) <= PROCESSORS


@pytest.mark.parametrize(("n", "k"), [(70, 100), (70, 256), (33, 512), (7, 2560), (5, 4352)])
def test_a_vector(n: int, k: int, launched: dict[str, tuple[Kernel, Any]]) -> None:
    """Rows that are compiled in, those that are not, and one that is left over."""
    x, w, bias = (made(s, torch.bfloat16, i) for i, s in enumerate(((1, k), (n, k), (n,))))
    close(kernels.linear(x, w, bias), x.double() @ w.double().t() + bias.double(), 3 * BOUNDS[torch.bfloat16])
    close(kernels.linear(x, w), x.double() @ w.double().t(), 3 * BOUNDS[torch.bfloat16])
    assembled(launched)


@pytest.mark.parametrize("m", [1, 5])
@pytest.mark.parametrize("n", [1, 33])
@pytest.mark.parametrize("ends", [(None, ""), (None, "relu"), ("residual", "")])
def test_only_a_row_with_nothing_behind_it_is_multiplied_by_rows(
    m: int, n: int, ends: tuple[str | None, str], launched: dict[str, tuple[Kernel, Any]]
) -> None:
    x, w, residual = (made(s, torch.bfloat16, i) for i, s in enumerate(((m, 70), (n, 70), (m, n))))
    added = None if ends[0] is None else residual
    wanted = x.double() @ w.double().t()
    wanted = torch.relu(wanted) if ends[1] else wanted
    wanted = wanted if added is None else wanted + added.double()
    close(kernels.linear(x, w, activation=ends[1], residual=added), wanted, 3 * BOUNDS[torch.bfloat16])
    assert ("matvec_rows" in launched) == (m == 1 and ends == (None, ""))


@given(st.integers(1, 200000), st.integers(1, 30000))
def test_extents_that_are_compiled_in(count: int, length: int) -> None:
    """They are the matrix's, and rows are left out where some overhang."""
    by = by_row(count, length)
    assert by.extents[1] in (None, length)
    assert by.extents[0] in (None, count)
    assert by.extents[0] is None or count % by.rows == 0
    assert by.step <= max(16, 2 * length)


@pytest.mark.cuda
@pytest.mark.parametrize("shape", [(4104, 4108, 1032), (4104, 4104, 520), (512, 560, 128)])
def test_on_a_gpu(shape: tuple[int, int, int]) -> None:
    """Margins and parts, also on another stream than torch's first, in a graph, and again."""
    m, n, k = shape
    a, b = (made(s, torch.bfloat16, i).cuda() for i, s in enumerate(((m, k), (n, k))))
    wanted = a.double() @ b.double().t()
    close(kernels.linear(a, b), wanted, 3 * BOUNDS[torch.bfloat16])
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        many = [kernels.linear(a, b) + 0.0 for _ in range(3)]  # which waits for all of it
    stream.synchronize()
    for found in many:
        close(found, wanted, 3 * BOUNDS[torch.bfloat16])
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = kernels.linear(a, b)
    for _ in range(2):
        found.fill_(float("nan"))
        graph.replay()
        torch.cuda.synchronize()
        close(found, wanted, 3 * BOUNDS[torch.bfloat16])


@pytest.mark.cuda
@pytest.mark.parametrize("m", [5, 40, 100])
@pytest.mark.parametrize("shape", [(72, 200), (1024, 4096), (5120, 512)])
def test_few_rows_on_a_gpu(m: int, shape: tuple[int, int]) -> None:
    """Tiles that are added up as transposes, and sums in parts, in both layouts and with all that may follow them."""
    n, k = shape
    x, w = made((m, k), torch.bfloat16, 1).cuda(), made((n, k), torch.bfloat16, 2).cuda()
    bias, residual = made((n,), torch.bfloat16, 3).cuda(), made((m, n), torch.bfloat16, 4).cuda()
    wanted, bound = x.double() @ w.double().t(), 3 * BOUNDS[torch.bfloat16]
    close(kernels.linear(x, w), wanted, bound)
    close(kernels.matmul(x, w.t().contiguous()), wanted, bound)
    close(kernels.linear(x, w, residual=residual), wanted + residual.double(), bound)
    ended = torch.relu(wanted + bias.double()) + residual.double()
    close(kernels.linear(x, w, bias, activation="relu", residual=residual), ended, bound)
