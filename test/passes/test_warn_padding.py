"""Warnings of padding that a reduction sees: of kernels that have it, in every nesting, and of no other."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from examples.kernels import library

import freehold as fh
from freehold import Const, Out, Ref, f16, f32, i32
from freehold.dialects.ownership import kernels_of
from freehold.passes.errors.padding import PaddingFolded
from freehold.passes.warn_padding import padding_folded
from freehold.runtime.variants import build


def softmax_of(t: Any) -> Any:
    e = fh.exp(t - t.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@fh.kernel
def straight(y: Out["M", "N"], x: Ref["M", "N"]):
    t = x.load_like(y)
    e = fh.exp(t - t.max(axis=1, keepdims=True))
    y.store(e / e.sum(axis=1, keepdims=True))


@fh.kernel
def in_a_helper(y: Out["M", "N"], x: Ref["M", "N"]):
    y.store(softmax_of(x.load_like(y)))


@fh.kernel
def in_a_branch(y: Out["M", "N"], x: Ref["M", "N"]):
    t = x.load_like(y)
    if y.index[0] > 0:
        t = softmax_of(t)
    y.store(t)


@fh.kernel
def in_a_loop(y: Out["M", "N"], x: Ref["M", "N"]):
    total = fh.zeros(y.tile, f32)
    for k in fh.tiles(x, axis=1, size=y.tile[1]):
        total += softmax_of(x.load((y.index[0], k), y.tile))
    y.store(total)


@fh.kernel
def padded(y: Out["M", "N"], x: Ref["M", "N"]):
    y.store(softmax_of(x.load_like(y, padding="-inf")))


@fh.kernel
def masked(y: Out["M", "N"], x: Ref["M", "N"]):
    inside = y.start[1] + fh.arange(y.tile[1]) < y.shape[1]
    y.store(softmax_of(fh.where(inside, x.load_like(y), -float("inf"))))


@fh.kernel
def required(y: Out["M", "N"], x: Ref["M", "N"]):
    fh.require(y.shape[1] % 32 == 0, "rows are whole tiles")
    y.store(softmax_of(x.load_like(y)))


@fh.kernel
def fixed(y: Out["M", "N"], x: Ref[6, 32]):
    fh.require("N > 0")
    y.store(fh.zeros(y.tile, f32) + x.load((0, 0), (1, 32)).max())


@fh.kernel
def folded(y: Out["M"], x: Ref["M", "N"], how: Const[str]):
    t = x.load((y.index[0], 0), (y.tile[0], 32))
    if how == "mean":
        y.store(t.sum(axis=1) / 32.0)
    elif how == "mean of the row":
        y.store(t.sum(axis=1) / x.shape[1])
    elif how == "root mean square":
        y.store(fh.sqrt((t * t).sum(axis=1) / x.shape[1]))
    elif how == "largest size":
        y.store(abs(t).max(axis=1))
    elif how in ("largest of sizes", "largest of numbers"):
        top = fh.full((y.tile[0], 32), 0.0 if how == "largest of sizes" else -1.0, f32)
        for k in fh.tiles(x, axis=1, size=32):
            u = x.load((y.index[0], k), (y.tile[0], 32))
            top = fh.maximum(top, abs(u) if how == "largest of sizes" else u)
        y.store(fh.maximum(top, abs(t) if how == "largest of sizes" else t).max(axis=1))
    elif how == "variance":
        away = t - t.sum(axis=1, keepdims=True) / x.shape[1]
        y.store((away * away).sum(axis=1))
    else:
        acc = fh.zeros((y.tile[0], 32), f32)
        for k in fh.tiles(x, axis=1, size=32):
            acc += x.load((y.index[0], k), (y.tile[0], 32))
        y.store(acc.sum(axis=1))


def folds(kernel: Any, *arguments: Any) -> list[str]:
    """What is warned of, by name."""
    module = kernel.lower(*arguments)
    found = [error for each in kernels_of(module) for error in padding_folded(each)]
    return [error.fold if isinstance(error, PaddingFolded) else error.report().title for error in found]


ROWS = np.zeros((6, 20), np.float32)


@pytest.mark.parametrize("kernel", [straight, in_a_helper, in_a_branch, in_a_loop], ids=lambda k: k.__name__)
def test_softmax_of_what_overhangs(kernel: Any) -> None:
    assert folds(kernel, fh.partition(ROWS.copy(), (4, 32)), ROWS) == ["maximum", "sum"]


@pytest.mark.parametrize("kernel", [padded, masked, required], ids=lambda k: k.__name__)
def test_what_is_masked_padded_or_whole(kernel: Any) -> None:
    assert folds(kernel, fh.partition(ROWS.copy(), (4, 32)), ROWS) == []


def numbers(size: int) -> Any:
    return fh.arange(size)[None, :].astype(f32)


EVERY = "zero -inf inf nan"
SEEN: list[tuple[Callable[[Any], Any], str]] = [  # what is stored, and with which paddings something is warned of
    (lambda t: t.sum(axis=1), "-inf inf nan"),
    (lambda t: t.max(axis=1), "zero inf nan"),
    (lambda t: t.min(axis=1), "zero -inf nan"),
    (lambda t: fh.prod(t, axis=1), EVERY),
    (lambda t: fh.exp(t).sum(axis=1), "zero inf nan"),
    (lambda t: fh.exp2(t).max(axis=1), "zero inf nan"),
    (lambda t: (2.0 * t).sum(axis=1), "-inf inf nan"),
    (lambda t: (t > 0.0).sum(axis=1).astype(f32), "inf"),
    (lambda t: (t >= 0.0).sum(axis=1).astype(f32), "zero inf"),
    (lambda t: (t < 0.0).sum(axis=1).astype(f32), "-inf"),
    (lambda t: (t <= 0.0).sum(axis=1).astype(f32), "zero -inf"),
    (lambda t: (t == 0.0).astype(f32).sum(axis=1), "zero"),
    (lambda t: (t != 0.0).astype(f32).sum(axis=1), "-inf inf"),
    (lambda t: (t.astype(i32) < 1).sum(axis=1).astype(f32), "zero"),
    (lambda t: (t + 1.0 > t).sum(axis=1).astype(f32), "zero"),
    (lambda t: (t == t.max()).sum(axis=1).astype(f32), "zero inf nan"),
    (lambda t: (t > 0.0).all(axis=1).astype(f32), "zero -inf"),
    (lambda t: (t < 1.0).any(axis=1).astype(f32), "zero -inf"),
    (lambda t: (t[:, None] > 0.0).all(axis=2).reshape(2).astype(f32), "zero -inf"),
    (lambda t: ((t > 0.0) & (numbers(32) < 30.0)).all(axis=1).astype(f32), ""),
    (lambda t: ((t >= 0.0).astype(f32) * t).sum(axis=1), ""),
    (lambda t: fh.where(t >= 0.0, t, 0.0).sum(axis=1), ""),
    (lambda t: (t + 1.0).sum(axis=1), EVERY),
    (lambda t: (t - 1.0).max(axis=1), "zero inf nan"),
    (lambda t: (1.0 - t).max(axis=1), "zero -inf nan"),
    (lambda t: (t - 0.0).sum(axis=1), "-inf inf nan"),
    (lambda t: (t - t).sum(axis=1), "-inf inf nan"),
    (lambda t: (t - t).max(axis=1), EVERY),
    (lambda t: (t + t).max(axis=1), "zero inf nan"),
    (lambda t: (-t).max(axis=1), "zero -inf nan"),
    (lambda t: (-t).sum(axis=1), "-inf inf nan"),
    (lambda t: abs(t).max(axis=1), "-inf inf nan"),
    (lambda t: abs(t).min(axis=1), "zero nan"),
    (lambda t: fh.sqrt(t).sum(axis=1), "-inf inf nan"),
    (lambda t: fh.sqrt(t).max(axis=1), "-inf inf nan"),
    (lambda t: fh.tanh(t).sum(axis=1), "-inf inf nan"),
    (lambda t: fh.sin(t).sum(axis=1), "-inf inf nan"),
    (lambda t: fh.cos(t).sum(axis=1), EVERY),
    (lambda t: fh.log(t).sum(axis=1), EVERY),
    (lambda t: fh.maximum(t, 0.0).sum(axis=1), "inf nan"),
    (lambda t: fh.maximum(t, 1.0).sum(axis=1), EVERY),
    (lambda t: fh.minimum(t, 1.0).sum(axis=1), "-inf inf nan"),
    (lambda t: fh.minimum(t, 1.0).max(axis=1), "zero inf nan"),
    (lambda t: (t / 3.0).sum(axis=1), "-inf inf nan"),
    (lambda t: (3.0 / t).sum(axis=1), EVERY),
    (lambda t: (t / t).sum(axis=1), EVERY),
    (lambda t: (t * t).max(axis=1), "-inf inf nan"),
    (lambda t: (t * abs(t)).max(axis=1), "zero inf nan"),
    (lambda t: (t * fh.exp(t)).sum(axis=1), "-inf inf nan"),  # beyond the end, 0 times -inf is no number
    (lambda t: (fh.exp(t) * t).sum(axis=1), "-inf inf nan"),
    (lambda t: fh.fma(t, t, t).sum(axis=1), "-inf inf nan"),
    (lambda t: fh.fma(t, t, 1.0).sum(axis=1), EVERY),
    (lambda t: t.T.sum(axis=0), "-inf inf nan"),
    (lambda t: t.T.max(axis=0), "zero inf nan"),
    (lambda t: abs(t).T.max(axis=0), "-inf inf nan"),
    (lambda t: t.reshape((2, 1, 32)).max(axis=2).reshape((2,)), "zero inf nan"),
    (lambda t: t.reshape((2, 4, 8)).max(axis=2).max(axis=1), ""),  # nobody knows which are beyond the end
    (lambda t: fh.where(t > 0.0, fh.exp(t), 0.0).sum(axis=1), ""),
    (lambda t: (fh.exp(t) * (t > 0.0).astype(f32)).sum(axis=1), ""),
    (lambda t: (t > 0.0).astype(f32).sum(axis=1), "inf"),
    (lambda t: t.astype(f16).max(axis=1).astype(f32), "zero inf nan"),
    (lambda t: abs(t).astype(f16).max(axis=1).astype(f32), "-inf inf nan"),
    (lambda t: t.astype(i32).sum(axis=1).astype(f32), "-inf inf nan"),
    (lambda t: (t.astype(i32) + 1).sum(axis=1).astype(f32), EVERY),
    (lambda t: (t.astype(i32) - 1).min(axis=1).astype(f32), EVERY),
    (lambda t: (t.astype(i32) * 3).sum(axis=1).astype(f32), "-inf inf nan"),
    (lambda t: (-t.astype(i32)).sum(axis=1).astype(f32), "-inf inf nan"),
    (lambda t: abs(t.astype(i32)).max(axis=1).astype(f32), "-inf inf nan"),
    (lambda t: fh.cumsum(t, axis=1).max(axis=1), "-inf inf nan"),
    (lambda t: fh.cumsum(fh.exp(t), axis=1).sum(axis=1), "zero inf nan"),
    (lambda t: fh.cumsum(t, axis=0).max(axis=1), EVERY),
    (lambda t: t.sum(axis=0).max() + numbers(2).sum(axis=0), EVERY),
    (lambda t: t.argmax(axis=1).astype(f32), "zero inf nan"),
    (lambda t: (t + numbers(32)).sum(axis=1), "-inf inf nan"),
    (lambda t: (t * numbers(32)).sum(axis=1), "-inf inf nan"),
    (lambda t: fh.maximum(abs(t), numbers(32)).sum(axis=1), "-inf inf nan"),
    (lambda t: fh.maximum(t, numbers(32)).sum(axis=1), EVERY),
    (lambda t: t.sum(axis=1) / 32.0, EVERY),
    (lambda t: t.sum(axis=1) * (1.0 / 32.0), EVERY),
    (lambda t: (1.0 / 32.0) * t.sum(axis=1), EVERY),
    (lambda t: t.sum(axis=1, keepdims=True).reshape((2,)) / 32.0, EVERY),
    (lambda t: t.sum(axis=1).astype(f16).astype(f32) / 32.0, EVERY),
    (lambda t: t.sum(axis=1) / 31.0, "-inf inf nan"),
    (lambda t: t.sum(axis=1) * 0.5, "-inf inf nan"),
    (lambda t: 32.0 / t.sum(axis=1), "-inf inf nan"),
    (lambda t: t.max(axis=1) / 32.0, "zero inf nan"),
]


@fh.kernel
def of_a_tile(y: Out["M"], x: Ref["M", "N"], how: Const[Any], padding: Const[Any]):
    y.store(how(x.load((y.index[0], 0), (2, 32), padding=padding)))


@pytest.mark.parametrize(("how", "paddings"), SEEN)
def test_what_sees_which_padding(how: Callable[[Any], Any], paddings: str) -> None:
    y = fh.partition(np.zeros(6, np.float32), 2)
    assert [padding for padding in EVERY.split() if folds(of_a_tile, y, ROWS, how, padding)] == paddings.split()


def test_what_folds_are_called_and_how_they_are_mended() -> None:
    def told(how: Callable[[Any], Any], padding: str = "zero") -> tuple[str, str]:
        module = of_a_tile.lower(fh.partition(np.zeros(6, np.float32), 2), ROWS, how, padding)
        (error,) = [error for each in kernels_of(module) for error in padding_folded(each)]
        assert isinstance(error, PaddingFolded)
        return error.fold, error.report().helps[0]

    assert told(lambda t: t.max(axis=1)) == ("maximum", 'load with `padding="-inf"`, which the maximum does not see')
    assert told(lambda t: t.min(axis=1)) == ("minimum", 'load with `padding="inf"`, which the minimum does not see')
    assert told(lambda t: fh.exp(t).sum(axis=1))[0] == "sum"
    assert told(lambda t: fh.prod(t, axis=1))[0] == "product"
    assert told(lambda t: t.sum(axis=1) / 32.0)[0] == "mean"
    assert told(lambda t: (t > 0.0).all(axis=1).astype(f32))[0] == "test of all elements"
    assert told(lambda t: (t < 1.0).any(axis=1).astype(f32))[0] == "test for any element"
    assert told(lambda t: t.argmax(axis=1).astype(f32))[0] == "fold"
    assert told(lambda t: t.astype(i32).max(axis=1).astype(f32))[0] == "maximum"
    assert "padding=" not in told(lambda t: t.astype(i32).min(axis=1).astype(f32))[1]


def test_an_assertion_sees_padding() -> None:
    @fh.kernel
    def positive(y: Out["N"], x: Ref["N"], strict: Const[bool]):
        t = x.load_like(y)
        assert t > 0 if strict else t >= 0
        y.store(t)

    y, x = fh.partition(np.zeros(7, np.float32), 4), np.ones(7, np.float32)
    assert folds(positive, y, x, True) == ["test of all elements"]
    assert folds(positive, y, x, False) == []


def test_a_tile_as_long_as_the_tensor_is_whole() -> None:
    assert folds(fixed, fh.partition(ROWS.copy(), (4, 32)), np.zeros((6, 32), np.float32)) == []


@pytest.mark.parametrize(
    ("how", "found"),
    [
        ("mean", ["mean"]),
        ("variance", ["sum"]),
        ("mean of the row", []),
        ("root mean square", []),
        ("largest size", []),
        ("largest of sizes", []),
        ("largest of numbers", ["maximum"]),
        ("in a loop", []),
    ],
)
def test_what_sees_zeros(how: str, found: list[str]) -> None:
    assert folds(folded, fh.partition(np.zeros(6, np.float32), 4), ROWS, how) == found


@fh.kernel
def in_whole_tiles(y: Out["M"], x: Ref["M", "K"], how: Const[str]):
    if how == "required":
        fh.require(x.shape[1] % 32 == 0, "rows are whole tiles")
    acc = fh.zeros(y.tile, f32)
    whole = (x.shape[1] if how != "the first" else fh.minimum(y.index[0] + 1, x.shape[1])) // 32
    for k in fh.tiles(x, axis=1, size=32, stop=whole) if how == "the first" else range(whole):
        acc = fh.maximum(acc, x.load((y.index[0], k), (y.tile[0], 32)).max(axis=1))
    if how == "and the rest":
        rest = x.load((y.index[0], fh.cdiv(x.shape[1], 32) - 1), (y.tile[0], 32), padding="-inf")
        acc = fh.maximum(acc, rest.max(axis=1))
    y.store(acc)


def test_loops_that_leave_out_the_rest() -> None:
    y = fh.partition(np.zeros(6, np.float32), 4)
    assert folds(in_whole_tiles, y, ROWS, "alone") == ["up to 31 elements along axis 1 of `x` are never read"]
    assert folds(in_whole_tiles, y, ROWS, "required") == []
    assert folds(in_whole_tiles, y, ROWS, "and the rest") == []
    assert folds(in_whole_tiles, y, ROWS, "the first") == []


COUNTING = """
import freehold as fh
from freehold import Acc, Out, Ref, i32

