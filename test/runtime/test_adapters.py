"""What is read off kernels of other libraries, on objects that have what theirs have, and what is refused of them."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

import freehold as fh
from freehold import Mut, Ref, f32, f64, i32
from freehold.frontend.signature import ConstSpec, ScalarSpec, Specialisation, TensorSpec
from freehold.runtime.foreign import adapters
from freehold.runtime.foreign.code import CudaSource, Ptx, kernels_of
from freehold.runtime.foreign.declaration import signature_of
from freehold.runtime.gpu import toolchain
from freehold.runtime.gpu.toolchain import NotCompiled
from freehold.support.dtypes import BY_NAME

OTHER_VERSION = "it is of another version of its library than is known: give its code itself"
BY_TRITON = "launch it by Triton"
PTX = ".version 8.0\n.target sm_80\n.visible .entry other(.param .u64 y) { ret; }\n"
SIGNATURE = signature_of({"y": Mut[f32, "M", "N"], "x": Ref[f32, "N"], "n": i32}, "k")
GIVEN = Specialisation((TensorSpec.plain(f32, 2), TensorSpec.plain(f32, 1), ScalarSpec(i32)))


def refused(run: Any) -> tuple[str, str]:
    """What is said and proposed (O294)."""
    with pytest.raises(fh.Rejected) as caught:
        run()
    (report,) = (e.report() for e in caught.value.errors)
    assert report.code == "O294"
    return report.title.removeprefix("`k` cannot be declared so: "), report.helps[0]


def of_class(module: str, kind: str, /, **fields: Any) -> Any:
    """An object of a class of this name, with these attributes."""
    made: Any = type(kind, (), {"__module__": module})()
    for field, value in fields.items():
        setattr(made, field, value)
    return made


def test_kernels_that_are_known_by_a_class_above_theirs() -> None:
    base = type("RawKernel", (), {"__module__": "cupy._core.raw"})
    made: Any = type("Mine", (base,), {"__module__": "mine"})()
    made.code, made.name, made.options = "text", "f", ()
    assert adapters.adapted(made, SIGNATURE)[1] == "CUDA C++"
    said, remedy = refused(lambda: adapters.adapted(of_class("cupyx.raw", "RawKernel"), SIGNATURE))
    assert said == "a cupyx.raw.RawKernel is no kernel that is known"
    assert remedy.startswith("give a kernel of cuTile Python, a compiled kernel of Triton")


@pytest.mark.parametrize(
    ("module", "name", "fields", "missing"),
    [
        ("triton.compiler", "CompiledKernel", {}, "metadata"),
        ("triton.compiler", "CompiledKernel", {"metadata": 1}, "asm"),
        ("triton.compiler", "CompiledKernel", {"metadata": 1, "asm": {}, "src": 1}, "src.signature"),
        ("numba.cuda", "CUDADispatcher", {}, "py_func"),
        ("cupy.raw", "RawKernel", {"code": ""}, "name"),
        ("cupy.raw", "RawKernel", {"code": "", "name": ""}, "options"),
        ("cuda.tile", "kernel", {}, "_pyfunc"),
    ],
)
def test_objects_of_other_versions(module: str, name: str, fields: dict[str, Any], missing: str) -> None:
    said, remedy = refused(lambda: adapters.adapted(of_class(module, name, **fields), SIGNATURE))
    assert (said, remedy) == (f"the {name} has no `{missing}`", OTHER_VERSION)


# --- Triton -----------------------------------------------------------------------------------------------------------

PARAMETERS = {"y": "*fp32", "x": "*fp32", "n": "i32", "N": "i64", "B": "constexpr"}


def triton(signature: dict[str, str] = PARAMETERS, asm: Any = None, **more: Any) -> Any:
    source = {key: more.pop(key) for key in ("attrs", "constants") if key in more}
    metadata = {"name": "other", "num_warps": 8, "shared": 64, "target": SimpleNamespace(arch=90), **more}
    return of_class(
        "triton.compiler", "CompiledKernel", metadata=SimpleNamespace(**metadata),
        src=SimpleNamespace(signature=signature, **source), asm={"ptx": PTX} if asm is None else asm,
    )  # fmt: skip


def of_triton(**given: Any) -> Any:
    return adapters.adapted(triton(**given), SIGNATURE)[0](GIVEN)


def test_what_a_triton_kernel_is_passed() -> None:
    made = of_triton()
    assert made.passes == ["y", "x", "n", ("N", fh.i64)]
    assert (made.block, made.shared, made.align, made.requires) == ((256,), 64, {}, ())
    assert isinstance(made.source, Ptx)
    assert (made.source.text, made.source.entry) == (PTX, "other")
    assert of_triton(warp_size=64).block == (512,)
    for unknown in ("i32", "u32", "u64"):
        assert of_triton(signature={"y": "*fp32", "N": unknown}).passes[1] == ("N", BY_NAME[unknown])


def test_cubins_are_taken_where_they_are_for_the_gpu() -> None:
    linked = of_triton(asm={"cubin": b"code", "ptx": None}).source
    assert (linked.for_gpu("k", "sm_90"), linked.for_gpu("k", "sm_100")) == (b"code", b"code")
    with_text = of_triton(asm={"cubin": b"code", "ptx": PTX}).source
    assert with_text.for_gpu("k", "sm_90") == b"code"
    assert (with_text.kind, with_text.entry, with_text.arch) == ("a cubin", "other", "sm_90")


@pytest.mark.parametrize(
    ("given", "said", "remedy"),
    [
        ({"global_scratch_size": 1}, "the Triton kernel needs memory of its own (`global_scratch_size`)", BY_TRITON),
        ({"profile_scratch_size": 1}, "the Triton kernel needs memory of its own (`profile_scratch_size`)", BY_TRITON),
        ({"num_ctas": 2}, "the Triton kernel needs clusters, or a cooperative launch", BY_TRITON),
        ({"launch_cooperative_grid": True}, "the Triton kernel needs clusters, or a cooperative launch", BY_TRITON),
        (
            {"attrs": {(1,): [["tt.pointer_range", 32]]}},
            "the Triton kernel relies on `tt.pointer_range` of `x`", "compile it without, or launch it by Triton",
        ),
        (
            {"signature": {"y": "*fp32", "n": "constexpr"}, "constants": {(1,): 1.5}},
            "`n` is 1.5 in the Triton kernel, and no argument", "leave it out of the signature",
        ),
        (
            {"signature": {"y": "constexpr", "n": "i32"}, "constants": {"y": 3}},
            "`y` is 3 in the Triton kernel, and no argument", "leave it out of the signature",
        ),
        *(
            ({"signature": {name: of}}, f"nothing in its signature is `{name}`, {what}",
             "call parameters and extents as the Triton kernel does")
            for name, of, what in (
                ("z", "*fp32", "an array"), ("y", "i32", "a number of i32"), ("n", "*i32", "an array"),
                ("K", "i32", "a number of i32"), ("N", "fp32", "a number of fp32"), ("N", "*i32", "an array"),
            )
        ),
    ],
)  # fmt: skip
def test_triton_kernels_that_cannot_be_launched(given: dict[str, Any], said: str, remedy: str) -> None:
    assert refused(lambda: of_triton(**given)) == (said, remedy)


def test_what_triton_took_for_granted() -> None:
    attrs = {(0,): [["tt.divisibility", 16]], (2,): [["tt.divisibility", 8]], (3,): []}
    signature = {"y": "*fp32", "x": "*fp32", "n": "i32", "B": "constexpr"}
    made = of_triton(signature=signature, attrs=attrs, constants={(3,): 256, "C": 1})
    assert made.align == {"y": 16}
    assert made.requires == (("n % 8 == 0", "the Triton kernel is compiled for multiples of 8"),)
    fixed = of_triton(signature={"y": "*fp32", "n": "constexpr"}, constants={(1,): 7})
    assert fixed.requires == (("n == 7", "the Triton kernel is compiled for 7"),)
    assert of_triton(signature={"y": "*fp32", "n": "constexpr"}, constants={"n": 7}).requires == fixed.requires


@pytest.mark.parametrize(
    ("signature", "name", "of", "wanted"),
    [
        ({"y": "*fp64"}, "y", "f32", "f64"),
        ({"y": "*fp32", "x": "*bf16"}, "x", "f32", "bf16"),
        ({"n": "i64"}, "n", "i32", "i64"),
        ({"y": "*fp8e4nv"}, "y", "f32", "f8e4m3fn"),
        ({"y": "*i1"}, "y", "f32", "bool_"),
        ({"y": "*odd"}, "y", "f32", "odd"),
    ],
)
def test_dtypes_that_triton_compiled_for(signature: dict[str, str], name: str, of: str, wanted: str) -> None:
    said, remedy = refused(lambda: of_triton(signature=signature))
    assert said == f"`{name}` is of {of}, and its code is compiled for {wanted}"
    assert remedy == f"declare the dtype that it is for: `{name}: ...[{wanted}, ...]`"


# --- numba-cuda -------------------------------------------------------------------------------------------------------


class Numba:
    """What is used of numba and numba.cuda: types with names, and a compiler that notes what it is asked."""

    def __init__(self, said: Any = PTX):
        self.asked: list[Any] = []
        self.said = said
        names = ("boolean", "int32", "uint8", "float32", "float64")
        self.types = SimpleNamespace(**{name: name for name in names}, void=self.given, Array=self.given)

    @staticmethod
    def given(*arguments: Any) -> tuple[Any, ...]:
        return arguments

    def compile(self, *given: Any, **more: Any) -> tuple[Any, None]:
        self.asked.append((given, more))
        return self.said, None


@pytest.fixture
def numba(monkeypatch: pytest.MonkeyPatch) -> Numba:
    made = Numba()
    for name in ("numba", "numba.cuda"):
        monkeypatch.setitem(sys.modules, name, made)  # type: ignore[arg-type]
    return made


def of_numba(function: Any, signature: Any, *specs: Any) -> Any:
    kernel = of_class("numba.cuda.dispatcher", "CUDADispatcher", py_func=function)
    return adapters.adapted(kernel, signature)[0](Specialisation(specs))


def scale(y: Any, x: Any, n: Any) -> Any:
    raise NotImplementedError


def test_what_a_numba_kernel_is_passed(numba: Numba) -> None:
    """Of an array what numba's own have: two words, how many elements of which size, address, extents, strides."""
    made = of_numba(scale, SIGNATURE, *GIVEN.specs)
    u64, i64 = BY_NAME["u64"], BY_NAME["i64"]
    assert made.passes == [
        (0, u64), (0, u64), ("y.shape[0] * y.shape[1]", i64), (4, i64), "y",
        ("y.shape[0]", i64), ("y.shape[1]", i64), ("y.byte_strides[0]", i64), ("y.byte_strides[1]", i64),
        (0, u64), (0, u64), ("x.shape[0]", i64), (4, i64), "x", ("x.shape[0]", i64), ("x.byte_strides[0]", i64),
        "n",
    ]  # fmt: skip
    ((given, more),) = numba.asked
    assert given == (scale, (("float32", 2, "A"), ("float32", 1, "A"), "int32"))
    assert more == {"device": False, "abi": "numba", "output": "ptx", "cc": (8, 0)}
    assert (made.source.text, made.source.entry) == (PTX, "other")
    numba.said = b"no kernel"
    found = of_numba(scale, SIGNATURE, TensorSpec.plain(f64, 0), TensorSpec.plain(fh.bool_, 1), ScalarSpec(fh.u8))
    assert (found.source.text, found.source.entry) == ("no kernel", "k")
    assert found.passes[:5] == [(0, u64), (0, u64), ("1", i64), (8, i64), "y"]
    assert numba.asked[-1][0][1] == (("float64", 0, "A"), ("boolean", 1, "A"), "uint8")


