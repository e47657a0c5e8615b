"""Hints for the assembler: by architecture, as entry points carry them, and what is said of others."""

# Stand-ins are of no type that checkers know.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false, reportPrivateUsage=false

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Out, Ref, Rejected
from freehold.backend.bytecode.reader import read_bytecode
from freehold.backend.errors.assembler import AssemblerCrashed, AssemblerRefused
from freehold.passes import move_by_threads
from freehold.passes.validate_translation import entry_of
from freehold.runtime.variants import build, hints, without_hints
from freehold.support.diagnostic import Error

WARPS, CTAS = "num_worker_warps", "num_cta_in_cga"
BY_ARCH = {"sm_90": 2, "default": 1}
LISTED = (
    "`num_worker_warps` (1, 2, 4, 8, 16, 32), `occupancy` (1 to 32), `num_cta_in_cga` (1, 2, 4, 8, 16), "
    "`allow_tma` (`True` or `False`), `begin_early` (`True` or `False`)"
)


def refused(function: Any, *arguments: Any) -> str:
    with pytest.raises(fh.Rejected) as caught:
        function(*arguments)
    assert caught.value.codes == ("O242",)
    return str(caught.value)


def test_hints_are_kept_sorted_and_given_back() -> None:
    said: dict[str, Any] = {"occupancy": BY_ARCH, WARPS: 8, "allow_tma": False}
    kept = hints.checked("k", said)
    assert kept == (("allow_tma", False), (WARPS, 8), ("occupancy", (("default", 1), ("sm_90", 2))))
    assert hints.given(kept) == said
    assert hints.checked("k", {}) == ()


@pytest.mark.parametrize(
    ("name", "values", "none"),
    [
        (WARPS, (1, 2, 4, 8, 16, 32), (0, 3, 64, True, 2.0, "4")),
        ("occupancy", (1, 2, 31, 32), (0, 33, -1, True, None)),
        (CTAS, (1, 2, 4, 8, 16), (0, 3, 32, True)), ("allow_tma", (True, False), (0, 1, 2)),
        ("begin_early", (True, False), (0, 1, "yes")),
    ],
)  # fmt: skip
def test_values_that_there_are(name: str, values: tuple[Any, ...], none: tuple[Any, ...]) -> None:
    for value in values:
        assert hints.checked("k", {name: value}) == ((name, value),)
        assert hints.checked("k", {name: {"sm_90": value}}) == ((name, (("sm_90", value),)),)
    for value in none:
        for given in (value, {"default": value}):
            said = refused(hints.checked, "kernel_name", {name: given})
            assert "there is no such value" in said
            assert "kernel_name" in said
            assert LISTED in " ".join(said.split())


@pytest.mark.parametrize("arch", ["sm90", "sm_", "sm_90a", "h100", "", "xsm_90"])
def test_architectures_are_named_as_theirs(arch: str) -> None:
    assert f"`{arch}` is no architecture, such as `sm_90`, nor `default`" in refused(
        hints.checked, "k", {"occupancy": {arch: 2}}
    )


@pytest.mark.parametrize(
    ("name", "help"),
    [
        ("ocupancy", "occupancy"), ("num_warps", WARPS), ("num_ctas", CTAS), ("num_stages", "latency"), ("zzzz", None),
    ],
)  # fmt: skip
def test_names_that_there_are_not(name: str, help: str | None) -> None:
    said = refused(hints.checked, "k", {name: 2})
    assert "there is no such hint" in said
    helps = said[said.index("= help") :] if "= help" in said else ""
    assert (help in helps) if help else "did you mean" not in said


def test_hints_are_no_keywords() -> None:
    for name, value in (("occupancy", 2), ("num_warps", 4)):
        said = refused(hints.refuse_as_keywords, "k", {name: value})
        assert "it is no keyword of `fh.kernel`" in said
        assert "hints=" in said
    with pytest.raises(fh.Rejected, match="got an unexpected keyword argument 'zzzz'") as caught:
        hints.refuse_as_keywords("k", {"zzzz": 1})
    assert caught.value.codes == ("O045",)
    hints.refuse_as_keywords("k", {})


def test_hints_for_one_architecture() -> None:
    kept = hints.checked("k", {"occupancy": BY_ARCH, WARPS: {"sm_100": 8}, "allow_tma": False})
    assert hints.of(kept, "sm_90") == {"occupancy": 2, "allow_tma": False}
    assert hints.of(kept, "sm_100") == {"occupancy": 1, "allow_tma": False, WARPS: 8}
    assert hints.of(kept, "sm_120") == {"occupancy": 1, "allow_tma": False}


def test_what_entry_points_carry() -> None:
    kept = hints.checked("k", {"occupancy": BY_ARCH, WARPS: {"sm_100": 8}, "allow_tma": False})
    warps = "num_worker_warps_per_cta"
    assert hints.in_tile_ir(kept) == {
        "default": {"occupancy": 1}, "sm_90": {"occupancy": 2}, "sm_100": {"occupancy": 1, warps: 8},
    }  # fmt: skip
    assert [*hints.in_tile_ir(kept)] == ["default", "sm_100", "sm_90"]
    assert hints.in_tile_ir(hints.checked("k", {"allow_tma": False})) == {}  # of loads, and no entry point's


@pytest.mark.parametrize(
    ("given", "threads"),
    [({}, []), ({"allow_tma": True}, []), ({"allow_tma": False}, ["default"]),
     ({"allow_tma": {"sm_90": False, "sm_100": True}}, ["sm_90"])],
)  # fmt: skip
def test_who_loads_by_threads(given: dict[str, Any], threads: list[str]) -> None:
    assert hints.by_threads(hints.checked("k", given)) == threads


