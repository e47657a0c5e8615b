"""What is found on disk of a compiled kernel, and what is compiled anew. Nothing is assembled."""

# Stand-ins are of no type that checkers know.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import enum
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Out, Ref
from freehold.backend import cache
from freehold.passes.pipeline import contract
from freehold.runtime.variants import build
from freehold.runtime.variants.build import Options


@fh.kernel
def copied(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y))


@pytest.fixture(scope="module")
def bound() -> Any:
    return copied.bound(fh.partition(np.zeros(8, np.float32), 8), np.zeros(8, np.float32))


@pytest.fixture(scope="module")
def found() -> Any:
    """A launch contract as it is kept."""
    return contract(copied.verify(fh.partition(np.zeros(8, np.float32), 8), np.zeros(8, np.float32)))


class Compiled(Exception):
    """What stands for compiling a kernel."""


def kept(monkeypatch: pytest.MonkeyPatch, entry: cache.Entry | None, assembler: str | None, store: bool = True) -> Any:
    """A cache that holds an entry, under a key that is written down."""
    asked: list[bytes] = []

    def load(key: bytes) -> cache.Entry | None:
        asked.append(key)
        return entry

    def compiling(*_: Any) -> Any:
        raise Compiled

    monkeypatch.setattr(cache, "open_cache", lambda: SimpleNamespace(load=load) if store else None)
    monkeypatch.setattr(cache, "identity", lambda: assembler)
    monkeypatch.setattr(build, "verified", compiling)
    return asked


@pytest.mark.parametrize(
    ("made_by", "assembler", "known", "is_found"),
    [
        ("one", "one", None, True),
        ("one", "another", None, False),
        ("one", None, None, True),  # what an earlier assembler made is all that can be had
        ("one", "one", "the same", True),
        ("one", "one", "another", False),
        ("nobody", "one", None, False),
        ("damaged", "one", None, False),
    ],
)
def test_what_is_found_on_disk(
    made_by: str, assembler: str | None, known: str | None, is_found: bool, bound: Any, found: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    text = "{}" if made_by == "damaged" else found.to_json()
    entry = None if made_by == "nobody" else cache.Entry(text, b"a cubin", "one")
    asked = kept(monkeypatch, entry, assembler)
    digest = found.verified if known == "the same" else known

    def built() -> Any:
        return build.build(copied.function, bound.specialisation, copied.options, "sm_90", digest)

    if is_found:
        product = built()
        assert (product.cubin, product.contract) == (b"a cubin", found)
    else:
        with pytest.raises(Compiled):
            built()
    assert len(asked) == 1


def test_without_a_cache_everything_is_compiled(bound: Any, found: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = kept(monkeypatch, cache.Entry(found.to_json(), b"a cubin", "one"), "one", store=False)
    with pytest.raises(Compiled):
        build.build(copied.function, bound.specialisation, copied.options, "sm_90")
    assert not build.is_kept(copied.function, bound.specialisation, copied.options, "sm_90")
    assert asked == []


def test_what_counts_as_kept(bound: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = cache.Entry("", b"", "one")
    for there, assembler, is_kept in ((entry, "one", True), (entry, "another", False), (None, "one", False)):
        kept(monkeypatch, there, assembler)
        assert build.is_kept(copied.function, bound.specialisation, copied.options, "sm_90") is is_kept


def test_code_of_each_kind_has_a_key_of_its_own(bound: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = kept(monkeypatch, None, "one")
    other = copied.bound(fh.partition(np.zeros(8, np.float16), 8), np.zeros(8, np.float16))
    for specialisation, options, arch in (
        (bound.specialisation, copied.options, "sm_90"),
        (bound.specialisation, copied.options, "sm_100"),
        (bound.specialisation, copied.options._replace(math="fast"), "sm_90"),
        (other.specialisation, copied.options, "sm_90"),
    ):
        build.is_kept(copied.function, specialisation, options, arch)
    assert len(set(asked)) == 4
    build.is_kept(copied.function, bound.specialisation, copied.options, "sm_90")
    assert asked[4] == asked[0]


@pytest.mark.parametrize(
    ("arch", "overlap", "waits"),
    [("sm_90", (), True), ("sm_90", ("x",), True), ("sm_90", None, False), ("sm_89", (), False), ("sm_80", (), False),
     ("sm_100", (), True), ("sm_120", ("x",), True)],
)  # fmt: skip
def test_who_waits_for_the_kernel_in_front(arch: str, overlap: tuple[str, ...] | None, waits: bool) -> None:
    assert Options(overlap=overlap).waits(arch) is waits


def test_hints_that_were_chosen_leave_the_kernels_own() -> None:
    own = Options(hints=(("occupancy", 2),))
    assert own.hinted(()) is own
    chosen = (("num_worker_warps", 8), ("occupancy", 4))
    assert own.hinted(chosen).hints == (("num_worker_warps", 8), ("occupancy", 2))
    assert Options().hinted(chosen).hints == chosen


class Mode(enum.Enum):
    FAST = 1
    SLOW = "1"


class Level(enum.IntEnum):
    ONE = 1


class Name(str):
    """Text of a class of its own."""


STABLE: list[Any] = [
    None, True, 1, 1.0, -0.0, 0.0, float("inf"), float("nan"), "1", b"1", "", Mode.FAST, Mode.SLOW, Level.ONE, fh.f32,
    fh.f16, (), (1,), (1.0,), ((1,),), (1, 1), ("1, int 1",), (None, Mode.FAST), fh.choose(1, 2), fh.choose(1, 4),
    fh.choose(1), fh.choose(), fh.Grid(2), fh.Grid(2, 2), fh.Grid("n"), fh.Grid(2, blocks=fh.PERSISTENT),
]  # fmt: skip


def test_texts_that_tell_values_of_constants_apart() -> None:
    texts = [build.stable_text(value) for value in STABLE]
    assert None not in texts
    assert len({*texts}) == len(STABLE), texts
    assert texts[STABLE.index(None)] == "NoneType None"
    assert [build.stable_text(v) for v in (Mode.FAST, (1.5, b"a"))] == [
        f"{__name__}.Mode.FAST = int 1",
        "(float 0x1.8000000000000p+0, bytes b'a')",
    ]
    class_of_its_own = [Name("1"), np.float64(1), np.int64(1), object(), [1], {}, len, Mode]
    for value in class_of_its_own:  # what another process would not know
        assert [build.stable_text(v) for v in (value, (1, value), ((value,), 2))] == [None] * 3


@fh.kernel
def moved(y: Out["N"], x: Ref["N"], by: fh.i32):
    y.store(x.load_like(y) + by.astype(y.dtype))


@fh.kernel
def moved_back(y: Out["N"], x: Ref["N"], by: fh.i32):
    y.store(x.load_like(y) - by.astype(y.dtype))


def test_bytecode_that_does_something_else_is_refused() -> None:
    """Before it is assembled: each kernel's own is taken, and the other's is not."""
    y, x = np.zeros((2, 64), np.float32)
    modules = [kernel.verify(fh.partition(y, 16), x, 3) for kernel in (moved, moved_back)]
    codes = [build.bytecode(module.clone(), Options()) for module in modules]
    for n, module in enumerate(modules):
        build.validate(module, codes[n], Options())
        with pytest.raises(fh.Rejected) as caught:
            build.validate(module, codes[1 - n], Options())
        assert caught.value.codes == ("O140",)
