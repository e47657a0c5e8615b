"""What architectures lack: each dtype and operation on the last architecture without it and the first with it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from op_kernels import SAMPLES, Kernel, module_of
from xdsl.dialects.builtin import (
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    ModuleOp,
    bf16,
    f16,
    f32,
)
from xdsl.ir import Attribute, Region

from freehold.backend.bytecode.writer import write_bytecode
from freehold.backend.capabilities import lacking
from freehold.dialects.cuda_tile import EntryOp, ReturnOp, TileModuleOp, fnv8E5M3FNU
from freehold.dialects.cuda_tile.ops.atomics import AtomicRedViewTkoOp, AtomicRmwTkoOp
from freehold.dialects.location import location_of
from freehold.support.span import Span

Build = Callable[[Kernel], None]


def module(build: Build) -> ModuleOp:
    """A kernel, each of whose operations stands on a line of its own."""
    kernel = Kernel([])
    build(kernel)
    kernel.do(ReturnOp())
    entry = EntryOp("k", tuple(kernel.block.arg_types), Region(kernel.block))
    entry.location = location_of(Span.on_line("k.py", 1, 0, 1))
    for line, op in enumerate(kernel.block.ops, 2):
        op.location = location_of(Span.on_line("k.py", line, 0, 1))
    return ModuleOp([TileModuleOp("kernels", [entry])])


def said(build: Build, arch: str) -> list[tuple[str, str, int]]:
    """What is lacking, where it is, and the line of its first use."""
    found = lacking(write_bytecode(module(build)), arch, "kernel `k`")
    assert all((error.subject, error.arch) == ("kernel `k`", arch) for error in found)
    return [(error.what, error.where, error.place.line) for error in found if isinstance(error.place, Span)]


def constant(*elements: Attribute) -> Build:
    def build(k: Kernel) -> None:
        for element in elements:
            k.tile((4,), element)

    return build


def added_up(element: Attribute) -> Build:
    return lambda k: k.do(
        AtomicRedViewTkoOp(k.view(element), (k.zero(), k.zero()), "addf", k.tile((4, 2), element)),
    )


def added(element: Attribute) -> Build:
    return lambda k: k.do(AtomicRmwTkoOp(k.pointers(element), "addf", k.tile((4,), element)))


@pytest.mark.parametrize(
    ("build", "what", "first", "line"),
    [
        (constant(Float8E4M3FNType()), "`f8e4m3fn`", 89, 2),
        (constant(Float8E5M2Type()), "`f8e5m2`", 89, 2),
        (constant(Float8E8M0FNUType()), "`f8e8m0fnu`", 100, 2),
        (constant(Float4E2M1FNType()), "`f4e2m1fn`", 100, 2),
        (added_up(bf16), "sums of `bf16` in memory", 89, 8),
        (added(bf16), "sums of `bf16` in memory", 89, 8),
    ],
)
def test_what_is_there_from_some_architecture_on(build: Build, what: str, first: int, line: int):
    assert said(build, f"sm_{first - 1}") == [(what, f"from sm_{first} on", line)]
    assert said(build, "sm_80") == [(what, f"from sm_{first} on", line)]
    for number in (first, first + 1, 120):
        assert said(build, f"sm_{number}") == []


def test_what_did_not_stay():
    build = constant(f32, fnv8E5M3FNU)
    for arch in ("sm_80", "sm_106", "sm_108", "sm_120"):
        assert said(build, arch) == [("`f8e5m3fnu`", "on sm_107 alone", 3)]
    assert said(build, "sm_107") == []


@pytest.mark.parametrize("build", [constant(f16, bf16, f32), added(f16), added(f32), added_up(f32)])
def test_what_is_everywhere(build: Build):
    assert said(build, "sm_80") == []


def test_products_with_scales():
    code = write_bytecode(module_of([next(s for s in SAMPLES if s.mnemonic == "mmaf_scaled")]))
    product = ("`mma_scaled`", "sm_100")
    for arch, found in (
        ("sm_88", {product, ("`f8e4m3fn`", "sm_89"), ("`f8e8m0fnu`", "sm_100")}),
        ("sm_99", {product, ("`f8e8m0fnu`", "sm_100")}),
        ("sm_100", set[tuple[str, str]]()),
    ):
        assert {(error.what, error.first) for error in lacking(code, arch, "a module")} == found


def test_each_is_told_once_where_it_is_first():
    several = constant(f32, Float8E5M2Type(), Float4E2M1FNType(), Float8E5M2Type(), Float4E2M1FNType())
    assert said(several, "sm_80") == [
        ("`f8e5m2`", "from sm_89 on", 3),
        ("`f4e2m1fn`", "from sm_100 on", 4),
    ]