def test_numba_kernels_that_cannot_be_launched(numba: Numba) -> None:
    other = signature_of({"x": Ref[f32, "N"], "y": Mut[f32, "M", "N"], "n": i32}, "k")
    assert refused(lambda: of_numba(scale, other)) == (
        "the numba function takes y, x, n", "declare these, in their order",
    )  # fmt: skip
    assert refused(lambda: of_numba(scale, SIGNATURE, *GIVEN.specs[:2], ConstSpec(3))) == (
        "`n` is a constant", "close over it in the numba function",
    )  # fmt: skip
    assert refused(lambda: of_numba(scale, SIGNATURE, TensorSpec.plain(fh.bf16, 2), *GIVEN.specs[1:])) == (
        "numba has no type for `y`, of bf16", "declare a dtype that numba has",
    )  # fmt: skip
    assert numba.asked == []


# --- CuPy -------------------------------------------------------------------------------------------------------------


def cupy(*options: str, code: Any = "text") -> Any:
    kernel: Any = of_class("cupy._core.raw", "RawKernel", code=code, name="f", options=options)
    return adapters.adapted(kernel, SIGNATURE)[0](GIVEN)


def test_options_of_a_raw_kernel() -> None:
    assert cupy().source == CudaSource("text", "f", (), (), None)
    found = cupy("-DA", "-D B=2", "-DC=x=y", "-Ia", "-I b", "-std=c++11", "--std=c++20").source
    macros = (("A", "1"), ("B", "2"), ("C", "x=y"))
    assert found == CudaSource("text", "f", macros, ("a", "b"), "c++20")
    said = "the RawKernel has the option `-use_fast_math`", "give its source: `cuda_source=kernel.code`"
    assert refused(lambda: cupy("-DA", "-use_fast_math")) == said
    said = "the RawKernel was made of no source", "give the code itself: `cubin=`, `ptx=`"
    assert refused(lambda: cupy(code=None)) == said


