"""What is said of a wrong argument of a call has an edit, and with that the call is right."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Const, Out, Ref


@fh.kernel
def doubled(y: Out["N"], x: Ref["N"], by: Const[int] = 2):
    y.store(x.load_like(y) * by)


X = np.arange(16, dtype=np.float32)
NAMES: dict[str, Any] = {
    "big": X.astype(">f4"),
    "long": X.astype(np.longdouble),
    "numbers": X.astype(object),
    "back": X[::-1],
    "square": X.reshape(4, 4),
    "masked": np.ma.masked_array(X, X > 20),
    "several": [*X],
}


def launched(y: str, x: str, by: str = "2") -> np.ndarray[Any, Any]:
    """What a call with arguments that are written so gives."""
    text = f"result = doubled({y}, {x}, {by}).sync()"
    scope: dict[str, Any] = {
        "doubled": doubled,
        "fh": fh,
        "np": np,
        "numpy": np,
        "X": X,
        "Y": np.zeros_like(X),
        **NAMES,
    }
    file = f"<{text}>"
    fh.register_source(file, text)
    exec(compile(text, file, "exec"), scope)
    return scope["result"]


def said_of(*arguments: str) -> str:
    with pytest.raises(fh.Rejected) as caught:
        launched(*arguments)
    return str(caught.value)


def edit_of(*arguments: str) -> str:
    """The edit that is offered last."""
    edits: list[str] = re.findall(r"help: .*: `(.*)`$", said_of(*arguments), re.MULTILINE)
    return edits[-1]


CUT = "fh.partition(Y, 4)"


@pytest.mark.parametrize(
    ("x", "edit"),
    [
        ("big", "big.astype(numpy.float32)"),
        ("long", "long.astype(numpy.float64)"),
        ("numbers", "numbers.astype(numpy.float32)"),
        ("back", "numpy.ascontiguousarray(back)"),
        ("square", "square.reshape(-1)"),
        ("several", "numpy.array(several, numpy.float32)"),
        ("fh.partition(X, 8)", "freehold.partition(X, 4)"),
    ],
)
def test_an_array_that_is_read(x: str, edit: str) -> None:
    assert edit_of(CUT, x) == edit
    wanted = 2 * (X[::-1] if x == "back" else X)
    np.testing.assert_array_equal(launched(CUT, edit.replace("freehold.", "fh.")), wanted)


@pytest.mark.parametrize("y", ["np.zeros((4, 4), 'f4')", "[0.0] * 16"])
def test_an_array_in_a_partition(y: str) -> None:
    edit = edit_of(f"fh.partition({y}, 4)", "X")
    np.testing.assert_array_equal(launched(f"fh.partition({edit}, 4)", "X"), 2 * X)


def test_a_partition_that_is_made_elsewhere_is_not_what_is_reshaped() -> None:
    NAMES["cut"] = fh.partition(np.zeros((4, 4), np.float32), 4)
    assert "help: give it another shape" not in said_of("cut", "X")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((CUT, "None"), 'a tensor that a call may leave out is declared `x: Ref["N"] | None = None`'),
        ((CUT, "1.5"), "a number is declared by its dtype: `x: f32`"),
        ((CUT, "3"), "a number is declared by its dtype: `x: i32`"),
        ((CUT, "True"), "a number is declared by its dtype: `x: bool_`"),
        ((CUT, "X", "X"), "an array is declared as a tensor: `by: Ref`"),
        ((CUT, "masked"), "masked arrays have no meaning in kernels: say what stands for what is masked, `.filled(0)`"),
        (("fh.partition(Y, 2**40)", "X"), "must be of 16777216 elements at most, not 1099511627776"),
        ((f"fh.partition({CUT}, 4)", "X"), "use `partition.array`"),
        (("fh.partition(Y, (4, 4))", "X"), "the tile (4, 4) does not fit `y`, which has one axis"),
    ],
)
def test_what_is_said(arguments: tuple[str, ...], said: str) -> None:
    assert said in said_of(*arguments)


def test_a_tile_for_an_array_of_another_rank_is_not_asked_for() -> None:
    """The array is what has to change: a tile of as many axes as it has would not be taken, either."""
    said = said_of("fh.partition(square, 4)", "X")
    assert "O212" in said
    assert "O222" not in said


def test_what_numpy_calls_by_lengths_in_bits_is_called_by_its_kind() -> None:
    for array, kind in ((np.array(["a"]), "str"), (np.array([b"a"]), "bytes"), (np.zeros(1, [("x", "f4")]), "record")):
        NAMES["other"] = array
        assert f"has elements of type {kind}, which kernels do not have" in said_of(CUT, "other")
