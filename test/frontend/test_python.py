"""Scalar Python means in a kernel what it means in Python: each function runs on the host and in a kernel."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Const, Out, i32

Interpret = Callable[..., None]


def counted(a: int, b: int) -> int:
    s = 0
    for i in range(a):
        if i % 3 == b:
            continue
        s += i * b
    return s


def conditional(a: int, b: int) -> int:
    s = 0
    i = 0
    while i < a:
        i += 1
        if i == 7:
            break
        if i % 2:
            s -= 3
            continue
        s = s * 2 + i
    return s + b


def early_return(a: int, b: int) -> int:
    if a < b:
        return a
    if a == b:
        if a > 5:
            return 100
        x = 3
    else:
        x = a // b if b != 0 else -1
    x += 1
    return x % 5


def short_circuit(a: int, b: int) -> int:
    n = 0
    for i in range(a, a + 20, 3):
        if i > 10 and (b == 0 or i // b > 2):
            break
        n += 1 if 0 <= i < 8 else 2
    return n


def closures(a: int, b: int) -> int:
    def scaled(x: int) -> int:
        return x * b

    power: Callable[[int, int], int] = lambda x, y: x**y - scaled(x)  # noqa: E731
    p, (q, r) = 1, (a, b)
    for j in (1, 2, a):
        p += power(j, 2) + q - r
    b = b + 1
    return p + scaled(3)


def tuples(a: int, b: int) -> int:
    t = (a, b)
    for i in range(5):
        t = (t[1], t[0] + i)
    first, *rest = (*t, 4, 5)
    return max(t[0], t[1], 3) - min(t) + abs(-a) + first + rest[-1] + len(rest)


def nested(a: int, b: int) -> int:
    x = a
    for i in range(3):
        for j in range(4):
            if j == b:
                break
            x += i * j
        y = x
        x = y + 1
    return x


def endless(a: int, b: int) -> int:
    s = a
    while True:
        s += 1
        if s % 4 == 0:
            break
    return s - b


def rounding(a: int, b: int) -> int:
    d = b if b else 3
    q, r = divmod(-a, d)
    return q * 10 + r + (-a % d) * 100 + (a << 2) + (a >> 1) + (a & b) + (a ^ 5) + ~b + (a | 1)


def both_branches_leave(a: int, b: int) -> int:
    n = 0
    i = 0
    while i < 10:
        i += 1
        if i < a:
            n += i
            continue
        n -= b
        break
    return n * 100 + i


def unrolled(a: int, b: int) -> int:
    n = 0
    for i, v in enumerate((a, b, 7)):
        if i == 1:
            continue
        n = n * 3 + v * i
    for x, y in zip((1, 2), (a, b), strict=True):
        n += x * y
    return n + sum((a, b, 1)) + (3 if 2 in (1, 2) else 0)


def statics(a: int, b: int) -> int:
    size = 4
    for _ in range(3):
        size = size * 2 if size < 16 else size
    return size + a - b


def reassigned_types(a: int, b: int) -> int:
    t = (1, 2)
    n = t[0]
    for i in range(2):
        t = i + a
        n += t
    return n + b


def booleans(a: int, b: int) -> int:
    p = a > 2
    q = not p or b > 1
    return int(p) + 2 * int(q) + (4 if p and q else 0) + (8 if a in (1, b) else 0) + int(a != b != 2)


def first_multiple(a: int, b: int) -> int:
    for i in range(a, a + 9):
        if b != 0 and i % b == 0:
            return i * 10
        if i == 20:
            break
    return -a


def found(a: int, b: int) -> tuple[int, bool]:
    i = 0
    while True:
        i += 1
        if i * i > a:
            return i, True
        for j in range(i):
            if i * j == b:
                return j, False
            if j > 3:
                continue
            for k in (1, 2):
                if k + j + i == b:
                    return k, b > 2


def returned_from_loops(a: int, b: int) -> int:
    n, flag = found(a, b)
    m = first_multiple(a, b)
    for i in range(3):
        m += first_multiple(i, 2)
        if m == 40:
            return m + a
    return n + (100 if flag else 0) + m * 1000


def one_way_or_none(a: int, b: int) -> int:
    def search(limit: int) -> int:
        n = 0
        while n < limit:
            n += 2
            if n == b:
                return 1
            if n > 8:
                return 1
        return 0

    def pruned(known: bool) -> int:
        for i in range(a):
            if known:
                return i
        return 7

    return search(a) + 10 * pruned(False) + 100 * pruned(True)


def downwards(a: int, b: int) -> int:
    n = 0
    for i in range(a, b, -1):
        n = (n * 3 + i) % 10007
    for i in range(a + 4, -3, -3):
        n = (n * 2 - i) % 10007
        if i == b:
            break
    for i in range(9, 2, -2):
        n = (n + i * a) % 10007
    return n % 10007


def backwards(a: int, b: int) -> int:
    n = 0
    for i in reversed(range(b, a)):
        n = (n * 3 + i) % 10007
    for i in reversed(range(b, a, 4)):
        n = (n * 2 - i) % 10007
    for i in reversed(range(a + 5)):
        n = (n * 2 + i) % 10007
        if i == b:
            continue
    for i in reversed(range(a, b, -2)):
        n = (n + i * i) % 10007
    for i in reversed(range(0, a + 3, 2)):
        n = (n * 5 - i) % 10007
    for i in reversed(range(1, 8, 3)):
        n = (n + n * i + b) % 10007
    return n % 10007 + sum(reversed(range(3))) + tuple(reversed(range(2, 9, 3)))[-1]


def by_a_step(a: int, b: int) -> int:
    n = 0
    step = b * b + 1
    for i in range(b, a + 30, step):
        n = (n * 2 + i) % 10007
    for i in reversed(range(b, a, step)):
        n = (n * 3 - i) % 10007
    return n % 10007


def comprehensions(a: int, b: int) -> int:
    xs = (a, b, 3)
    t = tuple(x * 2 + i for i, x in enumerate(xs) if i != 1)
    n = sum(x * y for x in xs for y in range(3)) + max(x - 1 for x in xs) - min(0, *tuple(-x for x in xs))
    flags = any(x == 3 for x in t) + 2 * all(x > 0 for x in xs) + 4 * any(()) + 8 * all(x < 9 for x in (1, 2))
    x = 1
    u = tuple(tuple(x + y for y in (1, a)) for x in (b, x))
    for i in range(2):
        n += sum(i * x for x in t)
    return n + len(t) + t[1] + flags + u[1][1] * 10 + x + sum(p * q for p, q in zip(t, (1, 2), strict=False))


def matched(a: int, b: int) -> int:
    n = 0
    kinds: tuple[Any, ...] = ("low", "high", 3, None, (1, a), (a, 2, 3), 2.5, -1)
    for kind in kinds:
        match kind:
            case "low" | "middle":
                n += a
            case "high":
                n += 10
            case None:
                n += 1
            case (1, x):
                n += x * 100
            case (x, *rest) if len(rest) == 2:
                n += rest[0] + x
            case int(x) if x > 0:
                n += x
            case float() | -1 as y:
                n += 2 if y > 0 else 7
            case _:
                n = -1000
    return n + b


def matched_when_run(a: int, b: int) -> int:
    match a - b:
        case 0:
            return 100
        case 1 | 3 | 5 as odd:
            n = odd * 2
        case d if d > 7:
            n = d
        case -2:
            n = b
        case _:
            n = a + 1
    match (n, b):
        case (x, 0):
            x += 1
        case (0, x):
            x += 2
        case (_, _):
            x = n
    return x


def nested_returns(a: int, b: int) -> int:
    x = 1
    if a > 2:
        x = a
        if b > 0:
            if a > 8:
                return x * 2
            x = x + b
            if b == 2:
                return -x
            y = 5
        else:
            y = x
        x = x + y
    return x * 10 + b


def many_returns(a: int, b: int) -> int:
    def known(scale: int, wide: bool) -> int:
        if wide:
            if a > 20:
                return scale
        elif b > 4:
            return -scale
        return scale + 1

    if a < 1:
        return 0
    if a < 2:
        return 1
    if a < 3:
        return 3
    if a < 4:
        return 6
    if a < 5:
        return 10
    if a < 6:
        return 15
    if a < 7:
        return 21
    if a < 8:
        return 28
    return known(a, True) * known(b, False)


def left_from_within(a: int, b: int) -> int:
    n = 0
    for i in range(a):
        for k in (1, 2, 3):
            for j in (k, b):
                if i * j == 6:
                    return n + k
            n += k
    return n


def left_when_unrolled(a: int, b: int) -> int:
    n = last = 0
    for last in (1, 2, 3, 4):
        if last * b > a:
            break
        for k in (a, 5, b):
            if k > 2:
                if k == last:
                    continue
                m = k
                if m + last == 7:
                    break
            else:
                m = -k
            n = n * 3 + m
        if n == a:
            continue
        n += 1
    return n * 10 + last


def found_when_unrolled(a: int, b: int) -> int:
    n = 0
    for i in (1, 2, 3):
        for j in range(b):
            for k in (i, 2, j):
                if k * i == a:
                    return n
                if k + j > 3:
                    break
                n += k
        if n > 20:
            return -n
    return n + 100


def left_without_what_turns_begin_with(a: int, b: int) -> int:
    best = (0, b)
    s = 0
    for i in range(a):
        s += best[0]
        for k in range(i):
            best = k, 3
            if k == 2:
                break
        if s > 3:
            break
        best = i, b
    return s


FUNCTIONS = (
    left_without_what_turns_begin_with,
    left_when_unrolled,
    found_when_unrolled,
    nested_returns,
    many_returns,
    left_from_within,
    counted,
    conditional,
    early_return,
    short_circuit,
    closures,
    tuples,
    nested,
    endless,
    rounding,
    both_branches_leave,
    unrolled,
    statics,
    reassigned_types,
    booleans,
    returned_from_loops,
    one_way_or_none,
    downwards,
    backwards,
    by_a_step,
    comprehensions,
    matched,
    matched_when_run,
)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_as_python(function: Callable[[int, int], int], part: Any, prepare: Callable[..., Interpret]):
    def kernel(out: Out["N"], a: i32, b: i32):
        out.store(function(a, b))  # pyright: ignore[reportArgumentType] -- scalars of a kernel are no ints

    run = prepare(kernel, part(np.zeros(4, np.int32), 4), 0, 0)
    for a in (0, 1, 5, 9, 23):
        for b in (-2, 0, 1, 2, 5):
            out = np.zeros(4, np.int32)
            run(part(out, 4), a, b)
            assert out.tolist() == [function(a, b)] * 4, (a, b)


OPERATORS: dict[str, Callable[[int, int], int | bool]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "**": lambda a, b: a**b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


@pytest.mark.parametrize("symbol", OPERATORS)
def test_what_is_known_is_computed_as_python_does(symbol: str, part: Any, interpret: Interpret):
    """Operators between numbers that are known when the kernel is compiled."""
    operator = OPERATORS[symbol]

    def kernel(y: Out[i32, 1], a: Const[int], b: Const[int]):
        y.store(fh.full(y.tile, int(operator(a, b)), i32))

    for a, b in ((13, 3), (-13, 3), (3, 3), (6, 5)):
        y = np.zeros(1, np.int32)
        interpret(kernel, part(y, 1), a, b)
        assert y[0] == operator(a, b)