def test_a_cutile_kernel_takes_its_parameters_in_their_order() -> None:
    pytest.importorskip("cuda.tile")
    kernel = of_class("cuda.tile", "kernel", _pyfunc=scale)
    other = signature_of({"y": Mut[f32, "N"], "n": i32, "x": Ref[f32, "N"]}, "k")
    said = refused(lambda: adapters.adapted(kernel, other))
    assert said == ("the cuTile kernel takes y, x, n", "declare these, in their order")
    sub = Specialisation((TensorSpec.plain(fh.f4e2m1fn, 2), *GIVEN.specs[1:])) if hasattr(fh, "f4e2m1fn") else None
    if sub is not None:
        said = refused(lambda: adapters.adapted(kernel, SIGNATURE)[0](sub))
        assert said == ("cuTile Python has no dtype for `y`, of f4e2m1fn", "declare another dtype")


# --- Compilers --------------------------------------------------------------------------------------------------------


def compiled(monkeypatch: pytest.MonkeyPatch, failed: Exception) -> Any:
    """The error of code whose compiler fails so."""

    def fails(*_: Any, **__: Any) -> bytes:
        raise failed

    monkeypatch.setenv("FREEHOLD_CACHE_DIR", "")
    monkeypatch.setattr(toolchain, "to_cubin", fails)
    with pytest.raises(fh.Rejected) as caught:
        CudaSource("text", "f", (), (), None).for_gpu("k", "sm_90")
    (report,) = (e.report() for e in caught.value.errors)
    assert report.code == "O289"
    return report