@fh.kernel
def kernel({head}):
    {load}
    h.add_at({values}, {places}{mask})
"""
TILE = 'h: Acc[i32, "B"], x: Ref[i32, "N"]'
TILES = 'h: Acc[i32, "B"], x: Ref[i32, "M", "N"]'
GRID = f'{TILE}, at: fh.Grid = fh.Grid("(N + 31) // 32")'
COPIED = 'h: Acc[i32, "B"], y: Out[i32, "N"], x: Ref[i32, "N"]'
COUNTED = {
    "a tile": (TILE, "t = x.load()", "1", "t"),
    "a tile at a named index": (GRID, "(i,) = at.index; t = x.load((i,), (32,))", "1", "t"),
    "a tile as that of an output": (COPIED, "t = x.load_like(y); y.store(t)", "1", "t"),
    "a tile of two axes": (TILES, "t = x.load()", "1", "t"),
    "places that are computed": (TILE, "t = x.load()", "1", "fh.minimum(t, 5)"),
    "weights beyond the end": (TILE, "t = x.load()", "t * 2 + 1", "t"),
    "a tile of ones": (TILE, "t = x.load()", "fh.ones((32,), i32)", "t"),
    "in a branch": (TILE, "t = x.load()\n    if x.shape[0] > 0: h.add_at(1, t, mask=t < 0)", "1", "t"),
}


def counted(head: str, load: str, values: str, places: str, mask: str = "") -> tuple[list[PaddingFolded], Any]:
    """What is warned of, and what is counted."""
    text = COUNTING.format(head=head, load=load, values=values, places=places, mask=mask)
    name = f"<counting {hash(text)}>"
    fh.register_source(name, text)
    names: dict[str, Any] = {}
    exec(compile(text, name, "exec"), names)
    x = np.arange(40, dtype=np.int32) % 7
    x, tile = (x.reshape(5, 8), (4, 8)) if head == TILES else (x, 32)
    cut = fh.partition(x, tile)
    h = np.zeros(16, np.int32)
    given = (h, x) if head == GRID else (h, fh.partition(x.copy(), 32), x) if head == COPIED else (h, cut)
    found = [e for each in kernels_of(names["kernel"].lower(*given)) for e in padding_folded(each)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fh.KernelWarning)
        names["kernel"](*given).sync()
    return [e for e in found if isinstance(e, PaddingFolded)], h


@pytest.mark.parametrize("name", COUNTED)
def test_what_is_counted_beyond_the_end(name: str) -> None:
    """It is warned of, and as the warning says it is right: what is counted is the elements."""
    head, load, values, places = COUNTED[name]
    (error,), wrong = counted(head, load, values, places)
    assert error.fold == "update"
    (edit,) = [line for line in str(error.report().helps[0]).split("`") if line.startswith("mask=")]
    found, right = counted(head, load, values, places, f", {edit}")
    assert found == []
    t = np.arange(40, dtype=np.int32) % 7
    weights = t * 2 + 1 if values.startswith("t") else np.ones_like(t)
    np.testing.assert_array_equal(right, np.bincount(np.minimum(t, 5) if "5" in places else t, weights, 16))
    assert wrong[0] > right[0]


@pytest.mark.parametrize(
    ("values", "places"),
    [("t", "t"), ("1", "t - 1"), ("fh.where(t > 0, 1, 0)", "t"), ("0", "t"), ("1", "fh.where(t > 0, t, 9)")],
)
def test_what_counts_nothing_beyond_the_end(values: str, places: str) -> None:
    """Zeros, places before the first, and what a condition chose."""
    assert counted(TILE, "t = x.load()", values, places)[0] == []


def test_the_examples_are_not_warned_of() -> None:
    assert [(e.kernel.__name__, found) for _, e in library() if (found := folds(e.kernel, *e.arguments))] == []


def test_an_author_is_told_once(recwarn: pytest.WarningsRecorder) -> None:
    warnings.simplefilter("default", fh.KernelWarning)

    @fh.kernel
    def largest(y: Out["M"], x: Ref["M", "N"]):
        y.store(x.load((y.index[0], 0), (y.tile[0], 32)).max(axis=1))

    for tile in (4, 4, 2):
        largest(fh.partition(np.zeros(6, np.float32), tile), ROWS).sync()
    (told,) = [w for w in recwarn if issubclass(w.category, fh.KernelWarning)]
    assert "warning[O150]: this maximum counts elements" in str(told.message)
    assert told.filename == __file__


def test_who_compiles_is_told_while_the_assembler_works(
    recwarn: pytest.WarningsRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once, though the assembler may have to be asked again."""
    warnings.simplefilter("always", fh.KernelWarning)
    known: list[int] = []

    def assembled(code: bytes, arch: str, kernel: str, meanwhile: Callable[[], None]) -> bytes:
        for _ in range(2):
            known.append(len(recwarn))
            meanwhile()
        return b""

    monkeypatch.setattr(build, "assembled", assembled)
    monkeypatch.setenv("FREEHOLD_CACHE_DIR", "")

    @fh.kernel
    def largest(y: Out["M"], x: Ref["M", "N"]):
        y.store(x.load((y.index[0], 0), (y.tile[0], 32)).max(axis=1))

    largest.compile(fh.partition(np.zeros(6, np.float32), 4), ROWS, arch="sm_90")
    assert known == [0, 1]
    assert [w.category for w in recwarn] == [fh.KernelWarning]
