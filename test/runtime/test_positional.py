"""How the arguments of a call go to parameters: what is taken, what is missing, and what was meant, for each number of
arguments with each kind of keyword."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Const, Mut, Out, Ref
from freehold.runtime.base.call_site import CallSite
from freehold.runtime.launch.positional import positional
from freehold.support.diagnostic import Rejected


@fh.kernel
def outputs(out: Out["N"], x: Ref["N"], scale: float, bias: Ref["N"] | None = None, C: Const[int] = 4):
    out.store(x.load_like(out) * scale * C)


@fh.kernel
def changed(x: Mut["N"], other: Mut["N"], n: int = 3):
    x.store(x.load() * n)
    other.store(other.load())


@fh.kernel
def read(x: Ref["N"], n: int):
    fh.print(x.load(n, 4))


GIVEN = ("a0", "a1", "a2", "a3", "a4", "a5", "a6")
KEYWORDS: list[dict[str, Any]] = [
    {}, {"scale": 2.0}, {"n": 1}, {"x": "k"}, {"C": 8}, {"bias": None}, {"out": "k"}, {"x": "k", "n": 1}, {"scal": 2.0},
    {"outt": "k", "scal": 2.0}, {"xyzzy": 1}, {"xyzzy": 1, "plugh": 2}, {"grid": (1,)}, {"num_programs": 4},
    {"stream": 0}, {"num_warps": 4}, {"num_stages": 2}, {"occupancy": 2}, {"latency": 3}, {"num_ctas": 2}, {"y": "k"},
    {"othr": "k", "n": 2},
]  # fmt: skip


def test_what_becomes_of_each_call(golden: Callable[[Path, str], None]) -> None:
    found: list[str] = []
    for kernel in (outputs, changed, read):
        signature = kernel.signature
        found.append(f"{signature.kernel}({', '.join(p.name for p in signature.parameters)})")
        for keywords in KEYWORDS:
            for count in range(len(signature.parameters) + 2):
                call = ", ".join([*GIVEN[:count], *(f"{k}={v!r}" for k, v in keywords.items())])
                try:
                    taken = positional(signature, GIVEN[:count], keywords, CallSite())
                    said = f"is ({', '.join(map(str, taken))})"
                except Rejected as rejected:
                    reports = [error.report() for error in rejected.errors]
                    said = "; ".join(" | ".join((r.title, *r.helps)) for r in reports)
                found.append(f"  ({call}) {said}")
    golden(Path(__file__).with_name("positional.txt"), "\n".join(found))


def test_who_cuts_a_tensor_himself_has_forgotten_no_output() -> None:
    out = np.zeros(8, np.float32)
    for given, helps in (((out, 2.0), 1), ((fh.partition(out, 4), 2.0), 0), ((out,), 0)):
        with pytest.raises(Rejected) as caught:
            positional(outputs.signature, given, {}, CallSite())
        assert len(caught.value.errors[0].report().helps) == helps