def test_what_a_compiler_says(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["compiling", "", " a.cu(1): error: one ", "warning: no", *(f"Error {n}" for n in range(2, 6))]
    report = compiled(monkeypatch, NotCompiled("\n".join(lines)))
    assert report.title == "the code of `k`, CUDA C++, cannot be used: its compiler refuses it"
    assert report.notes == ("a.cu(1): error: one", "Error 2", "Error 3", "Error 4")
    assert report.helps == ()
    report = compiled(monkeypatch, NotCompiled("\n1\n\n2\n3\n4\n5"))
    assert report.notes == ("1", "2", "3", "4")


def test_a_compiler_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    report = compiled(monkeypatch, NotCompiled("not there", missing=True))
    assert report.title == "the code of `k`, CUDA C++, cannot be used: its compiler is not installed"
    assert (report.notes, report.helps) == ((), ("install it: `pip install nvidia-cuda-nvrtc`",))


def test_parameters_of_ptx() -> None:
    text = """
    // .entry commented(.param .u64 a)
    /* .entry out(.param .u64 a) */
    .visible .entry first(.param .u64 .ptr .global .align 16 y, .param .f32 a, .param .align 8 .b8 s[24], .param .u16 k)
    .entry $second() { ret; }
    .entry third { ret; }
    """
    found = kernels_of(text.encode())
    assert {name: entry.sizes for name, entry in found.items()} == {
        "first": (8, 4, 24, 2), "$second": (), "third": (),
    }  # fmt: skip
    assert {(entry.threads, entry.most_threads) for entry in found.values()} == {(None, None)}


class Core:
    """What is used of cuda.core, whose compiler notes what it is asked, or fails."""

    def __init__(self, failed: Exception | None = None):
        self.failed = failed
        self.asked: list[Any] = []

    def ProgramOptions(self, **given: Any) -> Any:
        return given

    def Program(self, *given: Any) -> Any:
        self.asked.append(given)
        return self

    def compile(self, what: str) -> Any:
        self.asked.append(what)
        if self.failed is not None:
            raise self.failed
        return SimpleNamespace(code=bytearray(b"code"))


def test_what_compilers_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    core = Core()
    monkeypatch.setattr(toolchain, "cuda_core", lambda: core)
    assert toolchain.to_cubin("t", "c++", "sm_90", macros=[("A", "1")], include=["/i"]) == b"code"
    assert toolchain.to_cubin("t", "c++", "sm_90", standard="c++14") == b"code"
    assert toolchain.to_cubin("p", "ptx", "sm_80", macros=[("A", "1")]) == b"code"
    first = {"arch": "sm_90", "std": "c++17", "define_macro": [("A", "1")], "include_path": ["/i"]}
    second = {"arch": "sm_90", "std": "c++14", "define_macro": None, "include_path": None}
    assert core.asked == [
        ("t", "c++", first), "cubin", ("t", "c++", second), "cubin", ("p", "ptx", {"arch": "sm_80"}), "cubin",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "said", "missing"),
    [
        ("NVRTCError", "it fails", False), ("nvJitLinkError", "it fails", False), ("CUDAError", "it fails", False),
        ("DynamicLibNotFoundError", "its compiler is not installed", True), ("OddError", None, None),
    ],
)  # fmt: skip
def test_how_compilers_fail(monkeypatch: pytest.MonkeyPatch, kind: str, said: str | None, missing: bool | None) -> None:
    failed: Exception = type(kind, (Exception,), {})("it fails")
    monkeypatch.setattr(toolchain, "cuda_core", lambda: Core(failed))
    with pytest.raises(Exception, match=r"it fails|its compiler") as caught:
        toolchain.to_cubin("t", "ptx", "sm_90")
    if said is None:
        assert caught.value is failed
        return
    assert isinstance(caught.value, NotCompiled)
    assert (caught.value.said, caught.value.missing) == (said, missing)


def test_without_cuda_core_no_compiler_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing() -> Any:
        raise ImportError("no cuda.core")

    monkeypatch.setattr(toolchain, "cuda_core", nothing)
    with pytest.raises(NotCompiled, match=r"no cuda\.core") as caught:
        toolchain.to_cubin("t", "c++", "sm_90")
    assert caught.value.missing
    toolchain.identity.cache_clear()
    monkeypatch.setitem(toolchain.PACKAGES, "c++", "no-such-package-here")  # type: ignore[index]
    assert toolchain.identity("c++") is None
    toolchain.identity.cache_clear()
