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
