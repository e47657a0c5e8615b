"""
Which folds are warned of that see what lies beyond the end: of every padding, through every function, beside what NumPy
makes of it. Where nothing is warned of, the padding changes no result; the table says what is warned of beyond that.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import freehold as fh
from freehold.dialects.ownership import kernels_of
from freehold.passes.errors.padding import PaddingFolded
from freehold.passes.warn_padding import padding_folded
from freehold.support.span import Span

PADDINGS: Final = {"zero": 0.0, "neg_zero": -0.0, "nan": np.nan, "inf": np.inf, "-inf": -np.inf}
STEPS: Final = (
    "t", "-t", "abs(t)", "t * 2.0", "t * 0.0", "t * -1.0", "t * t", "t * s", "t + 1.0", "t - 1.0", "1.0 - t", "t + s",
    "t - s", "s - t", "t / 2.0", "t / s", "1.0 / t", "fh.exp(t)", "fh.exp2(t)", "fh.sqrt(t)", "fh.tanh(t)", "fh.sin(t)",
    "fh.cos(t)",
    "fh.floor(t)", "fh.ceil(t)", "fh.maximum(t, 0.0)", "fh.minimum(t, 0.0)", "fh.maximum(t, s)", "fh.minimum(t, -1.0)",
    "fh.exp(-t)", "fh.exp(t) - 1.0", "abs(t) * t", "fh.where(t > 0.0, t, 0.0)", "fh.where(t > 0.0, 1.0, 0.0)",
    "fh.where(s > 0.0, t, 1.0)", "t.astype(fh.f16)", "fh.exp(t) * s", "fh.log(t)", "t + t", "t - t", "t * 2.0 + 1.0",
)  # fmt: skip
FOLDS: Final[dict[str, Callable[[Any], Any]]] = {
    "sum": np.sum, "max": np.max, "min": np.min, "prod": np.prod,
}  # fmt: skip
TESTS: Final = tuple(f"t {how} {n}" for how in ("==", "!=", "<", "<=", ">", ">=") for n in ("0.0", "-1.0", "1.0", "s"))
TRUTHS: Final[dict[str, Callable[[Any], Any]]] = {"any": np.any, "all": np.all}

HEAD = """
import freehold as fh
from freehold import Out, Ref, f32

@fh.kernel
def kernel(y: Out["M"], x: Ref["M", "N"], s: f32):
    t = x.load((y.index[0], 0), (y.tile[0], 32), padding="PADDING")
    total = fh.zeros(y.tile, f32)
"""


class Numbers:
    """NumPy under the names of the kernel's language."""

    f16 = np.float16
    exp, exp2, sqrt, tanh, sin, cos, floor, ceil, log = (
        np.exp, np.exp2, np.sqrt, np.tanh, np.sin, np.cos, np.floor, np.ceil, np.log,
    )  # fmt: skip
    maximum, minimum, where = np.maximum, np.minimum, np.where


def warned(padding: str, fold: str, steps: tuple[str, ...]) -> dict[str, str]:
    """The steps of which a fold is warned of, each with what is said of it."""
    lines = [f"    total += ({step}).{fold}(axis=1).astype(f32)" for step in steps]
    text = "\n".join([HEAD.replace("PADDING", padding), *lines, "    y.store(total)", ""])
    name = f"<{fold} of {padding}>"
    fh.register_source(name, text)
    names: dict[str, Any] = {}
    exec(compile(text, name, "exec"), names)
    rows = np.zeros((6, 20), np.float32)
    module = names["kernel"].lower(fh.partition(np.zeros(6, np.float32), 2), rows, 2.0)
    first = text.splitlines().index(lines[0]) + 1
    found: dict[str, str] = {}
    for each in kernels_of(module):
        for error in padding_folded(each):
            assert isinstance(error, PaddingFolded)
            report = error.report()
            assert isinstance(error.place, Span)
            step = steps[error.place.line - first]
            assert step not in found
            found[step] = f"{error.fold}: {', '.join(report.helps)}"
    return found


def harmless(padding: float, fold: Callable[[Any], Any], step: str) -> bool:
    """Whether no result of some rows is another one with padding behind them."""
    rows = np.array([[3.0, 0.5], [-2.0, -0.25], [0.75, -4.0], [-1.0, 1.0]], np.float32)
    padded = np.concatenate([rows, np.full((4, 1), padding, np.float32)], axis=1)
    with np.errstate(all="ignore"):
        for s in (2.0, -3.0, 0.5):
            for row in eval(step, {"fh": Numbers, "t": padded, "s": np.float32(s)}):
                if not np.array_equal(fold(row[:-1]), fold(row), equal_nan=True):
                    return False
    return True