def _refused(kernel: str, arch: str) -> Error:
    return AssemblerRefused(None, kernel, arch, "no", 5)


def _crashed(kernel: str, arch: str) -> Error:
    return AssemblerCrashed(None, kernel, "SIGSEGV", arch)


_NAMES = "occupancy", "num_worker_warps_per_cta"


@fh.kernel(hints={"occupancy": {"sm_90": 3, "default": 1}, "num_worker_warps": 8})
def hinted_twice(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y))


@pytest.mark.parametrize(
    ("fails_with", "told"),
    [
        ({"occupancy"}, "leave `occupancy=3` out of the kernel's hints: without it the assembler takes it"),
        ({"num_worker_warps_per_cta"}, "leave `num_worker_warps=8` out of the kernel's hints: without it"),
        ({"none"}, None),
        (None, "leave `occupancy=3` and `num_worker_warps=8` out of the kernel's hints: without them"),
    ],
)
@pytest.mark.parametrize("fails", [_refused, _crashed])
def test_hints_that_the_assembler_fails_with_are_found_out(
    fails_with: set[str] | None, told: str | None, fails: Callable[[str, str], Error], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An assembler that fails with one hint, with any, or always."""
    taken = b"\x7fELF"

    def assembled(code: bytes, arch: str, kernel: str, meanwhile: Callable[[], None] | None = None) -> bytes:
        hints = entry_of(read_bytecode(code)).optimization_hints
        given = {name for name in _NAMES if hints is not None and name in str(hints)}
        if fails_with == {"none"} or (given if fails_with is None else given & fails_with):
            raise Rejected([fails(kernel, arch)], kernel)
        return taken

    monkeypatch.setattr(build, "assembled", assembled)
    x = np.zeros(64, np.float32)
    module = hinted_twice.verify(fh.partition(x.copy(), 64), x)
    emitted = build.emitted(module, hinted_twice.options)
    with pytest.raises(Rejected) as caught:
        build.cubin_of(emitted, "sm_90", "hinted_twice")
    text = str(caught.value)
    assert (told in text) if told else ("leave" not in text)
    assert "occupancy" in str(entry_of(emitted).optimization_hints), "the module is as it was"


def test_hints_are_left_out_in_an_order_and_for_their_architecture() -> None:
    @fh.kernel(hints={"num_worker_warps": 8, "num_cta_in_cga": {"sm_100": 2}, "occupancy": {"sm_90": 3, "default": 1}})
    def hinted(y: Out["N"], x: Ref["N"]):
        y.store(x.load_like(y))

    x = np.zeros(64, np.float32)
    emitted = build.emitted(hinted.verify(fh.partition(x.copy(), 64), x), hinted.options)
    for arch, wanted in (
        ("sm_90", [{"occupancy": 3}, {"num_worker_warps_per_cta": 8}, {"occupancy": 3, "num_worker_warps_per_cta": 8}]),
        ("sm_100", [{"occupancy": 1}, {"num_cta_in_cga": 2}, {"num_worker_warps_per_cta": 8},
                    {"occupancy": 1, "num_cta_in_cga": 2, "num_worker_warps_per_cta": 8}]),
    ):  # fmt: skip
        left_out = list[dict[str, int]]()
        for names, module in without_hints._attempts(emitted, arch):
            left_out.append(names)
            text = str(entry_of(module).optimization_hints)
            assert not any(name in text for name in names)
        assert left_out == wanted


@pytest.mark.parametrize("moves", [(False, False), (True, False), (False, True), (True, True)])
def test_code_that_is_as_before_is_not_assembled_again(
    moves: tuple[bool, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    x, assembled, asked = np.zeros(64, np.float32), list[bytes](), list[bool]()
    emitted = build.emitted(hinted_twice.verify(fh.partition(x.copy(), 64), x), hinted_twice.options)
    never = AssemblerCrashed(None, "k", "SIGSEGV", "sm_90")
    monkeypatch.setattr(build, "NEVER_ENDS", never.code)
    monkeypatch.setattr(without_hints, "FAILS", ())

    def refused(code: bytes, *_: Any) -> bytes:
        assembled.append(code)
        raise Rejected([never], "k")

    def move(module: Any, arch: str, *, stores: bool) -> bool:
        asked.append(stores)
        return moves[not stores]

    monkeypatch.setattr(build, "assembled", refused)
    monkeypatch.setattr(move_by_threads, "move_by_threads", move)
    with pytest.raises(Rejected):
        build.cubin_of(emitted, "sm_90", "k")
    assert (len(assembled), asked) == (1 + sum(moves), [True, False])


def test_fast_mathematics_is_a_rewrite_of_a_copy() -> None:
    @fh.kernel
    def quotient(y: Out[fh.f32, "N"], x: Ref[fh.f32, "N"]):
        y.store(1.0 / x.load_like(y) + fh.exp(x.load_like(y)))

    x = np.ones(64, np.float32)
    module = quotient.verify(fh.partition(x.copy(), 64), x)
    before = str(module)
    assert str(build.optimised(module)) == before
    fast = str(build.optimised(module, "fast"))
    assert fast != before == str(module)
    assert "approx" in fast


def test_python_is_part_of_the_key_of_a_variant(monkeypatch: pytest.MonkeyPatch) -> None:
    inner: Any = build

    def key(fingerprint: bytes = b"k", rest: str = "rest") -> bytes:
        return inner.key_of(hashlib.sha256(fingerprint), (), [rest])

    one = key()
    assert one == key()
    assert one not in (key(b"other"), key(rest="others"))
    monkeypatch.setattr(sys.implementation, "cache_tag", "another-1")
    assert key() != one
