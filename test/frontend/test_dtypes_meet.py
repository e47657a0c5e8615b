"""
What operators and functions make of each dtype, and of pairs of them: a dtype, or that there is no such thing.

Beside what is made of one dtype stand the operations that make it, in their order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fragments
import numpy as np
import pytest
from xdsl.ir import Operation

from freehold.dialects.cuda_tile.ops.misc import PrintTkoOp
from freehold.support.diagnostic import Rejected
from freehold.support.span import Span

NAMES = [
    "bool_", "i8", "u8", "i32", "u32", "i64", "f16", "bf16", "f32", "f64", "tf32", "f8e5m2", "f8e8m0fnu", "i4",
    "f4e2m1fn",
]  # fmt: skip
HEAD = (
    '\ndef kernel(y: Out[f32, "N"], x: Ref[f32, "N"], n: int, s: float, b: bool):\n    t = x.load_like(y)\n'
    + "".join(f"    t_{name} = t.astype(fh.{name})\n" for name in NAMES)
)
PAIRS = [
    "a + b", "a / b", "a // b", "a ** b", "a & b", "a << b", "a < b", "fh.maximum(a, b)", "fh.where(True, a, b)",
    "fh.fma(a, b, b)", "fh.concatenate((a, b))",
]  # fmt: skip
OTHERS = [*(f"t_{name}" for name in NAMES), "n", "s", "b", "True", "3", "300", "2.5", "1e39"]
SINGLE = [
    "-a", "~a", "+a", "abs(a)", "a + 3", "3 - a", "a * 2.5", "2 / a", "a // 3", "a % 3", "a ** 2", "a ** 3", "a ** 0.5",
    "a << 1", "a >> n", "a & 1", "a < 3", "a == 3", "a != n", "a.sum()", "a.prod(axis=0)", "a.max()", "a.min()",
    "a.any()", "a.all()", "a.argmax()", "fh.cumsum(a)", "fh.cumprod(a)", "fh.sort(a)", "fh.top_k(a, 2)[0]", "fh.exp(a)",
    "fh.exp2(a)", "fh.sqrt(a)", "fh.abs(a)", "fh.floor(a)", "a.round()", "fh.sign(a)", "fh.isnan(a)", "fh.isinf(a)",
    "fh.isfinite(a)", "fh.sigmoid(a)", "fh.silu(a)", "fh.gelu(a)", "fh.erf(a)", "fh.expm1(a)", "fh.log1p(a)",
    "fh.tanh(a)", "fh.clip(a, 0, 1)", "fh.minimum(a, 0)", "fh.fmod(a, 2)", "fh.mulhi(a, 3)", "fh.powi(a, 3)",
    "fh.cdiv(a, 2)", "fh.add(a, a, rounding=fh.Rounding.UP)", "fh.reduce(a, fh.maximum, 0)", "fh.scan(a, fh.add, 0)",
    "fh.random_bits(1, a)", "fh.pack(a)", "fh.unpack(a, fh.i4)", "fh.bitcast(a, u8)", "fh.bitcast(a, f32)",
    "fh.zeros((4, 8), a.dtype)", "fh.full(4, 3, a.dtype)", "fh.arange(4, a.dtype)", "a.astype(bool_)", "a.astype(i8)",
    "a.astype(u64)", "a.astype(f16)", "a.astype(f8e5m2)", "a.astype(f32, rounding=fh.Rounding.ZERO)",
    "a.astype(i32, saturate=True)", "a.astype(u8, saturate=True)", "a[2]", "a[:4]", "a.reshape(2, 4)",
    "fh.extract(a, n, 4)", "a.insert(n, a[:2])", "a if b else a + a", "a[:, None] @ a[None, :]", "f32(a)", "int(a)",
    "float(a)", "bool(a)",
]  # fmt: skip


def put(text: str, **values: str) -> str:
    """An expression with values in the place of its names."""
    for name, value in values.items():
        text = re.sub(rf"\b{name}\b(?!\.\w+\(|=)|\b{name}\b(?=\.)", value, text)
    return text


def made_of(lines: list[str], lower: Callable[[Any], Any]) -> list[str]:
    """What each of some expressions is, by asking it for what it has not; or the errors that are reported."""
    said: list[list[str]] = [[] for _ in lines]
    with pytest.raises(Rejected) as caught:
        lower(fragments.kernel_of(*(f"r = ({line}).shown" for line in lines), head=HEAD))
    for error in caught.value.errors:
        assert isinstance(error.place, Span)
        report = error.report()
        kind = report.title.rpartition(" has no attribute `shown`")
        short = re.sub(r"^an? | tile \(8,\)$", "", kind[0])
        said[error.place.line - fragments.begin(HEAD)].append(short if kind[1] else report.code)
    return [" ".join(texts) for texts in said]


USUAL = ("nearest_even", "none", "ordered")
"""How operations round, overflow and compare where nothing is said."""


def shown(op: Operation) -> str:
    """An operation: its name, how it rounds, compares and reads signs, and what a fold of nothing is."""
    parts = [op.name.rpartition(".")[2]]
    for name, value in op.properties.items():
        text = str(value)
        if (number := re.search(r"<\w+: ([-+.\w]+), tile", text)) is not None:
            parts.append(f"{float(number[1]):.12g}" if "." in number[1] else number[1])
            continue
        word = (
            name if text == "unit" else text.replace(" ", "") if name == "identities" else text.partition("<")[2][:-1]
        )
        if word and word not in USUAL and name != "operandSegmentSizes":
            parts.append(word)
    return "-".join(parts)


def operations(lines: list[str], lower: Callable[[Any], Any]) -> list[str]:
    """The operations that each of some expressions becomes."""
    marked = [text for line in lines for text in (f"r = {line}", "fh.print('next')")]
    module = lower(fragments.kernel_of("fh.print('next')", *marked, head=HEAD))
    found: list[list[str]] = [[]]
    for op in module.walk():
        if isinstance(op, PrintTkoOp):
            found.append([])
        else:
            found[-1].append(shown(op))
    return [" ".join(names) for names in found[1:-1]]


def grouped(made: Iterator[tuple[str, str]]) -> str:
    """Results, and of what each comes."""
    groups: dict[str, list[str]] = {}
    for name, result in made:
        groups.setdefault(result, []).append(name.removeprefix("t_"))
    return "; ".join(f"{result}: {' '.join(names)}" for result, names in groups.items())


@pytest.fixture
def lower(part: Any, lowered: Callable[..., Any]) -> Callable[[Any], Any]:
    return lambda function: lowered(function, part(np.zeros(8, np.float32), 8), np.zeros(8, np.float32), 1, 1.0, True)


def test_where_two_meet(lower: Callable[[Any], Any], golden: Callable[[Path, str], None]) -> None:
    found: list[str] = []
    for text in PAIRS:
        found.append(text)
        for name in NAMES:
            lines = [put(text, a=f"t_{name}", b=other) for other in OTHERS]
            found.append(f"  {name} with {grouped(zip(OTHERS, made_of(lines, lower), strict=True))}")
    golden(Path(__file__).with_name("pairs.dtypes"), "\n".join(found))


def test_what_one_becomes(lower: Callable[[Any], Any], golden: Callable[[Path, str], None]) -> None:
    found: list[str] = []
    for text in SINGLE:
        lines = {name: put(text, a=f"t_{name}") for name in NAMES}
        made = dict(zip(NAMES, made_of([*lines.values()], lower), strict=True))
        taken = [name for name in NAMES if "O0" not in made[name]]
        chains = operations([lines[name] for name in taken], lower)
        made |= {
            name: f"{made[name].replace(name, 'its own', 1)} by {chain or 'nothing'}"
            for name, chain in zip(taken, chains, strict=True)
        }
        found += [text, *(f"  {group}" for group in grouped(iter(made.items())).split("; "))]
    golden(Path(__file__).with_name("single.dtypes"), "\n".join(found))
