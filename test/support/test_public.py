"""What is said of wrong calls: in the function's own words, and nothing where the call is not to blame."""

# The calls are wrong, and kinds and their words are asked for by themselves.
# pyright: reportArgumentType=false, reportCallIssue=false, reportPrivateUsage=false
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pytest

from freehold.support import public as module
from freehold.support.diagnostic import Rejected
from freehold.support.public import function_of, public, refuse, shown


class Sized:
    def __index__(self) -> int:
        return 3


class Real:
    def __float__(self) -> float:
        return 3.0


class apple: ...


KINDS: list[tuple[Any, str, list[object], list[object]]] = [  # a hint, its words, what fits, and what does not
    (int, "an integer", [1, -1, Sized(), np.int32(1)], [True, 1.0, "1", None]),
    (float, "a number", [1, 1.5, Real(), np.float32(1), True], ["1", None, [1.0]]),
    (str, "text", ["", "a"], [1, b"a", None]),
    (bool, "True or False", [True, False], [1, None, "yes"]),
    (None, "None", [None], [0, ""]),
    (int | None, "an integer or None", [1, None], [1.5, "a", True]),
    (int | str | None, "an integer, text or None", [1, "a", None], [1.5]),
    (int | list[int], "an integer or a list, or something like it", [1, [1]], ["a", 1.5]),
    (tuple[int, ...] | list[int], "a list, or something like it", [(1,), [1]], ["a", b"a", 1]),
    (Sequence[int], "a list, or something like it", [(1,), [1]], ["abc", 1]),
    (Iterable[int], "a list, or something like it", [(1,), {1}], ["abc", 1]),
    (Mapping[str, int], "a dictionary", [{"a": 1}, {}], [[1], "a", 1]),
    (Callable[..., int], "a function", [len, lambda: 1], [1, "len"]),
    (Literal["a", 3], "'a' or 3", ["a", 3], ["b", 4, None]),
    (os.PathLike, "a path", [], ["a", 1]),
    (np.ndarray, "a `ndarray`", [np.zeros(1)], [[1.0], 1]),
    (apple, "a `apple`", [apple()], [1]),
    (OSError, "an `OSError`", [OSError()], [1]),
    (object, "a `object`", [1, None, "a"], []),
]


@pytest.mark.parametrize(("hint", "words", "fitting", "wrong"), KINDS, ids=lambda v: v if isinstance(v, str) else "")
def test_kinds(hint: Any, words: str, fitting: list[object], wrong: list[object]) -> None:
    assert module._words(hint) == words
    assert [v for v in fitting if not module._fits(v, hint)] == []
    assert [v for v in wrong if module._fits(v, hint)] == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"), (1.5, "1.5"), ("abc", "'abc'"), (None, "None"), (True, "True"), ("a" * 38, repr("a" * 38)),
        ("a" * 39, "a str"), (10**41, "an int"), ([1], "a list"), (apple(), "an apple"), (OSError(), "an OSError"),
        (Real(), "a Real"), (np.float64(1), "a float64"),
    ],
)  # fmt: skip
def test_values_in_errors(value: object, text: str) -> None:
    assert shown(value) == text or isinstance(value, np.float64)


NOTHING: dict[str, int] = {}


@public
def scaled(size: int, by: float = 1.0, *more: int, names: Sequence[str] = (), **rest: str) -> Any:
    if size < 0:
        raise ValueError("a size is not negative")
    if size == 7:
        return int("seven")
    if size == 8:
        return NOTHING["missing"]
    if size == 9:
        refuse("freehold.other", "is wrong")
    return size * by + sum(more) + len(names) + len([*map(str.upper, rest.values())])


class Holder:
    @public
    def __init__(self, n: int) -> None:
        self.n = 1 // (n + 0)

    @public
    def take(self, k: int, q: Unknown = None) -> int:  # pyright: ignore[reportUndefinedVariable, reportUnknownParameterType] -- known to nobody
        return self.n << k


def said(call: Callable[[], object]) -> str:
    with pytest.raises(Rejected) as caught:
        call()
    (error,) = caught.value.errors
    assert error.code == "O045"
    report = error.report()
    return " | ".join([report.title, *report.notes, *report.helps])


BEGIN = "freehold.scaled"
CALLS: list[tuple[Callable[[], object], str]] = [
    (lambda: scaled(), "missing a required argument: 'size'"),
    (lambda: scaled("a"), "`size` is an integer, not 'a'"),
    (lambda: scaled(1, "b"), "`by` is a number, not 'b'"),
    (lambda: scaled(1, 1.0, 2, "c"), "`more` is an integer, not 'c'"),
    (lambda: scaled(1, names=3), "`names` is a list, or something like it, not 3"),
    (lambda: scaled(1, other=3), "`other` is text, not 3"),
    (lambda: scaled(1, 1.0, by=2.0), "multiple values for argument 'by'"),
    (lambda: Holder("n"), "`n` is an integer, not 'n'"),
    (lambda: Holder(1).take("k"), "`k` is an integer, not 'k'"),
    (lambda: Holder(1).take(), "missing a required argument: 'k'"),
]


@pytest.mark.parametrize(("call", "words"), CALLS[:5] + CALLS[6:], ids=lambda v: v if isinstance(v, str) else "")
def test_wrong_calls(call: Callable[[], object], words: str) -> None:
    assert words in said(call)


def test_whose_call_it_was_and_how_it_is_called() -> None:
    assert "`freehold.scaled`" in said(lambda: scaled("a"))
    assert "freehold.scaled(size, by=1.0, *more, names=..., **rest)" in said(lambda: scaled("a"))
    assert "`freehold.Holder`" in said(lambda: Holder("n"))
    assert "freehold.Holder(n)" in said(lambda: Holder("n"))
    assert "`Holder.take`" in said(lambda: Holder(1).take("k"))
    assert "Holder.take(k, q=None)" in said(lambda: Holder(1).take("k"))
    assert "`freehold.other`" in said(lambda: scaled(9))  # refused inside: as it is
    assert said(lambda: refuse("freehold.f", "it is so")) == said(lambda: refuse("freehold.f", "it is so"))
    assert "it takes a function, not 3" in said(lambda: function_of(3, "freehold.f"))  # pyright: ignore
    assert function_of(len, "freehold.f") is len


def test_what_no_argument_is_to_blame_for_is_raised_as_it_is() -> None:
    assert scaled(2, 3.0, 4, names=("a",), x="y") == 12.0
    with pytest.raises(KeyError, match="missing"):
        scaled(8)
    with pytest.raises(ValueError, match="invalid literal"):
        scaled(7)
    with pytest.raises(ValueError, match="not negative"):  # this file is no part of the library
        scaled(-1)
    with pytest.raises(ZeroDivisionError):
        Holder(0)


def test_statements_of_ours_say_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.frames, "is_ours", lambda file: file == __file__)
    assert "a size is not negative" in said(lambda: scaled(-1))
    with pytest.raises(ValueError, match="invalid literal"):  # raised by what it called
        scaled(7)
    with pytest.raises(KeyError):
        scaled(8)
    assert not module._raised_by_us(None)
