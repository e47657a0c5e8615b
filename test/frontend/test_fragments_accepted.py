"""Lines of kernels by themselves: what each that is accepted comes to, when it is compiled and when it is run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from around_lines import arguments, kernel_of

from freehold.dialects.ownership import RequireOp
from freehold.support.diagnostic import Rejected

STATIC = """
len(t) == 4 and len(r) == 8 and len((1, 2)) == 2 and len("abc") == 3
fh.cdiv(7, 1) == 7 and fh.cdiv(7, 2) == 4 and fh.cdiv(-7, 2) == -3 and fh.cdiv(8, 2) == 4
reversed((1, 2, 3)) == (3, 2, 1)
(n, 1) != (n,) and not (n, 1) == (n,)
(f32, 2) == (t.dtype, 2) and not (f32, 2) != (f32, 2) and (f32, 2) != (f32, 3)
(t == None) is False and (t != None) is True and t is not None and not t is None
None in (None, n) and n not in (None,) and not n in (None, None) and not None not in (None, n)
Pair(1, 2).kept == 3 and Pair(1, right=2).right == 2 and Point(1, y=2).y == 2
t.reshape((8, 4)).shape == (8, 4) and t.reshape(-1, 4).shape == (8, 4) and t.transpose((1, 0)).shape == (8, 4)
bool(3) is True and bool(0) is False and int("7") == 7 and float("2.5") == 2.5
(t.astype(i32) ** 0).dtype is i32 and (t.astype(i32) ** 16).dtype is i32
(t > 0).astype(i8).dtype is i8 and (t * 2).dtype is f32 and (n * 2).dtype is i32
(t.astype(i8) + t.astype(i32)).dtype is i32 and (t.astype(i32) - t.astype(i8)).dtype is i32
(t.astype(i8) << n).dtype is i8 and (n >> t.astype(i8)).dtype is i32
(t.astype(f16) + t).dtype is f32 and (t.astype(i8) + 1).dtype is i8 and ((t > 0) + 1).dtype is i32
t[:, None, :4].shape == (4, 1, 4) and t[2:].shape == (2, 8) and t[..., 4:].shape == (4, 4)
t.sum(axis=1).shape == (4,) and t.sum(axis=-1, keepdims=True).shape == (4, 1) and fh.sum(t).shape == ()
tuple(i for i in range(3) if i != 1) == (0, 2) and tuple(zip((1, 2), (3, 4))) == ((1, 3), (2, 4))
(t > 0).sum().dtype is i32 and (t > 0).max().dtype is bool_ and t.astype(i8).sum(axis=0).dtype is i8
(t > 0).any().dtype is bool_ and t.astype(f16).sum().dtype is f16 and t.astype(i8).max().dtype is i8
tuple(enumerate((5, 6), 1)) == ((1, 5), (2, 6)) and sum((1, 2, 3)) == 6 and max(1, 2) == 2 and min((4, 3)) == 3
f"{7:03d} {(1, 2)} {f32}" == "007 (1, 2) f32"
sum(range(1000)) == 499500 and max(range(1000)) == 999 and min(range(5, 1000)) == 5
len(tuple(range(1000))) == 1000
sum((1,) * 1200) == 1200 and sum((1, 2), 3) == 6 and sum(()) == 0 and len(tuple("abc")) == 3
tuple("ab") == ("a", "b")
tuple(i for i in range(1000) if i % 300 == 0) == (0, 300, 600, 900) and len(tuple(i for i in range(1000))) == 1000
tuple(enumerate((5, 6))) == ((0, 5), (1, 6)) and tuple(enumerate("ab", -1)) == ((-1, "a"), (0, "b"))
tuple(enumerate((5, 6), True)) == ((1, 5), (2, 6)) and enumerate(()) == ()
tuple(zip((1, 2), (3, 4, 5))) == ((1, 3), (2, 4)) and tuple(zip((1,), (3,), strict=True)) == ((1, 3),) and zip() == ()
any((0, 1)) and not any((0, 0)) and not any(()) and all((1, 1)) and not all((1, 0)) and all(())
bool(()) is False and bool((0,)) is True and bool((t,)) is True and bool("") is False and bool(None) is False
bool(2.5) is True
int(2.9) == 2 and int(-2.9) == -2 and int("-3") == -3 and int(True) == 1 and float(3) == 3.0 and float("inf") > 1e300
max(1, 2.5) == 2.5 and min(2, 2.5) == 2 and max((1,)) == 1 and abs(-2.5) == 2.5 and abs(True) == 1
divmod(-7, 2) == (-4, 1)
isinstance(3, int) and isinstance(True, int) and not isinstance(2.5, int) and isinstance("a", (int, str))
isinstance(None, object)
isinstance(t, fh.Tile) and not isinstance(t, fh.Scalar) and isinstance(n, fh.Scalar) and isinstance((1,), tuple)
isinstance(Pair(1, t), Pair) and isinstance(Point(t, 2), Point) and isinstance(Point(t, 2), tuple)
not isinstance((t, 2), Point)
reversed((1, t))[1] == 1 and reversed("ab") == ("b", "a") and reversed(()) == ()
math.sqrt(16) == 4 and math.isclose(1.0, 1.2, rel_tol=0.5) and not math.isclose(1.0, 1.2) and math.gcd(12, 18) == 6
math.floor(-2.5) == -3 and math.ceil(2.1) == 3 and math.log(8, 2) == 3 and math.isinf(math.inf)
math.prod((2, 3, 4)) == 24
Point._fields == ("x", "y") and y.at(0, 0).ndim == 2 and y.ndim == 2 and Late(1).other == 3 and Checked(2).one == 2
dataclasses.replace(Pair(1, 2), left=3).left == 3 and dataclasses.replace(Pair(1, t), left=3).right.shape == (4, 8)
Boxed(1).whole == 1 and Boxed(scale=3, whole=2).whole == 6 and Made(2).two == (2, 3) and Made(2, 4).two == (2, 4)
fh.reduce(t, lambda p, q: p + q, 0.0, 1).shape == (4,)
fh.reduce(t, lambda p, q: p + q, 0.0, 0, keepdims=True).shape == (1, 8)
fh.reduce(t, lambda p, q: p + q, 0.0, None, keepdims=True).shape == (1, 1)
fh.reduce(t, lambda p, q: p + q, 0.0, None).shape == ()
fh.reduce(n, lambda p, q: p + q, 0).shape == () and fh.reduce(n, fh.maximum, 0, keepdims=True).shape == ()
fh.scan(t, lambda p, q: p + q, 0.0, 1, reverse=True).shape == (4, 8)
fh.scan(r, lambda p, q: p + q, 0.0).shape == (8,)
f32(2).dtype is f32 and i8(2.9).dtype is i8 and bool_(2).dtype is bool_ and f16(n).dtype is f16
i64(t).shape == (4, 8)
fh.arange(8, 0, -2).shape == (4,) and fh.arange(0, -8, -1).shape == (8,) and fh.arange(0, 7, 2).shape == (4,)
fh.arange(4).dtype is i32 and fh.arange(4, f16).dtype is f16 and fh.arange(0, 4, 1, i64).dtype is i64
fh.arange(1, 2).shape == (1,)
t.sum(axis=0, keepdims=True).shape == (1, 8) and t.sum(keepdims=True).shape == (1, 1)
t.max(axis=(0, 1)).shape == ()
t.argmax(axis=1, keepdims=True).shape == (4, 1) and t.argmin(keepdims=True).shape == (1, 1) and t.argmax().shape == ()
t.squeeze().shape == (4, 8) and t[:, None].squeeze(1).shape == (4, 8)
t.flatten().shape == (32,) and t.T.shape == (8, 4) and t[0].shape == (8,) and t[-1].shape == (8,)
t[:, 0].shape == (4,)
t[1].shape == (8,) and t[..., 0].shape == (4,) and t[:2, :4].shape == (2, 4) and t[:, :-4].shape == (4, 4)
t[-2:].shape == (2, 8)
t.size == 32 and t.ndim == 2 and n.size == 1 and n.ndim == 0 and n.shape == () and x.ndim == 2 and x.dtype is f32
fh.concatenate((t, t)).shape == (8, 8) and fh.concatenate((t, t), axis=-1).shape == (4, 16)
fh.random_bits((1 << 64) - 1, 1).shape == () and fh.random_bits(-(1 << 63), 1).shape == ()
x.load((0, 0), (4, 8), latency=1).shape == (4, 8) and x.load((0, 0), (4, 8), latency=10).shape == (4, 8)
fh.pack(t.astype(fh.tf32)).shape == (4, 32) and fh.unpack(fh.pack(t.astype(fh.tf32)), fh.tf32).shape == (4, 8)
fh.expand_dims(t, 1).shape == (4, 1, 8) and fh.expand_dims(t, -1).shape == (4, 8, 1)
fh.expand_dims(t, 0).shape == (1, 4, 8)
fh.extract(t, (0, 0), (2, 4)).shape == (2, 4) and t.insert((0, 0), fh.zeros((2, 4), f32)).shape == (4, 8)
""".strip().split("\n")


def test_what_is_known(lowered: Callable[..., Any], part: Any) -> None:
    """Each line holds when the kernel is compiled."""
    lowered(kernel_of(*(f"fh.static_assert({line})" for line in STATIC)), *arguments(part))


def test_what_both_branches_know_is_known_after_them(lowered: Callable[..., Any], part: Any) -> None:
    lines = ("k, s = 1, 2", "if n > 0:", "    k = 4", "    s = t", "else:", "    k = 4", "    s = t")
    known = ("fh.static_assert(k == 4)", "t = s + fh.zeros((k, 8), f32)")
    lowered(kernel_of(*lines, *known), *arguments(part))


NUMBERS = ("0.0", "(1.0 if n > 0 else 2.0) * 2", "fh.where(n > 0, 1.0, 2.0)", "fh.maximum(1.0, 1.0 if n > 1 else 2.0)")


@pytest.mark.parametrize("number", [*NUMBERS, "-(1.0 if n > 0 else 2.0)", "abs(1.0 if n > 0 else 2.0)"])
def test_numbers_alone_have_the_dtype_that_a_loop_makes_of_them(
    number: str, lowered: Callable[..., Any], part: Any
) -> None:
    lines = (f"q = {number}", "for i in range(n):", "    q = q + t.astype(f64)")
    lowered(kernel_of(*lines, "fh.static_assert(q.dtype is f64 and q.shape == (4, 8))"), *arguments(part))
    with pytest.raises(Rejected):  # whose dtype was asked for is no guess
        lowered(kernel_of(f"q = ({number}) + t[0].sum()", *lines[1:]), *arguments(part))


def test_what_does_not_hold_is_said(lowered: Callable[..., Any], part: Any) -> None:
    with pytest.raises(Rejected) as caught:
        lowered(kernel_of(*(f"fh.static_assert(not ({line}))" for line in STATIC)), *arguments(part))
    assert [error.code for error in caught.value.errors] == ["O030"] * len(STATIC)


X = np.arange(32, dtype=np.float32).reshape(4, 8)
COMPUTED = [
    ("t ** 0", X**0),
    ("t ** 1", X),
    ("(t / 16) ** 16", (X / 16) ** 16),
    ("(t / 16) ** 17", (X / 16) ** 17),
    ("(t.astype(i32) ** 5).astype(f32)", (X.astype(np.int32) ** 5).astype(np.float32)),
    ("fh.where(True, t, 1.0)", X),
    ("fh.where(0, t, 1.0)", X * 0 + 1),
    ("t * float(n)", X * 3),
    ("t if n in (None, 1, 3) else r", X),
    ("t if n not in (1, 2) else t * 2", X),
    ("t if (n, 1) == (3, 1) else t * 2", X),
    ("t if (n, 1) != (2, 1) else t * 2", X),
    ("t if (n, n) == (3, 2) else t * 2", X * 2),
    ("t + fh.cdiv(n, 2)", X + 2),
    ("t + fh.mulhi(fh.full((4, 8), 1 << 31, u32), 6).astype(f32)", X + 3),
    ("fh.powi(t, n)", X**3),
    ("fh.fmod(t, -5.0)", np.fmod(X, -5)),
    ("fh.maximum(t, r)", np.maximum(X, X[0])),
    ("t + r[:, None][:4]", X + X[0][:4, None]),
    ("t + t.sum(axis=1, keepdims=True)", X + X.sum(1, keepdims=True)),
    ("t + v.load((0,), (8,))", X + X[0]),
    ("sum((i * v for i, v in enumerate((t, t + 1), n)), t * 0)", X * 3 + (X + 1) * 4),
    ("sum((t, 1, n), 2)", X + 6),
    ("max(t, r, 3)", np.maximum(np.maximum(X, X[0]), 3)),
    ("min((t, r, n))", np.minimum(np.minimum(X, X[0]), 3)),
    ("divmod(t, 3)[0] * 10 + divmod(t, 3)[1]", X // 3 * 10 + X % 3),
    ("fh.where(all((n > 0, n > 2, True)), t, 0)", X),
    ("fh.where(any((n > 3, n < 0)), t, 0)", X * 0),
    ("fh.reduce(t, lambda p, q: p + q, 0.0, 1, keepdims=True) + t * 0", X * 0 + X.sum(1, keepdims=True)),
    ("fh.scan(t, lambda p, q: p + q, 0.0, 1, reverse=True)", X[:, ::-1].cumsum(1)[:, ::-1]),
    ("fh.scan(t, lambda p, q: p + q, 0.0, 0)", X.cumsum(0)),
    ("t + fh.reduce(t.sum(), lambda p, q: p + q, 0.0)", X + X.sum()),
    (
        "t.reshape(*(8, 4)).T.reshape(*(2, 2), 8).reshape(*x.load(*((0, 0), (4, 8))).shape)",
        X.reshape(8, 4).T.reshape(4, 8),
    ),
    ("t * Made(t).other + Pair(1, t).right", X * 4),
    ("t[2:] .sum() + t * 0", X * 0 + X[2:].sum()),
    ("fh.where(n in (t, 2), 1.0, 0.0)", (X == 3) * 1.0),
    ("fh.where(t not in (n, r[0], 9), 1.0, 0.0)", 1.0 - ((X == 3) | (X == 0) | (X == 9))),
    ("fh.where(fh.full((4, 8), 2.0, fh.f4e2m1fn) != n, t, 0.0)", X),
    ("fh.where(fh.full((4, 8), 3.0, fh.f4e2m1fn) == n, t, 0.0)", X),
    ("t + (t.astype(f32).astype(i32) & 5)", X + (X.astype(np.int32) & 5)),
]


@pytest.mark.parametrize(("line", "wanted"), COMPUTED, ids=[line for line, _ in COMPUTED])
def test_what_is_computed(line: str, wanted: Any, interpret: Callable[..., None], part: Any) -> None:
    args = arguments(part)
    interpret(kernel_of(f"t = {line}"), *args)
    np.testing.assert_allclose(args[0].array, wanted, rtol=1e-6)


REQUIRED = [
    "n > 2", "-n < 3", "not n > 3", "not (n < 3 or n == 5)", "0 < n < 9", "0 < x.shape[0] <= n != 7",
    "n % 2 == 0 and x.shape[1] // n < 4", "min(n, 3) < max(x.shape[0], 4) - 1", "fh.cdiv(x.shape[1], 3) * 2 >= n",
    '"M % 2 == 0 and n < N"', '"not n == 3 or M < n"',
]  # fmt: skip


def test_what_is_required_of_a_launch(
    lowered: Callable[..., Any], part: Any, golden: Callable[[Path, str], None]
) -> None:
    module = lowered(kernel_of(*(f"fh.require({line})" for line in REQUIRED)), *arguments(part))
    asked = [str(op.predicate.data) for op in module.walk() if isinstance(op, RequireOp)]
    golden(
        Path(__file__).with_name("required.txt"), "\n".join(f"{a}: {b}" for a, b in zip(REQUIRED, asked, strict=True))
    )