@pytest.mark.parametrize(("folds", "steps"), [(FOLDS, STEPS), (TRUTHS, TESTS)], ids=["numbers", "truths"])
def test_what_is_warned_of(
    folds: dict[str, Callable[[Any], Any]],
    steps: tuple[str, ...],
    golden: Callable[[Path, str], None],
    request: pytest.FixtureRequest,
) -> None:
    lines: list[str] = []
    helps: dict[str, str] = {}
    for fold, compute in folds.items():
        for padding, value in PADDINGS.items():
            found = warned(padding, fold, steps)
            so = {step for step in steps if not harmless(value, compute, step)}
            missed, more = [s for s in steps if s in so and s not in found], [s for s in found if s not in so]
            lines.append(f"{fold} of {padding}: {len(found)} of {len(steps)} warned of")
            lines += [f"  {helps.setdefault(said, chr(ord('a') + len(helps)))} {step}" for step, said in found.items()]
            lines.append(f"  not warned of, and seen: {'; '.join(missed) or '-'}")
            lines.append(f"  warned of, and not seen: {'; '.join(more) or '-'}")
    lines += [f"{letter}: {said}" for said, letter in helps.items()]
    golden(Path(__file__).with_name(f"padding_{request.node.callspec.id}.txt"), "\n".join(lines))


SHAPED: Final = """
import freehold as fh
from freehold import Out, Ref, f32

@fh.kernel
def kernel(y: Out[8], whole: Ref[8, 8], right: Ref[8, "N"], below: Ref["N", 8], s: f32):
    w, r, b = whole.load((0, 0), (8, 8)), right.load((0, 0), (8, 8)), below.load((0, 0), (8, 8))
    z = fh.zeros((8, 8), f32)
    same, other, some, doubled, counted = r, r, r, r, r
    if s > 0.0:
        same = r * 2.0
        other = r + 1.0
        some = w
    for _ in range(3):
        doubled = doubled * 2.0
        counted = counted + 1.0
"""
SHAPES: Final = {
    2: (
        "r", "b", "r.T", "r + w", "r + b", "r * b", "fh.maximum(r, b)", "same", "other", "some", "doubled", "counted",
        "fh.mma(r, w, z)", "fh.mma(w, r, z)", "fh.mma(b, w, z)", "fh.mma(w, b, z)", "fh.mma(r, b, z)",
        "fh.mma(b, r, z)", "fh.mma(w, w, r)", "fh.mma(r, w, b)", "fh.mma(r, b, r)", "fh.mma(b + 1.0, w, z)",
        "fh.mma(w, r + 1.0, z)", "fh.mma(r + 1.0, w, z)", "fh.mma(b + 1.0, w, b)",
        "r.cumsum(axis=0)", "r.cumsum(axis=1)", "b.cumsum(axis=0)", "(r + 1.0).cumsum(axis=1)",
        "(r + 1.0).cumsum(axis=0)",
        "r.reshape(8, 8)", "r.reshape(2, 32)", "r.reshape(64, 1)", "r.max(axis=0)[None, :]", "r.max(axis=0)[:, None]",
        "r.sum(axis=1, keepdims=True)", "b.sum(axis=1, keepdims=True)", "r.sum(axis=1, keepdims=True) + z",
        "r.sum(axis=1, keepdims=True) / 8.0", "r.sum(axis=1, keepdims=True) * 0.125",
        "0.125 * r.sum(axis=1, keepdims=True)", "8.0 / r.sum(axis=1, keepdims=True)", "r.sum(axis=1)[None, :] / 8.0",
        "r.sum(axis=1).astype(fh.f16)[:, None] / 8.0", "r.sum(axis=1, keepdims=True) / 4.0",
        "b.sum(axis=1, keepdims=True) / 8.0", "b.sum(axis=0, keepdims=True) / 8.0",
        "(r + 1.0).sum(axis=1, keepdims=True) / 8.0", "r.max(axis=1, keepdims=True) / 8.0",
    ),
    3: (
        "r[:, None, :]", "r[:, :, None]", "b[:, None, :]", "r[None] + w[:, None]", "r.reshape(8, 2, 4)",
        "r.reshape(2, 4, 8)", "b.reshape(2, 4, 8)", "b.reshape(8, 2, 4)", "r.T.reshape(8, 1, 8)",
    ),
}  # fmt: skip


def test_where_padding_goes(golden: Callable[[Path, str], None]) -> None:
    """Along which axes tiles are padded that are made of others: which of their folds are warned of, and as what."""
    folds = [
        (step, f"({step}).{fold}(axis={axis})")
        for rank, steps in SHAPES.items()
        for step in steps
        for axis in range(rank)
        for fold in ("max", "min", "sum")
    ]
    lines = [f"    t = {fold}" for _, fold in folds]
    text = "\n".join([SHAPED, *lines, "    y.store(fh.zeros(8, f32))", ""])
    fh.register_source("<shapes>", text)
    names: dict[str, Any] = {}
    exec(compile(text, "<shapes>", "exec"), names)
    tile = np.zeros((8, 8), np.float32)
    (kernel,) = kernels_of(
        names["kernel"].lower(fh.partition(np.zeros(8, np.float32), 8), tile, tile[:, :5], tile[:5], 2.0)
    )
    first, found = text.splitlines().index(lines[0]) + 1, dict[str, list[str]]()
    for error in padding_folded(kernel):
        assert isinstance(error, PaddingFolded)
        assert isinstance(error.place, Span)
        fold = lines[error.place.line - first].removeprefix("    t = ")
        found.setdefault(fold, []).append(f"{error.fold}: {', '.join(error.report().helps)}")
    told = [f"{fold}  {' and '.join(found[fold])}" if fold in found else f"{fold}" for _, fold in folds]
    golden(Path(__file__).with_name("padding_shapes.txt"), "\n".join(told))
