"""Cross entropy in each of its ways, of rows that are short, long, or of any length; targets that are no columns."""

from __future__ import annotations

from typing import Any

import pytest

import freehold as fh
from freehold import kernels
from freehold.kernels import losses

torch: Any = pytest.importorskip("torch")

FEW = 8
"""Multiprocessors, where kernels are run: which way is taken depends on how many rows there are for each."""

SHAPES = {
    "several": (16 * FEW + 3, 256),
    "turns, of three tiles": (16 * FEW + 1, 768),
    "turns": (16 * FEW + 3, 1536),
    "walked": (4, 16384),
    "walked, of no whole 8192": (4, 20480),
    "any length": (5, 16640),
    "in registers": (5, 256),
}


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPU of few multiprocessors, which fewer rows fill."""
    monkeypatch.setattr(losses, "PROCESSORS", FEW)


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of kernels that are launched, in order."""
    names: list[str] = []
    hinted = losses.hinted

    def noted(kernel: Any, hints: dict[str, int]) -> Any:
        names.append(kernel.__name__)
        return hinted(kernel, hints)

    monkeypatch.setattr(losses, "hinted", noted)
    return names


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("way", SHAPES)
def test_losses_of_16_bits(way: str, reduction: str, launched: list[str]) -> None:
    M, N = SHAPES[way]
    generator = torch.Generator().manual_seed(0)
    logits = (torch.randn(M, N, generator=generator) * 3).to(torch.bfloat16)
    logits[0, : N // 2] = float("-inf")
    target = torch.randint(N // 2, N, (M,), generator=generator)
    target[1], target[M - 1] = -100, N - 1
    found = kernels.cross_entropy(logits, target, reduction=reduction)
    wanted = torch.nn.functional.cross_entropy(logits.double(), target, reduction=reduction)
    torch.testing.assert_close(found.double(), wanted, rtol=2e-6, atol=2e-6)
    expected = {way: f"cross_entropy_{way}" for way in ("several", "turns", "walked")}
    assert launched[0] == expected.get(way.split(",")[0], "cross_entropy_rows")
    total = "sum_of_parts" if way.startswith(("several", "turns")) else "sum_of_losses"
    assert launched[1:] == ([] if reduction == "none" else [total])


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("way", ["several", "turns, of three tiles", "turns", "walked", "any length"])
def test_rows_far_from_their_first_number(way: str) -> None:
    M, N = SHAPES[way][0] if way.startswith(("several", "turns")) else 8, SHAPES[way][1]
    logits = torch.randn(M, N, generator=torch.Generator().manual_seed(2)).to(torch.bfloat16)
    logits[0, 0] = -300.0
    logits[1, 5] = 300.0
    logits[2] = float("-inf")
    logits[2, 7] = -200.0
    logits[3] += 1000.0
    logits[4, 0] = float("nan")
    logits[5, 3] = float("inf")
    logits[6] = float("-inf")
    logits[7] *= 1e30
    target = torch.full((M,), N - 1)
    target[2] = 7
    found = kernels.cross_entropy(logits, target, reduction="none").double()
    wanted = torch.nn.functional.cross_entropy(logits.double(), target, reduction="none")
    torch.testing.assert_close(found, wanted, rtol=1e-6, atol=1e-4, equal_nan=True)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("way", SHAPES)
def test_targets_that_are_no_columns(way: str) -> None:
    M, N = SHAPES[way]
    target = torch.zeros(M, dtype=torch.int64)
    target[0], target[1], target[2] = N, -1, 7
    logits = torch.zeros(M, N, dtype=torch.float16)
    loss = kernels.cross_entropy(logits, target, ignore_index=7, reduction="none")
    assert loss[:2].isnan().all()
    assert loss[2] == 0
    torch.testing.assert_close(loss[3:], torch.full((M - 3,), float(N)).log())


@pytest.mark.parametrize("target", [8, -1, (1 << 32) + 3, -(1 << 32) + 3, 1 << 31, 1 << 62])
def test_targets_that_are_no_columns_of_any_width(target: int) -> None:
    """A number of 64 bits is not cut to one that is a column; and no gradient of a target comes of it."""
    logits = torch.randn(3, 8, requires_grad=True)
    targets = torch.tensor([3, target, 5])
    loss = kernels.cross_entropy(logits, targets, reduction="none")
    assert loss.isnan().tolist() == [False, True, False]
    assert kernels.cross_entropy(logits, targets).isnan()
    assert kernels.linear_cross_entropy(logits.detach(), torch.randn(8, 8), targets).isnan()
    (found,) = torch.autograd.grad(loss[::2].sum(), logits)
    (wanted,) = torch.autograd.grad(
        torch.nn.functional.cross_entropy(logits[::2], targets[::2], reduction="sum"), logits
    )
    torch.testing.assert_close(found, wanted)


@pytest.mark.usefixtures("few")
def test_gradients_of_rows_that_several_have() -> None:
    M, N = SHAPES["several"]
    logits = torch.randn(M, N, generator=torch.Generator().manual_seed(1)).to(torch.bfloat16).requires_grad_()
    target = torch.arange(M) % N
    kernels.cross_entropy(logits, target).backward()
    other = logits.detach().double().requires_grad_()
    torch.nn.functional.cross_entropy(other, target).backward()
    error = (logits.grad.double() - other.grad).norm() / other.grad.norm()
    assert error < 4e-3


def test_how_rows_are_walked() -> None:
    def walk(count: int, length: int) -> losses.Walk:
        found = losses.walk_of(count, length)
        assert found is not None
        return found

    assert walk(256, 262144) == losses.WALKS[0][1]
    assert walk(682, 98304).occupancy == 6
    assert walk(819, 81920).width == 4096
    assert walk(1024, 65536).at_once == 2
    assert walk(4096, 17408).warps == 2
    assert losses.walk_of(4096, 128256) is None
    assert losses.walk_of(4096, 8192) is None
    for _, way in losses.WALKS:
        assert way.width % (256 * way.warps) == 0, "a thread has 16 bytes"
        assert way.warps * way.occupancy <= 32


def test_which_rows_blocks_have_several_of() -> None:
    def turns(count: int, length: int) -> tuple[int, int, int]:
        found = losses.turns_of(count, length)
        assert found is not None
        return found.width, found.warps, found.share(count)

    assert turns(43690, 1536) == (512, 1, 11)
    assert turns(52428, 1280) == (256, 1, 13)
    assert turns(9362, 7168) == (1024, 2, 5)
    assert turns(6553, 10240) == (2048, 4, 7)
    assert turns(4096, 16384) == (8192, 8, 8)
    assert turns(2730, 24576) == (4096, 4, 3)
    assert turns(1638, 40960) == (8192, 8, 4)
    assert turns(2112 + 1, 1536)[2] == 1
    fill = [(16384, 1 << n) for n in range(8, 14)]
    for count, length in (*fill, (2112, 1536), (1056, 40960), (16384, 3328), (16384, 5632), (4096, 17408)):
        assert losses.turns_of(count, length) is None, (count, length)
    for least, most, even, way in losses.TURNS:
        assert even % (256 * way.warps) == 0, "a thread has 16 bytes of a tile"
        assert least <= most
        assert way.warps * way.hints["occupancy"] <= 32


@pytest.mark.usefixtures("few")
def test_that_all_rows_are_some_blocks() -> None:
    count = 3 * 32 * FEW + 5
    logits = torch.zeros(count, 512, dtype=torch.bfloat16)
    logits[:, 0] = torch.arange(count) % 7
    target = torch.zeros(count, dtype=torch.int64)
    way = losses.Turns(512, 1)
    share = way.share(count)
    blocks = -(-count // share)
    sums, found, lse = torch.full((blocks,), 7.0), *torch.full((2, count), 7.0)
    counts = torch.full((blocks,), 7, dtype=torch.int32)
    outs = (fh.partition(t, 1) for t in (sums, counts, found, lse))
    losses.cross_entropy_turns(*outs, logits, target, -100, share, *way.constants, 512).sync()
    wanted = torch.nn.functional.cross_entropy(logits.double(), target, reduction="none")
    torch.testing.assert_close(found.double(), wanted, rtol=2e-6, atol=2e-6)
    torch.testing.assert_close(sums.double().sum(), wanted.sum(), rtol=2e-6, atol=0.0)
    assert counts.sum() == count
    assert share == 4
    assert counts[-1] == count - share * (blocks - 1)
