"""Hints that the assembler passes over: which values each takes, on which operations, and how that is told."""

from __future__ import annotations

import warnings

import pytest
from xdsl.dialects.builtin import ModuleOp

from freehold.passes.rewriting import walk
from freehold.passes.warn_hints import ARCHITECTURES, WarnHintsPass, unsupported_hints
from freehold.support.diagnostic import KernelWarning, Rejected
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

TEXT = """
cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>) optimization_hints=<HINTS> {
    %v = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %t = make_partition_view %v : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
    %0 = constant <i32: 0> : tile<i32>
    %x, %k = load_view_tko weak %t[%0] LOAD : partition_view<tile=(64), \
tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
    return
  }
}
"""


def module(hints: str, load: str = "") -> ModuleOp:
    text = TEXT.replace("HINTS", hints).replace("LOAD", load and f"optimization_hints = <{load}>")
    return parse_module(make_context(), text, "test.mlir")


def told(hints: str, load: str = "") -> list[tuple[str, str]]:
    return [each for op in walk(module(hints, load)) for each in unsupported_hints(op)]


def of(hint: str, value: int | str, arch: str = "sm_90") -> str:
    return f"{arch} = {{{hint} = {value}}}"


@pytest.mark.parametrize(
    ("hint", "taken", "refused", "words"),
    [
        ("num_cta_in_cga", [1, 2, 4, 8, 16], [0, 3, 32, -1], "it is 1, 2, 4, 8 or 16"),
        ("num_worker_warps_per_cta", [1, 2, 4, 8, 16, 32], [0, 3, 64], "it is 1, 2, 4, 8, 16 or 32"),
        ("occupancy", [1, 2, 31, 32], [0, 33, -1], "it is an integer from 1 to 32"),
    ],
)
def test_hints_of_kernels(hint: str, taken: list[int], refused: list[int], words: str) -> None:
    assert [told(of(hint, value)) for value in taken] == [[]] * len(taken)
    assert [told(of(hint, value)) for value in refused] == [[(f"sm_90.{hint}", words)]] * len(refused)
    assert told(of(hint, "true")) == [(f"sm_90.{hint}", words)]
    assert told(of(hint, '"1"')) == [(f"sm_90.{hint}", words)]
    assert told(of(hint, taken[0], "default")) == []


@pytest.mark.parametrize("arch", ["sm_80", "sm_86", "sm_87", "sm_88", "sm_89"])
def test_clusters_are_of_later_architectures(arch: str) -> None:
    assert told(of("num_cta_in_cga", 1, arch)) == []
    assert told(of("num_cta_in_cga", 2, arch)) == [(f"{arch}.num_cta_in_cga", f"it is 1, for {arch} has no clusters")]
    assert told(of("occupancy", 2, arch)) == []


def test_architectures() -> None:
    numbers = sorted(int(arch.removeprefix("sm_")) for arch in ARCHITECTURES - {"default"})
    assert numbers == [80, 86, 87, 88, 89, 90, 100, 103, 107, 110, 120, 121]
    assert all(told(of("occupancy", 2, arch)) == [] for arch in ARCHITECTURES)
    why = "hints stand under `default` or an architecture such as `sm_90`"
    assert told(f"{of('occupancy', 99, 'sm_75')}, {of('occupancy', 99)}") == [
        ("sm_75", why),
        ("sm_90.occupancy", "it is an integer from 1 to 32"),
    ]


def test_hints_of_accesses() -> None:
    good = of("occupancy", 1)
    assert [told(good, of("latency", n)) for n in (1, 10)] == [[], []]
    assert [told(good, of("allow_tma", truth)) for truth in ("true", "false")] == [[], []]
    assert told(good, of("latency", 0)) == [("sm_90.latency", "it is an integer from 1 to 10")]
    assert told(good, of("latency", 11)) == [("sm_90.latency", "it is an integer from 1 to 10")]
    assert told(good, of("allow_tma", 1)) == [("sm_90.allow_tma", "it is `true` or `false`")]
    assert told(good, of("occupancy", 1)) == [("sm_90.occupancy", "`load_view_tko` takes latency and allow_tma")]
    words = "`entry` takes num_cta_in_cga and num_worker_warps_per_cta and occupancy"
    assert told(of("latency", 1)) == [("sm_90.latency", words)]


def test_each_is_warned_of_or_refused() -> None:
    bad = module(of("occupancy", 0), of("latency", 99))
    with pytest.warns(KernelWarning) as caught:
        WarnHintsPass().apply(make_context(), bad)
    assert [str(w.message).splitlines()[0] for w in caught] == [
        "warning[O160]: the hint `sm_90.occupancy` is not followed",
        "warning[O160]: the hint `sm_90.latency` is not followed",
    ]
    assert [(w.filename, w.lineno) for w in caught] == [("test.mlir", 3), ("test.mlir", 7)]
    with pytest.raises(Rejected) as refused:
        WarnHintsPass(refuse=True).apply(make_context(), bad)
    assert [error.code for error in refused.value.errors] == ["O161", "O161"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        WarnHintsPass(refuse=True).apply(make_context(), module(of("occupancy", 1)))
