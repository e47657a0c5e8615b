"""
What is said of calls whose arguments do not fit: of each function, left out, doubled, exchanged, and one too many.

Calls are damaged in the same ways whatever they call, so that nothing is left out that somebody may write.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fragments
import pytest
from uses import HEAD, arguments

from freehold.support.diagnostic import Rejected
from freehold.support.span import Span

CALLS = [
    "fh.exp(t)", "fh.atan2(t, t)", "fh.maximum(t, t)", "fh.add(t, t)", "fh.multiply(t, t)", "fh.where(p, t, 0.0)",
    "fh.fma(t, t, 1.0)", "fh.clip(t, 0.0, n)", "t.clip(0.0, 1.0)", "t.round()", "fh.cdiv(n, 2)", "fh.sum(t, axis=1)",
    "t.sum(axis=1)", "fh.cumprod(t, axis=1)", "t.cumsum(1)", "t.argmax(1)", "fh.sort(t, axis=1)",
    "fh.top_k(t, 2, axis=1)", "fh.reduce(t, lambda a, b: a + b, 0.0)", "fh.scan(i, lambda a, b: a + b, 0)",
    "fh.mma(t, t.T, fh.zeros((4, 4), f32))", "fh.random_bits(n, i)", "fh.zeros((4, 8), f32)", "fh.ones(8)",
    "fh.full((4, 8), n, i32)", "fh.arange(0, 16, 2, i64)", "fh.reshape(t, (8, 4))", "t.reshape(2, 16)",
    "t.permute((1, 0))", "t.transpose(1, 0)", "t.flatten()", "t.squeeze()", "fh.expand_dims(t, 1)",
    "fh.broadcast_to(t[0], (4, 8))", "fh.concatenate((t, t), axis=1)", "fh.bitcast(t, i32)",
    "fh.extract(t, (0, n), (2, 4))", "t.insert((n, 0), t[:2, :4])", "fh.unpack(t, f8e5m2)", "t.astype(f16)",
    "t.sum().item()", "fh.tiles(x, axis=1, size=8)", "x.load((n, 0), (4, 8))", "x.load_like(y)",
    "x.load_from((n, 0), (4, 8))", "x.gather(n, i)", "v.gather(i)", "x.window(0, 2, 4)", "z.load()", "z.store(t)",
    "z.at(n, 0)", "b.at(n).add(i)", "b.add_at(1, i)", "fh.print(n)", "fh.assert_(n > 0)", "fh.static_assert(True, 'a')",
    "fh.require(n > 0)", "f32(n)", "float(n)", "len(t)", "abs(n)", "max(n, 1)", "sum((t, 1.0))", "divmod(n, 2)",
    "enumerate((n, t), 1)", "zip((n, 1), (t, 2))", "isinstance(t, fh.Tile)", "range(3)", "first(n, 2, c=t)",
    "Pair(n, y=t)",
]  # fmt: skip
"""A call of each kind."""
NAMES = {
    "sum": "values", "fh.sum": "x", "t.sum": "keepdims",
    "abs": "x", "len": "value", "divmod": "a", "enumerate": "values", "isinstance": "value",
    "float": "x", "f32": "value", "first": "a", "Pair": "x", "store": "tile", "load": "index", "load_from": "start",
    "load_like": "region", "window": "axis", "astype": "dtype", "insert": "index", "cumsum": "axis",
    "argmax": "axis", "squeeze": "axis", "clip": "low", "tiles": "tensor", "maximum": "x", "add_at": "values",
    "zeros": "shape", "ones": "shape", "full": "shape", "arange": "start", "concatenate": "parts", "cdiv": "a",
    "atan2": "y", "where": "condition", "mma": "a", "random_bits": "seed",
}  # fmt: skip
"""A parameter of each, where it is not `x`; of a function and of a method, where both have the name, by the whole."""
FOREIGN = ("dim=0", "axes=0", "keepdim=True", "mask=p", "dtype=f16", "other=1.5", "out=t", "shap=8")
"""Names that parameters have elsewhere, and one that is misspelt."""


def damaged(text: str) -> Iterator[str]:
    """A call with arguments left out, exchanged, doubled, too many, taken from a tuple, and under other names."""
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    function = ast.unparse(call.func)
    given, named = [*map(ast.unparse, call.args)], [f"{k.arg}={ast.unparse(k.value)}" for k in call.keywords]
    first = "tile" if function == "b.at(n).add" else NAMES.get(function, NAMES.get(function.rpartition(".")[2], "x"))
    ways = [
        [],
        [*given, *named],
        *([*given[:n], *given[n + 1 :], *named] for n in range(len(given))),
        *([*given, *named[:n], *named[n + 1 :]] for n in range(len(named))),
        [*given[::-1], *named],
        [*given, "t", *named],
        [*given, "t", "2", "n", *named],
        [*given, *named, f"{first}=t"],
        [f"*({''.join(f'{a}, ' for a in given)})", *named],
        [f"*({''.join(f'{a}, ' for a in given)})", "*(1, n, t)", *named],
        [*([] if first == "dtype" else [f"{first}=t"]), "dtype=f16"],
        *([*given, *named, name] for name in FOREIGN),
    ]
    for way in dict.fromkeys(", ".join(way) for way in ways):
        yield f"{function}({way})"


def of_each(lines: list[str], refuse: Callable[[Any], object]) -> list[list[str]]:
    """
    Of each call an error a line, without what is said of every call of the function, or what kind of value it gives.

    What is asked of a value in its last part there is not, so that it is said of what. A call that is refused gives
    a value of which nothing is said, so that no line depends on another.
    """
    with pytest.raises(Rejected) as caught:
        refuse(fragments.kernel_of(*(f"r = {line}.shown" for line in lines), head=HEAD))
    said: list[list[str]] = [[] for _ in lines]
    for error in caught.value.errors:
        assert isinstance(error.place, Span)
        report = error.report()
        kind, found, _ = report.title.rpartition(" has no attribute `shown`")
        notes = [label.text for label in report.labels if label.text and not label.text.startswith("called as ")]
        places = {edit.help: f" (in place of `{fragments.text_of(edit.span)}`)" for edit in report.edits}
        helps = [f"{text}{places.get(text, '')}" for text in report.helps]
        text = kind if found else "; ".join([f"{report.code} {report.title}", *notes, *helps])
        said[error.place.line - fragments.begin(HEAD)].append(text)
    return said


def test_what_is_said(part: Any, lowered: Callable[..., Any], golden: Callable[[Path, str], None]) -> None:
    def refuse(function: Any) -> None:
        lowered(function, *arguments(part))

    found: list[str] = []
    for call in CALLS:
        lines, unknown = [*damaged(call)], list[str]()
        for line, texts in zip(lines, of_each(lines, refuse), strict=True):
            name = line.rpartition(", ")[2].rpartition("(")[2].partition("=")[0]
            if len(texts) == 1 and texts[0].endswith(f"` has no parameter `{name}`"):
                unknown.append(name)
            else:
                found += [line, *(f"    {text}" for text in texts or ["nothing is said"])]
        found.append(f"    ... and no parameter {', '.join(unknown)}" if unknown else "    ... and nothing more")
    golden(Path(__file__).with_name("wrong_calls.err"), "\n".join(found))
