"""What `Kernel.explain` says: that it is there, that it is true, and that it fits a terminal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from figures import kept

import freehold as fh
from freehold import Acc, Const, Mut, Out, Raw, Ref, f32, i32
from freehold.backend.cubin import Resources
from freehold.passes.launch_contract import kernel_of
from freehold.passes.listing import listing
from freehold.passes.pipeline import convert
from freehold.runtime.jit import explain
from freehold.support.diagnostic import Rejected
from freehold.support.errors import WrongCall

HERE = Path(__file__).parent
inner: Any = explain


@fh.kernel
def gemm(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], BK: Const[int] = 16):
    m, n = c.index
    acc = fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=1, size=BK):
        acc = fh.mma(a.load((m, k), (c.tile[0], BK)), b.load((k, n), (BK, c.tile[1])), acc)
    c.store(acc.astype(c.dtype))


def halved(t: Any, total: Any) -> Any:
    half = t * 0.5
    return half + fh.sum(total, axis=0)


@fh.kernel
def branches(y: Mut["N"], x: Ref["N"], n: i32):
    # A line without an operation, and a line that is much longer than what there is room for on the left of a terminal
    s = halved(y.load(), x.load_like(y))
    if n > 3:
        s = halved(s, s)
    else:
        s = fh.maximum(s, 0.0)
    y.store(s)


@fh.kernel
def tickets(h: Acc["B"], count: Raw[i32, 1], x: Ref["N"]):
    h.add_at(1.0, x.load().astype(i32))
    with fh.unsafe("each block takes one ticket"):
        count.atomic_add(1, 0)


def product_arguments(m: int = 100, n: int = 96, k: int = 50) -> tuple[Any, ...]:
    a, b, c = (np.zeros(shape, np.float32) for shape in ((m, k), (k, n), (m, n)))
    return fh.partition(c, (32, 64)), a, b


def vectors() -> tuple[Any, ...]:
    y = np.zeros(1000, np.float32)
    return fh.partition(y, 64), y.copy(), 7


@pytest.fixture(scope="module", autouse=True)
def figures_are_kept() -> Iterator[None]:
    """What is told of code are its figures."""
    with kept():
        yield


def test_what_is_masked_and_what_is_unsafe():
    arrays = np.zeros(5, np.float32), np.zeros(1, np.int32), fh.partition(np.zeros(100, np.float32), 16)
    said = tickets.explain(*arrays, arch=())
    assert "obligations, 2 proved, 1 masked, and 1 unsafe access" in said
    assert "update of `h`: in bounds along axis 0: masked where not (indices are any number)" in said
    assert 'unsafe atomic update of `count`: not proved: "each block takes one ticket"' in " ".join(said.split())
    assert "`h` updated <= " in " ".join(said.split())


def test_it_is_text_that_fits_a_terminal():
    said = gemm.explain(*product_arguments(), arch=(), ir=True)
    assert isinstance(said, str)
    assert said.splitlines() == str(said).splitlines() == repr(said).splitlines()
    assert max(map(len, said.splitlines())) <= 120
    assert "9 obligations, 9 proved" in said
    assert "load from `a`: in bounds along axis 1: proved" in said


def test_what_is_moved_and_computed():
    said = gemm.explain(*product_arguments(), arch=())
    assert said.values == {"M": 100, "N": 96, "K": 50}
    assert "8 regions = ceildiv(M, 32) * ceildiv(N, 64), one block each" in said
    (row,) = (line for line in said.splitlines() if line.startswith("  `a` read "))
    assert row.split()[2:8] == ["39.06", "KiB", "2", "x", "its", "size"]
    assert "= K * M * ceildiv(N, 64) * 4" in said
    flops = 2 * 128 * 128 * 64
    assert said.cost.matrix.launch.evaluate(said.values) == flops
    moved = 4 * (100 * 50 * 2 + 50 * 96 * 4 + 100 * 96)
    assert f"together {moved / 1024:.4g} KiB, {flops / moved:.4g} flops a byte" in said


def test_scalars_have_their_values_and_bounds_their_mark():
    said = branches.explain(*vectors(), arch=())
    assert said.values == {"N": 1000, "n": 7}
    assert "where N = 1000, n = 7" in said
    assert "at most where it says <=" in said
    assert "other flops  <= " in said


def test_resources_by_architecture():
    said = gemm.explain(*product_arguments(), arch=("sm_80", "sm_100"))
    for arch in ("sm_80", "sm_100"):
        found = said.resources[arch]
        assert isinstance(found, Resources)
        assert found.kernel == "gemm"
        (row,) = (line for line in said.splitlines() if line.startswith(f"  {arch}"))
        assert str(found.registers) in row.split()
        assert str(found.thread_count) in row.split()


def test_an_architecture_that_is_none_is_a_line():
    said = branches.explain(*vectors(), arch="sm_12")
    assert said.resources == {"sm_12": "the Tile IR assembler has no architecture `sm_12` (O407)"}
    assert "GPU code: none\n  the Tile IR assembler has no architecture `sm_12` (O407)" in said


def test_a_machine_without_an_assembler(monkeypatch: pytest.MonkeyPatch):
    from freehold.backend import assembler

    missing = assembler.AssemblerMissing(None, "tileiras", ("here",))

    def assemble(*_: Any, **__: Any) -> bytes:
        raise Rejected([missing])

    monkeypatch.setenv("FREEHOLD_CACHE_DIR", "")
    monkeypatch.setattr(assembler, "assemble", assemble)
    said = gemm.explain(*product_arguments(), 32)
    assert "GPU code: none\n  no Tile IR assembler (`tileiras`) was found (O401)" in said
    assert "9 proved" in said


def test_a_kernel_that_is_refused_is_not_explained():
    with pytest.raises(Rejected):
        gemm.explain(*product_arguments()[:2], np.zeros((51, 96), np.float32))


def test_operations_beside_their_lines(golden: Callable[[Path, str], None]):
    text: list[str] = []
    for kernel, arguments in ((gemm, product_arguments()), (branches, vectors())):
        module = kernel.verify(*arguments)
        entry = next(op for op in convert(module).walk() if op.name == "cuda_tile.entry")
        text += [*listing(kernel_of(module)), "", *listing(entry), ""]
    golden(HERE / "listing.txt", "\n".join(text))


def test_every_operation_is_listed_once():
    module = branches.verify(*vectors())
    text = "\n".join(listing(kernel_of(module)))
    for name in ("load", "store", "partition", "borrow", "region", "maxf", "cmpi", "if"):
        count = sum(op.name.rpartition(".")[2] == name for op in module.walk())
        shown = sum(f" {name} " in f"{line} " for line in (row.rpartition("|")[2] for row in text.splitlines()))
        assert (name, shown) == (name, count)
    assert f"({Path(__file__).name}:" in text


@fh.kernel
def picked(y: Out["N"], h: Acc[i32, 8], x: Ref["M"]):
    y.store(x.gather(fh.arange(8) + y.start[0]))
    h.add_at(fh.full((8,), 1, i32), fh.arange(8))


def test_accesses_by_element_are_shown_with_their_places() -> None:
    y, h, x = np.zeros(16, np.float32), np.zeros(8, np.int32), np.zeros(16, np.float32)
    said = picked.explain(fh.partition(y, 8), h, x, ir=True)
    assert re.search(r"= gather %\S+\[%\S+\]", said)
    assert re.search(r"accumulate_at %\S+ to %\S+\[%\S+\]", said)


def costs(explained: Any) -> list[str]:
    """The lines of the section that says what costs time."""
    _, _, rest = str(explained).partition("what costs time, or does nothing\n")
    return rest.partition("\n\n")[0].splitlines()


def test_arrays_that_lie_badly_are_told() -> None:
    c, a, b = product_arguments(k=50)
    wide = np.zeros((50, 192), np.float32)
    assert costs(gemm.explain(c, a, b, arch=())) == [
        "  `a`: the next along axis 0 begins at no multiple of 16 bytes, so it is moved in small pieces"
    ]
    c, a, b = product_arguments(k=52)
    assert costs(gemm.explain(c, a, b, arch=())) == []
    at_4 = np.zeros(101 * 52, np.float32)[1:5201].reshape(100, 52)
    assert "`a`: it begins at no multiple of 16 bytes" in costs(gemm.explain(c, at_4, b, arch=()))[0]
    c, a, _ = product_arguments(k=50)
    (_, second) = costs(gemm.explain(c, a, wide[:, ::2], arch=()))
    assert second == "  no axis of `b` is contiguous: its elements are moved one by one"


def test_registers_that_do_not_suffice_are_told_with_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    def spilling(*_: Any) -> dict[str, Resources]:
        return {"sm_90": Resources("gemm", 255, 0, 64, (128, 1, 1), None, 528, 4096, 7, 9)}

    monkeypatch.setattr("freehold.runtime.jit.explain._all_resources", spilling)
    c, a, b = product_arguments(k=52)
    assert costs(gemm.explain(c, a, b)) == ["  registers do not suffice on sm_90: values go to local memory"]


# --- Its parts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "size", "count"),
    [
        (0, "0 B", "0"), (999, "999 B", "999"), (1000, "1000 B", "1 k"), (1023, "1023 B", "1.023 k"),
        (1024, "1 KiB", "1.024 k"), (1536, "1.5 KiB", "1.536 k"), (10**6, "976.6 KiB", "1 M"),
        (2**20, "1 MiB", "1.049 M"),
        (10**9, "953.7 MiB", "1 G"), (2**30, "1 GiB", "1.074 G"), (10**12, "931.3 GiB", "1 T"),
        (2**40, "1 TiB", "1.1 T"),
        (10**15, "909.5 TiB", "1 P"), (2**50, "1024 TiB", "1.126 P"), (5 * 10**18, "4.547e+06 TiB", "5000 P"),
    ],
)  # fmt: skip
def test_numbers_have_units(number: int, size: str, count: str) -> None:
    assert (inner._bytes(number), inner._count(number)) == (size, count)


def taken(
    threads: tuple[int, int, int] | None = (128, 2, 1), stack: int = 0, stores: int = 0, loads: int = 0
) -> Resources:
    return Resources("gemm", 40, 2048, stack, threads, None, 528, 4096, stores, loads)


HEAD = "GPU code: registers and stack of a thread, shared memory of a block"


@pytest.mark.parametrize(
    ("found", "lines"),
    [
        (
            {"sm_90": taken(), "sm_100": "no such", "sm_120": taken(None, 16, 3, 4)},
            [
                HEAD,
                "          registers  stack  local stores, loads  shared  threads   code",
                "  sm_90          40    0 B                 0, 0   2 KiB      256  4 KiB",
                "  sm_120         40   16 B                 3, 4   2 KiB           4 KiB",
                "  sm_100: no such",
            ],
        ),
        ({"sm_90": "no such", "sm_100": "no such"}, ["GPU code: none", "  no such"]),
        ({"sm_90": "no such", "sm_100": "another"}, ["GPU code: none", "  sm_90: no such", "  sm_100: another"]),
        (
            {"sm_90": "word " * 30},
            ["GPU code: none", "  word" + " word" * 22, "    word" + " word" * 6],
        ),
    ],
)
def test_what_code_takes_is_a_table(found: dict[str, Any], lines: list[str]) -> None:
    assert [*inner._resources(found)] == lines


def test_where_registers_do_not_suffice() -> None:
    found = {"sm_80": taken(stack=4), "sm_90": taken(), "sm_100": "no such", "sm_120": taken(stack=16)}
    assert [*inner._spilled(found)] == ["  registers do not suffice on sm_80, sm_120: values go to local memory"]
    assert [*inner._spilled({"sm_90": taken(), "sm_100": "no such"})] == []


COLUMNS = ("", "launch", "", "a region")


def test_amounts_are_a_table_with_their_terms() -> None:
    rows = [("`a` read", "1 KiB", "2 x its size", "64 B"), ("flops", "<= 3 k", "", "5")]
    assert [*inner._table(COLUMNS, rows, ["N * 4", "M"])] == [
        "            launch                a region",
        "  `a` read   1 KiB  2 x its size      64 B  = N * 4",
        "  flops     <= 3 k                       5  = M",
    ]
    long = " + ".join(f"N{n}" for n in range(60))
    for given, begins, indent in (
        (rows[0], "  `a` read   1 KiB  2 x its size      64 B  = N0 + N1", 48),
        (("`a` read", "", "", ""), "  `a` read  N0 + N1", 14),
    ):
        lines = [*inner._table(COLUMNS, [given], [long])]
        first, *others = lines[len(lines) - 1 - sum(line.startswith(" " * 9) for line in lines[1:]) :]
        assert first.startswith(begins)
        assert len(others) > 2
        assert [len(line) - len(line.lstrip()) for line in others] == [indent] * len(others)
        assert " ".join(line.strip() for line in (first, *others)).endswith(long)
    unknown = [("`a` read", "", "", ""), ("flops", "", "", "5")]
    assert [*inner._table(COLUMNS, unknown, ["N * 4", "M"])] == ["  `a` read  N * 4", "  flops     M"]
    assert [*inner._table(COLUMNS, [], [])] == []


@pytest.mark.parametrize(
    ("moved", "computed", "found"),
    [
        ([100], [50], "  together 100 B, 0.5 flops a byte"),
        ([3, 4], [7, 7], "  together 7 B, 2 flops a byte"),
        ([100], [0], "  together 100 B"),
        ([100], [], "  together 100 B"),
        ([2048, 1024], [1], "  together 3 KiB, 0.0003255 flops a byte"),
        ([100, None], [50], None),
        ([100], [None], None),
        ([100], [50, None], None),
        ([], [50], None),
        ([0], [50], None),
    ],
)
def test_together(moved: list[int | None], computed: list[int | None], found: str | None) -> None:
    assert [*inner._summary([(n, True) for n in moved], computed)] == ([] if found is None else [found])


def resources_of(*answers: Any) -> dict[str, Any]:
    """What is told of as many architectures, whose code is an answer each, or fails with it."""

    def cubin(arch: str) -> bytes:
        answer = answers[int(arch)]
        if isinstance(answer, Exception):
            raise answer
        return answer

    return inner._all_resources([str(n) for n in range(len(answers))], cubin, "gemm")


def test_code_that_cannot_be_read_and_code_of_another_kernel() -> None:
    code = gemm.compile(*product_arguments(), arch="sm_90").cubin
    other = branches.compile(*vectors(), arch="sm_90").cubin
    found = resources_of(code, b"no code", other)
    assert isinstance(found["0"], Resources)
    assert found["1"].startswith("the code cannot be read: ")
    assert found["2"] == "the code has no such kernel"


@pytest.mark.parametrize(
    ("hints", "codes", "idle"),
    [
        ((("occupancy", 2),), {(): b"a", (("occupancy", 2),): b"a"}, {"occupancy": 2}),
        ((("occupancy", 2),), {(): b"a", (("occupancy", 2),): b"b"}, {}),
        ((("occupancy", 2),), {(("occupancy", 2),): b"b"}, {}),  # the other is refused
        ((), {(): b"a"}, {}),
        (
            (("occupancy", 2), ("num_worker_warps", 8)),
            {
                (("occupancy", 2), ("num_worker_warps", 8)): b"a",
                (("num_worker_warps", 8),): b"b",
                (("occupancy", 2),): b"a",
            },
            {"num_worker_warps": 8},
        ),
        (
            (("occupancy", 2), ("num_worker_warps", 8)),
            {(("occupancy", 2), ("num_worker_warps", 8)): b"a", (("occupancy", 2),): b"a"},
            {"num_worker_warps": 8},
        ),
    ],
)
def test_hints_that_change_nothing(hints: Any, codes: dict[Any, bytes], idle: dict[str, int]) -> None:
    options = gemm.options._replace(hints=hints)

    class Compiling:
        def __init__(self) -> None:
            self.options = options

        def compiled(self, _: Any, arch: str, given: Any = None) -> Any:
            assert arch == "sm_90"
            chosen = (given or options).hints
            if chosen not in codes:
                raise Rejected([WrongCall(None, "gemm", "it is refused")])
            return SimpleNamespace(cubin=codes[chosen])

    assert inner._idle(Compiling(), None, "sm_90") == idle


def test_idle_hints_are_told_of_one_architecture(monkeypatch: pytest.MonkeyPatch) -> None:
    def idle(*_: object) -> dict[str, int]:
        return {"occupancy": 2}

    def resources(*_: object) -> dict[str, object]:
        return {}

    monkeypatch.setattr(inner, "_idle", idle)
    monkeypatch.setattr(inner, "_all_resources", resources)
    said = {archs: gemm.explain(*product_arguments(), arch=archs) for archs in ((), ("sm_90",), ("sm_90", "sm_100"))}
    line = "the hint `occupancy = 2` changes nothing in the code for sm_90"
    assert [archs for archs, text in said.items() if line in str(text)] == [("sm_90",)]


def test_what_is_moved_by_threads() -> None:
    assert [*inner._by_threads([])] == []
    (said,) = [" ".join(inner._by_threads(["sm_90", "sm_100"]))]
    assert " ".join(said.split()) == (
        "for sm_90 and sm_100 tiles are moved by threads, not by the tensor memory accelerator: with these hints its"
        " code would never end (O414)"
    )


def test_what_is_moved_by_threads_is_told_where_code_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def cubin_of(module: Any, arch: str, name: str) -> tuple[bytes, bool]:
        asked.append(arch)
        return b"", arch != "sm_80"

    def nothing(*_: object) -> dict[str, object]:
        return {}

    monkeypatch.setattr(inner, "cubin_of", cubin_of)
    monkeypatch.setattr(inner, "_idle", nothing)
    hinted, one, two = gemm.with_hints(num_worker_warps=8), ("sm_90",), ("sm_90", "sm_80", "sm_100")
    with monkeypatch.context() as changed:
        changed.setattr(inner, "_all_resources", nothing)
        for kernel, archs, ir, wanted in (
            (gemm, one, False, []), (gemm, one, True, [*one]), (hinted, one, False, [*one]), (hinted, two, False, []),
            (hinted, two, True, []), (gemm, (), True, []), (hinted, (), False, []),
            (hinted, ("sm_80",), True, ["sm_80"]),
        ):  # fmt: skip
            asked.clear()
            said = str(kernel.explain(*product_arguments(), arch=archs, ir=ir))
            assert asked == wanted
            assert ("for sm_90 tiles are moved by threads" in said) == (asked == ["sm_90"])
    asked.clear()
    said = str(explain.explain_module(gemm.verify(*product_arguments()), two))
    assert asked == [*two]
    assert "for sm_100 and sm_90 tiles are moved by threads" in " ".join(said.split())


def test_what_is_not_counted_and_not_sure_is_said() -> None:
    module = gemm.verify(*product_arguments())
    plain = inner.cost(kernel_of(module))
    said = {"n": "what `n` says"}
    other = replace(plain, uncounted=("sort", "search"), unknown=said, assumes=True)
    short, long = ([*inner._cost(found, {})] for found in (plain, other))
    assert long[: len(short)] == short
    assert long[len(short) :] == [
        "  `n` is what `n` says, which is not known beforehand",
        "  provided that no integer that decides how often a loop turns wraps around",
        "  not counted: sort, search",
    ]


EXPLAINED: dict[str, Callable[[], Any]] = {
    "a product": lambda: (gemm, product_arguments(k=52)),
    "a product of rows that lie badly": lambda: (gemm, product_arguments(k=50)),
    "a product in one region": lambda: (gemm, product_arguments(16, 16, 16)),
    "a branch that an argument decides": lambda: (branches, vectors()),
    "adds to places that data say": lambda: (
        tickets, (np.zeros(8, np.float32), np.zeros(1, np.int32), np.zeros(16, np.int32)),
    ),
    "a schedule that is left open": lambda: (
        gemm, (np.zeros((256, 256), np.float32), *product_arguments(256, 256, 64)[1:]),
    ),
}  # fmt: skip


def test_the_whole_of_what_is_explained(golden: Callable[[Path, str], None]) -> None:
    texts = [f"== {name}\n\n{kernel.explain(*given, arch=())}" for name, (kernel, given) in (
        (name, make()) for name, make in EXPLAINED.items()
    )]  # fmt: skip
    shown = "\n\n".join(texts).replace(f"{HERE}/", "")
    golden(HERE / "explained.txt", re.sub(r"test_explain.py:\d+", "test_explain.py:LINE", shown))


def test_every_kernel_of_a_module_is_told() -> None:
    module = branches.verify(*vectors())
    other = gemm.verify(*product_arguments())
    for op in [*other.body.ops]:
        op.detach()
        module.body.block.add_op(op)
    before = str(module)
    told = [*explain.explain_all(module, ())]
    assert [text.splitlines()[0].partition("(")[0] for text in told] == ["branches", "gemm"]
    assert "GPU code" not in told[0]
    assert "Tile IR" in told[1]
    assert str(module) == before
    (tile_ir,) = explain.explain_all(convert(gemm.verify(*product_arguments())), ())
    assert tile_ir.splitlines()[:3] == ["gemm", "", "Tile IR"]


def test_architectures_that_are_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    assert inner._archs("sm_90", -1) == ("sm_90",)
    assert inner._archs(["sm_90", "sm_80"], 0) == ("sm_90", "sm_80")
    assert inner._archs((), 0) == ()
    assert inner._archs(None, -1) == ("sm_80", "sm_90", "sm_100", "sm_120")
    monkeypatch.setattr(explain.driver, "gpu_available", lambda: True)
    monkeypatch.setattr(explain.driver, "architecture", "of GPU {}".format)
    assert [inner._archs(None, device) for device in (-1, 0, 3)] == [("of GPU 0",), ("of GPU 0",), ("of GPU 3",)]


@fh.kernel
def astray(y: Out["N"], x: Ref["M"]):
    y.store(x.load((y.index[0] - 1,), y.tile))


def test_a_module_that_is_not_verified_is_not_told_of() -> None:
    module = astray.lower(fh.partition(np.zeros(8, np.float32), 4), np.zeros(9, np.float32))
    with pytest.raises(Rejected):
        list(explain.explain_all(module, ()))


def test_lines_are_broken_between_words() -> None:
    inner: Any = explain
    text = f"{'x' * 110} sixteen-byte pieces"
    assert inner._filled(text, "  ") == ["x" * 110, "  sixteen-byte pieces"]
