"""Foreign kernels without a GPU: declared, compiled, adapted, audited, interpreted, and told of."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportArgumentType=false

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Acc, Const, Mut, Out, Ref, f32, f64, i32, i64
from freehold.backend import cubin
from freehold.runtime.foreign import standin, telling
from freehold.runtime.foreign.code import CudaSource, kernels_of, unknown_entry
from freehold.runtime.gpu import toolchain
from freehold.support.contract import LaunchContract

CUDA = """
extern "C" __global__ void saxpy(float* y, const float* x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
template <int N> __device__ int twice() { return 2 * N; }
extern "C" __global__ void fill(long long* y) { y[blockIdx.x] = twice<SIZE>(); }
__global__ void __launch_bounds__(64) mangled(double* y) { *y = 1; }
"""
PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry saxpy(.param .u64 .ptr .global .align 4 y, .param .u64 x, .param .f32 a, .param .u32 n) { ret; }
.entry bytes(.param .align 8 .b8 s[24]) { ret; } // .entry none()
.entry nothing() { ret; }
"""
WHY = "each thread writes the element of its number"


def compiles(language: str) -> bool:
    """Whether there is a compiler."""
    code = ".version 8.0\n.target sm_80\n.visible .entry f() { ret; }" if language == "ptx" else ""
    try:
        toolchain.to_cubin(code, language, "sm_90")
    except toolchain.NotCompiled as e:
        return not e.missing
    return True


nvrtc = pytest.mark.skipif(not compiles("c++"), reason="no NVRTC (pip install nvidia-cuda-nvrtc)")
linker = pytest.mark.skipif(not compiles("ptx"), reason="no nvJitLink (pip install nvidia-nvjitlink)")


def saxpy(**more: Any) -> Any:
    """A foreign kernel with its stand-in."""
    given: dict[str, Any] = {"cuda_source": CUDA, "passes": ["y", "x", "a", "N"], "unsafe": WHY, **more}
    signature = {"y": Mut[f32, "N"], "x": Ref[f32, "N"], "a": f32}
    made = fh.extern(entry="saxpy", signature=signature, grid=lambda N: fh.cdiv(N, 256), block=256, **given)

    @made.reference
    def stand_in(y: Any, x: Any, a: Any) -> None:
        y += a * x

    return made


def arrays(n: int = 1000) -> tuple[Any, Any]:
    return np.ones(n, np.float32), np.arange(n, dtype=np.float32)


def refused(code: str, function: Callable[[], object]) -> str:
    with pytest.raises(fh.Rejected) as caught:
        function()
    assert caught.value.codes == (code,), str(caught.value)
    return str(caught.value)


# --- On the host ------------------------------------------------------------------------------------------------------


def test_the_stand_in_runs_on_the_host() -> None:
    y, x = arrays()
    kernel = saxpy()
    assert kernel(y, x, 2.0).sync() is y
    assert (y == 1 + 2 * x).all()
    kernel(a=1.0, x=x, y=y).then(lambda y: kernel(y, x, 1.0)).sync()
    assert (y == 1 + 4 * x).all()
    with fh.graph() as g:
        g.record(kernel(y, x, 1.0))
    g.replay().sync()
    assert (y == 1 + 5 * x).all()
    refused("O201", lambda: kernel(y, y, 1.0).sync())


def test_the_stand_in_cannot_write_what_is_read() -> None:
    kernel = saxpy()

    @kernel.reference
    def wrong(y: Any, x: Any, a: Any) -> None:
        x[0] = 1.0

    with pytest.raises(ValueError, match="read-only"):
        kernel(*arrays(), 1.0).sync()


def test_constants_and_dimensions() -> None:
    signature = {"y": Out[i64, "N * K"], "x": Ref[f32, "N"], "K": Const[int]}
    kernel = fh.extern(
        cuda_source=CUDA, entry="fill", signature=signature, passes=["y"], block=1, unsafe=WHY,
        grid=lambda N, K: N * K, macros={"SIZE": 3},
    )  # fmt: skip
    seen: list[int] = []

    @kernel.reference
    def stand_in(y: Any, x: Any, K: int) -> None:
        seen.append(K)
        y[...] = 6

    kernel(np.zeros(12, np.int64), np.zeros(4, np.float32), 3).sync()
    assert seen == [3]
    refused("O230", lambda: kernel(np.zeros(12, np.int64), np.zeros(4, np.float32), 4).sync())
    refused("O215", lambda: kernel(np.zeros(12, np.int64), np.zeros(4, np.float32), 3.5).sync())


def test_it_is_copied_and_not_pickled() -> None:
    kernel = saxpy()
    assert copy.deepcopy(kernel) is kernel
    with pytest.raises(pickle.PicklingError, match="saxpy"):
        pickle.dumps(kernel)
    assert "grid" in refused("O294", lambda: kernel[4])


def test_a_difference_is_told_with_its_element(golden: Callable[[Path, str], None]) -> None:
    expected = np.array([[1.0, np.nan], [3.0, 4.0]], np.float32)
    found = np.array([[1.0, np.nan], [3.5, 4.25]], np.float32)
    with pytest.raises(fh.Rejected) as caught:
        standin._differs("saxpy", "y", 0.11, 0.01, expected, found)  # pyright: ignore[reportPrivateUsage] -- of a GPU
    first, *lines = str(caught.value).splitlines()
    shown = [first, *(line for line in lines if line.startswith("   = "))]  # without the place, which is here
    golden(Path(__file__).parent / "rejected" / "O296_element.err", "\n".join(shown) + "\n")


# --- Compiled ---------------------------------------------------------------------------------------------------------


@nvrtc
def test_cuda_source_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FREEHOLD_CACHE_DIR", str(tmp_path / "cache"))
    compiled = saxpy().compile(*arrays(), 1.0, arch="sm_90")
    assert cubin.architecture(compiled.cubin) == "sm_90"
    assert {"saxpy", "fill"} <= {k.kernel for k in cubin.resources(compiled.cubin)}
    made: list[str] = []
    monkeypatch.setattr(toolchain, "to_cubin", lambda *given, **_: made.append(given[2]) or b"")
    assert saxpy().compile(*arrays(), 1.0, arch="sm_90").cubin == compiled.cubin  # from disk
    assert made == []


@pytest.fixture(autouse=True)
def _macro(monkeypatch: pytest.MonkeyPatch) -> None:
    """`SIZE` is a macro of the source that only one kernel gives itself."""
    real = toolchain.to_cubin

    def to_cubin(text: str, language: str, arch: str, **more: Any) -> bytes:
        if language == "c++" and text is CUDA and not more.get("macros"):
            more["macros"] = (("SIZE", "1"),)
        return real(text, language, arch, **more)

    monkeypatch.setattr(toolchain, "to_cubin", to_cubin)


@nvrtc
def test_constants_are_macros() -> None:
    code = 'extern "C" __global__ void fill(int* y) {\n#if SIZE != 6 || B != 1\n#error wrong\n#endif\n*y = SIZE; }'
    kernel = fh.extern(
        cuda_source=code, entry="fill", signature={"y": Out[i32, "N"], "SIZE": Const[int]}, grid=1, block="SIZE",
        macros={"B": True}, unsafe=WHY,
    )  # fmt: skip
    kernel.compile(np.zeros(4, np.int32), 6, arch="sm_80")
    assert "wrong" in refused("O289", lambda: kernel.compile(np.zeros(4, np.int32), 7, arch="sm_80"))


@nvrtc
def test_names_that_hold_types() -> None:
    kernel = fh.extern(cuda_source=CUDA, entry="mangled", signature={"y": Out[f64, "N"]}, grid=1, block=1, unsafe=WHY)
    assert 'extern "C" __global__ void mangled' in refused("O282", lambda: kernel.compile(np.zeros(4), arch="sm_90"))
    named = fh.extern(
        cuda_source=CUDA, entry="_Z7mangledPd", signature={"y": Out[f64, "N"]}, grid=1, block=65, unsafe=WHY
    )
    contract = named.compile(np.zeros(4), arch="sm_90").contract
    assert contract.foreign is not None
    assert contract.foreign.most_threads == 64  # `__launch_bounds__`


@linker
def test_ptx_is_linked() -> None:
    kernel = saxpy(cuda_source=None, ptx=PTX)
    assert cubin.architecture(kernel.compile(*arrays(), 1.0, arch="sm_90").cubin) == "sm_90"
    text = refused(
        "O289", lambda: saxpy(cuda_source=None, ptx=PTX.replace("ret", "rot")).compile(*arrays(), 1.0, arch="sm_90")
    )
    assert "rot" in text


def test_ptx_is_left_to_the_driver_where_there_is_no_linker(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object, **more: object) -> bytes:
        raise toolchain.NotCompiled("", missing=True)

    monkeypatch.setattr(toolchain, "to_cubin", missing)
    monkeypatch.setenv("FREEHOLD_CACHE_DIR", "")
    kernel = saxpy(cuda_source=None, ptx=PTX)
    assert kernel.compile(*arrays(), 1.0, arch="sm_90").cubin.decode() == PTX
    assert "pip install nvidia-cuda-nvrtc" in refused("O289", lambda: saxpy().compile(*arrays(), 1.0, arch="sm_90"))


def test_what_ptx_says_of_itself() -> None:
    assert {name: k.sizes for name, k in kernels_of(PTX.encode()).items()} == {
        "saxpy": (8, 8, 4, 4), "bytes": (24,), "nothing": (),
    }  # fmt: skip


@nvrtc
def test_a_contract_is_read_back() -> None:
    contract = saxpy().compile(*arrays(), 1.0, arch="sm_90").contract
    assert LaunchContract.from_json(contract.to_json()) == contract


def test_explanations(golden: Callable[[Path, str], None]) -> None:
    """Of threads and clusters of each extent, and of strides that are passed, with a stand-in and without one."""
    signature = {"y": Mut[f32, "N", "M"], "a": f32, "K": Const[int]}
    make = partial(fh.extern, ptx=PTX, entry="saxpy", signature=signature, grid=(4, 2, 6), unsafe=WHY)
    cases: list[dict[str, Any]] = [
        {"block": 1},
        {"block": (1, 1, 8), "shared": 16},
        {"block": (1, 4, 1), "cluster": (2, 1, 1)},
        {"block": 32, "cluster": (1, 2, 1)},
        {"block": 32, "cluster": (1, 1, 3), "passes": ["y", "y.strides[0]", "M"]},
        {"block": 32, "passes": ["y", ("y.strides[1]", fh.i64), ("y.byte_strides[0]", fh.u64), "y.byte_strides[1]"]},
    ]
    found = [make(**case).explain(np.ones((8, 9), np.float32), 2.0, 3) for case in cases]
    golden(Path(__file__).parent / "extern_explained.txt", "\n\n".join([saxpy().explain(*arrays(), 2.0), *found]))


@nvrtc
def test_explain() -> None:
    assert "registers" in saxpy().explain(*arrays(), 2.0, arch="sm_90").splitlines()[-1]


def test_declarations_that_are_not_understood() -> None:
    def declare(**given: Any) -> Any:
        signature = {"y": Mut[f32, "N"], "n": i32}
        make: Any = fh.extern
        return lambda: make(**{"ptx": PTX, "signature": signature, "grid": 1, "block": 1, "unsafe": WHY, **given})

    wrong: list[tuple[dict[str, Any], str]] = [
        ({"ptx": None}, "no codes are given"),
        ({"ptx": 3}, "`ptx` is a int"),
        ({"block": None}, "no number of threads"),
        ({"macros": {"A": 1}}, "compiled already"),
        ({"grid": (1, 1, 1, 1)}, "4 extents"),
        ({"grid": 1.5}, "`1.5` is no number"),
        ({"grid": "M"}, "`M` of `M` is no extent"),
        ({"grid": "M"}, "there are `N`, `n`"),
        ({"grid": "N +"}, "not an expression"),
        ({"grid": lambda N: N / 2}, "into fractions"),
        ({"grid": lambda N: fh.exp(N)}, "calls `exp`"),
        ({"grid": max}, "`<built-in function max>` is no number of its launches"),
        ({"grid": lambda N: N["x"]}, "the function of its grid fails: "),
        ({"grid": lambda N, Q: N}, "the function of its grid takes `Q`"),
        ({"grid": ()}, "its grid has 0 extents"),
        *(({"align": {"y": n}}, "power of two up to 16") for n in (0, 3, 12, 32, -1)),
        ({"align": {"n": 4}}, "`align` names `n`"),
        ({"passes": "arrays"}, "none of the ways"),
        ({"passes": []}, "passed nothing"),
        ({"passes": [("N", f32)]}, "passed as f32"),
        ({"passes": ["y.strides[1]"]}, "there is no `y.strides[1]`"),
        ({"signature": {"n": i32}}, "takes no array"),
        ({"signature": {"y": Mut[f32, "N"], "n": Const[float]}}, "`Const[int]`"),
        ({"signature": 3}, "is a int"),
        ({"unsafe": " "}, "the reason is empty"),
        ({"ptx": None, "kernel": 1}, "is no kernel that is known"),
    ]
    with_constant = declare(signature={"y": Mut[f32, "N"], "n": i32, "K": Const[int]}, grid="M")()
    said = refused("O294", lambda: with_constant(np.zeros(4, np.float32), 1, 3).sync())
    assert "there are `K`, `N`, `n`, `y.shape[0]`" in said
    for given, said in wrong:
        kernel = given.pop("kernel", None)
        make = declare(**given) if kernel is None else lambda given=given, kernel=kernel: fh.extern(
            kernel, signature={"y": Mut[f32, "N"]}, grid=1, block=1, unsafe=WHY
        )  # fmt: skip
        assert said in refused("O294", make), said
    refused("O286", declare(unsafe=None))
    for align in (1, 2, 4, 8, 16):
        declare(align={"y": align})()


# --- Other libraries' kernels -----------------------------------------------------------------------------------------


def triton_like(**more: Any) -> Any:
    """An object with what is read of Triton's compiled kernels."""
    kind = type("CompiledKernel", (), {"__module__": "triton.compiler.compiler"})
    made: Any = kind()
    target = SimpleNamespace(arch=90)
    metadata = {"name": "saxpy", "num_warps": 4, "shared": 1024, "target": target, "num_ctas": 1, "warp_size": 32}
    made.metadata = SimpleNamespace(**{**metadata, **more.pop("metadata", {})})
    signature = {"y": "*fp32", "x": "*fp32", "a": "fp32", "n": "i32", "B": "constexpr"}
    attrs = {(0,): [["tt.divisibility", 16]], (3,): [["tt.divisibility", 16]]}
    made.src = SimpleNamespace(**{"signature": signature, "attrs": attrs, "constants": {(4,): 256}, **more})
    made.asm = {"ptx": PTX}
    return made


def test_triton_s_kernels() -> None:
    signature = {"y": Mut[f32, "N"], "x": Ref[f32, "N"], "a": f32, "n": i32}
    kernel = fh.extern(triton_like(), signature=signature, grid=lambda N: fh.cdiv(N, 256), unsafe=WHY)
    assert kernel.__name__ == "kernel"
    y, x = np.zeros(1008, np.float32), np.zeros(1008, np.float32)
    contract = kernel.compile(y, x, 1.0, 1008, arch="sm_90").contract
    assert contract.foreign is not None
    assert (contract.foreign.block, contract.foreign.shared) == (("128", "1", "1"), "1024")
    assert [e.kind for e in contract.entry] == ["pointer", "pointer", "scalar", "scalar"]
    kernel.reference(lambda y, x, a, n: None)
    kernel(y, x, 1.0, 1008).sync()
    refused("O232", lambda: kernel(y, x, 1.0, 1001).sync())  # compiled for multiples of 16
    refused("O298", lambda: kernel(y[1:], x[1:], 1.0, 1008).sync())
    other = {**signature, "x": Ref[f64, "N"]}
    wrong = fh.extern(triton_like(), signature=other, grid=1, unsafe=WHY)
    assert "compiled for f32" in refused("O294", lambda: wrong.compile(y, np.zeros(1008), 1.0, 16, arch="sm_90"))
    for given, said in [
        ({"metadata": {"num_ctas": 2}}, "clusters"),
        ({"metadata": {"global_scratch_size": 8}}, "memory of its own"),
        ({"signature": {"y": "*fp32", "z": "*fp32"}}, "nothing in its signature is `z`"),
        ({"attrs": {(0,): [["tt.pointer_range", 32]]}}, "relies on `tt.pointer_range`"),
    ]:  # fmt: skip
        declare = partial(fh.extern, triton_like(**given), signature=signature, grid=1, unsafe=WHY)
        assert said in refused("O294", declare)


@pytest.mark.skipif(find_spec("triton") is None, reason="no Triton")
def test_triton_itself() -> None:
    from foreign_triton import compiled

    signature = {"x": Ref[f32, "N"], "y": Ref[f32, "N"], "z": Out[f32, "N"]}
    kernel = fh.extern(compiled(), signature=signature, grid=lambda N: fh.cdiv(N, 256), unsafe=WHY)
    a = [np.zeros(1000, np.float32) for _ in range(3)]
    found = kernel.compile(*a, arch="sm_90")
    assert [e.dtype for e in found.contract.entry[-2:]] == ["u64", "u64"]  # Triton's own, behind the others
    assert found.contract.foreign is not None
    assert found.contract.foreign.threads == (128, 1, 1)
    assert cubin.architecture(found.cubin) == "sm_90"
    refused("O289", lambda: kernel.compile(*a, arch="sm_100"))  # Triton's PTX is for `sm_90a` alone


@pytest.mark.skipif(find_spec("numba_cuda") is None and find_spec("numba") is None, reason="no numba-cuda")
def test_numba_itself() -> None:
    from foreign_numba import scale

    signature = {"y": Out[f32, "M", "N"], "x": Ref[f32, "N"], "a": f32}
    kernel = fh.extern(
        scale, signature=signature, grid=lambda M, N: (fh.cdiv(M, 8), fh.cdiv(N, 8)), block=(8, 8), unsafe=WHY
    )
    y, x = np.zeros((6, 10), np.float32), np.zeros(10, np.float32)
    entry = kernel.compile(y, x, 1.0, arch="sm_90").contract.entry
    assert [e.term for e in entry[:4]] == ["0", "0", "M * N", "4"]
    assert [(e.kind, e.dtype) for e in entry[4:9]] == [
        ("pointer", "i32"),
        *[("extent", "i64")] * 2,
        *[("stride", "i64")] * 2,
    ]
    kernel.reference(lambda y, x, a: None)
    kernel(y[:, ::2], x[:5], 1.0).sync()  # numba's arrays know their strides


class RawKernel:
    """An object with what is read of CuPy's raw kernels."""

    __module__ = "cupy._core.raw"

    def __init__(self, code: Any, name: str, options: tuple[str, ...] = ()):
        self.code, self.name, self.options = code, name, options


def test_cupy_s_raw_kernels() -> None:
    signature = {"y": Mut[f32, "N"], "x": Ref[f32, "N"], "a": f32}
    given: dict[str, Any] = {
        "signature": signature,
        "passes": ["y", "x", "a", "N"],
        "grid": 4,
        "block": 256,
        "unsafe": WHY,
    }
    kernel = fh.extern(RawKernel(CUDA, "saxpy", ("-DSIZE=4", "--std=c++14", "-I /none")), **given)
    source = kernel._made(None).source  # pyright: ignore[reportPrivateUsage] -- what was read of it
    assert (source.macros, source.include, source.standard) == ((("SIZE", "4"),), ("/none",), "c++14")
    assert kernel.__name__ == "saxpy"
    if compiles("c++"):
        kernel.compile(*arrays(), 1.0, arch="sm_90")
    refused("O294", lambda: fh.extern(RawKernel(CUDA, "saxpy", ("--use_fast_math",)), **given))
    refused("O294", lambda: fh.extern(RawKernel(None, "saxpy"), **given))


@pytest.mark.skipif(find_spec("cupy") is None, reason="no CuPy")
def test_cupy_itself() -> None:
    cupy: Any = pytest.importorskip("cupy")
    signature = {"y": Mut[f32, "N"], "x": Ref[f32, "N"], "a": f32}
    kernel = fh.extern(
        cupy.RawKernel(CUDA, "saxpy", options=("-DSIZE=4",)), signature=signature, passes=["y", "x", "a", "N"],
        grid=4, block=256, unsafe=WHY,
    )  # fmt: skip
    if compiles("c++"):
        kernel.compile(*arrays(), 1.0, arch="sm_90")


cutile = pytest.mark.skipif(find_spec("cuda") is None or find_spec("cuda.tile") is None, reason="no cuTile Python")


@cutile
def test_cutile_s_kernels_are_audited_and_interpreted() -> None:
    from foreign_tiles import add, signature

    kernel = fh.extern(add, signature=signature, grid=lambda N, B: fh.cdiv(N, B))
    x, y, z = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32), np.zeros(2000, np.float32)
    for mode in ("fast", "adversarial", "checked"):
        z[...] = 0
        with fh.interpreting(mode):
            kernel(z[:1000], x, y, 64).sync()
            kernel(z[::2], x, y, 32).sync()  # cuTile passes strides
        assert (z[::2] == x + y).all()
    told = kernel.explain(z[:1000], x, y, 64).splitlines()
    assert told[1].startswith("audited")
    assert told[-2:] == [
        "this launch: 16 x 1 x 1 blocks of tiles, 0 bytes of dynamic shared memory", "on the host: the interpreter",
    ]  # fmt: skip
    assert kernel.promise == ""
    refused("O294", lambda: fh.extern(add, signature=signature, grid=1, block=32))
    assert "takes z, x, y, B" in refused("O294", lambda: fh.extern(add, signature={"z": Out[f32, "N"]}, grid=1))


@cutile
@pytest.mark.parametrize("name", ["bool_", "u8", "i16", "u32", "i64", "f16", "bf16", "f64", "f8e4m3fn"])
def test_dtypes_of_cutile(name: str) -> None:
    from foreign_tiles import copied

    dtype = getattr(fh, name)
    signature = {"y": Out[dtype, "N"], "x": Ref[dtype, "N"], "B": Const[int]}
    kernel = fh.extern(copied, signature=signature, grid=lambda N, B: fh.cdiv(N, B))
    x, y = (fh.zeros(100, dtype=dtype, device=fh.HOST).sync() for _ in range(2))
    assert kernel(y, x, 32).sync() is y


@cutile
def test_packages_of_tile_ir(tmp_path: Path) -> None:
    from foreign_tiles import copied

    signature = {"y": Out[f32, "N"], "x": Ref[f32, "N"], "B": Const[int]}
    audited = fh.extern(copied, signature=signature, grid=lambda N, B: fh.cdiv(N, B))
    y, x = arrays(96)
    assert "audit" in refused("O274", lambda: fh.build([audited(y, x, 32)], archs=[], path=tmp_path / "none"))
    trusted = fh.extern(copied, signature=signature, grid=lambda N, B: fh.cdiv(N, B), unsafe=WHY)
    fh.build([trusted(y, x, 32)], archs=[], path=tmp_path / "kernels")
    loaded = fh.load(tmp_path / "kernels")
    assert loaded.copied.promises == (WHY,)
    loaded.copied(y, x, 32).sync()  # the interpreter runs it
    assert (y == x).all()


def test_packages_of_cubins(tmp_path: Path) -> None:
    if not compiles("ptx"):
        pytest.skip("no nvJitLink")
    code = saxpy(cuda_source=None, ptx=PTX).compile(*arrays(), 1.0, arch="sm_90").cubin
    kernel = saxpy(cuda_source=None, cubin=code)
    launch = kernel(*arrays(), 1.0)
    text = refused("O274", lambda: fh.build([launch], archs=["sm_90", "sm_100"], path=tmp_path / "none"))
    assert "sm_90, and sm_100" in text
    fh.build([kernel(*arrays(), 1.0)], archs=["sm_90"], path=tmp_path / "kernels")
    assert fh.load(tmp_path / "kernels").saxpy.architectures == ("sm_90",)


def test_inside_torch_compile() -> None:
    torch: Any = pytest.importorskip("torch")
    kernel = saxpy()
    y, x = torch.zeros(8), torch.ones(8)
    double = torch.compile(lambda y, x: kernel(y, x, 2.0).on().value * 2, fullgraph=True, backend="eager")
    assert torch.equal(double(y, x), torch.full((8,), 4.0))


@cutile
@pytest.mark.parametrize(
    ("modes", "grid", "said"),
    [
        ({"x": Out}, 16, "it reads `x`"),
        ({"z": Ref}, 16, "it writes `z`"),
        ({"z": Acc}, 16, "it writes `z`"),
        ({}, (16, 2), "both access element"),
    ],
)
def test_promises_that_are_false(modes: Mapping[str, Any], grid: Any, said: str) -> None:
    from foreign_tiles import add, signature

    given = {name: modes[name][f32, "N"] if name in modes else of for name, of in signature.items()}
    x, y, z = (np.zeros(1000, np.float32) for _ in range(3))
    kernel = fh.extern(add, signature=given, grid=grid)
    for _ in range(2):
        assert said in refused("O287", lambda: kernel(z, x, y, 64).sync())
    trusted = fh.extern(add, signature=given, grid=grid, unsafe="it is for trying")
    trusted(z, x, y, 64).sync()


@cutile
def test_scalars_are_part_of_what_is_audited() -> None:
    from foreign_tiles import shifted, shifted_signature

    kernel = fh.extern(shifted, signature=shifted_signature, grid=8)
    y, x = np.zeros(1024, np.float32), np.ones(1024, np.float32)
    kernel(y, x, 0, 64).sync()
    kernel(y, x, 8, 64).sync()
    for _ in range(2):  # two tile blocks in one place, by what the number says
        refused("O287", lambda: kernel(y, x, -1, 64).sync())
    kernel(y, x, 1, 64).sync()


def test_code_without_an_architecture_is_for_the_gpu_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    from freehold.runtime.foreign import kernel as module

    asked = list[Any]()

    class NoGpu(Exception):
        pass

    def require(remedy: str) -> None:
        asked.append(remedy)
        raise NoGpu

    monkeypatch.setattr(module.driver, "require_gpu", require)
    y, x = arrays()
    with pytest.raises(NoGpu):
        saxpy().compile(y, x, 2.0)
    assert asked == ['name an architecture: `arch="sm_90"`']


@pytest.mark.parametrize(("device", "arch"), [(-1, "sm_90"), (0, "sm_90"), (1, "sm_91")])
def test_code_is_for_the_gpu_that_the_arrays_are_on(device: int, arch: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from freehold.runtime.foreign import kernel as module

    kernel: Any = saxpy()
    monkeypatch.setattr(module.driver, "require_gpu", lambda remedy: None)
    monkeypatch.setattr(module.driver, "architecture", lambda number: f"sm_9{number}")
    monkeypatch.setattr(type(kernel), "bound", lambda *_, arch: SimpleNamespace(specialisation="s", device=device))
    monkeypatch.setattr(type(kernel), "compiled", lambda self, specialisation, arch: (specialisation, arch))
    assert kernel.compile() == ("s", arch)
    assert kernel.compile(arch="sm_100") == ("s", "sm_100")


@pytest.mark.parametrize(("stores", "loads"), [(0, 0), (1, 2)])
def test_what_foreign_code_takes(stores: int, loads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    spilled = ", 3 accesses to spilled registers" if stores else ""
    said = f"40 registers a thread, 512 bytes of static shared memory{spilled}, 4096 bytes of code"
    inner: Any = telling
    one = SimpleNamespace(kernel="k", registers=40, shared=512, code=4096, local_stores=stores, local_loads=loads)
    other = SimpleNamespace(kernel="other", registers=1, shared=2, code=3, local_stores=0, local_loads=0)
    monkeypatch.setattr(inner, "resources", lambda code: [other, one])
    assert inner._takes(b"", "k") == said
    assert inner._takes(b"", "none") == "PTX, which the driver compiles"

    def no_cubin(code: bytes) -> Any:
        raise cubin.NotACubin("no cubin")

    monkeypatch.setattr(inner, "resources", no_cubin)
    assert inner._takes(b"", "k") == "PTX, which the driver compiles"


@pytest.mark.parametrize(
    ("entry", "there", "kind", "helps"),
    [
        ("saxpy", ["saxpi"], "PTX", ('name that: `entry="saxpi"`',)),
        ("saxpy", ["other"], "PTX", ('name that: `entry="other"`',)),  # the only one
        ("saxpy", ["other", "third"], "PTX", ()),
        ("saxpy", [], "PTX", ()),
        ("saxpy", ["other", "_Z5saxpyPfi"], "PTX", ('name that: `entry="_Z5saxpyPfi"`',)),
        ("saxpy", ["other", "_Z6saxpy2Pfi"], "PTX", ()),
        ("saxpy", ["_Z5saxpyPfi"], CudaSource.kind,
         ('keep its name as it is: `extern "C" __global__ void saxpy(...)`',)),
    ],
)  # fmt: skip
def test_an_entry_that_code_does_not_have(entry: str, there: list[str], kind: str, helps: tuple[str, ...]) -> None:
    report = unknown_entry("k", kind, entry, dict.fromkeys(there)).report()
    assert report.title == f"the code of `k`, {kind}, has no kernel `{entry}`"
    assert report.notes == (f"it has {', '.join(f'`{name}`' for name in there) or 'none'}",)
    assert report.helps == helps


def test_which_arrays_are_contiguous_is_told_of_each() -> None:
    signature = {"y": Mut[f32, "N"], "x": Ref[f32, "M", "N"], "z": Ref[f32, "M", "N"], "w": Ref[f32, "N"]}
    passes = ["y", "x", "x.strides[0]", "z", "w", "w.strides[0]"]
    entry = ", ".join(f".param .{'u32' if 'strides' in name else 'u64'} p{n}" for n, name in enumerate(passes))
    ptx = f"{PTX.partition('.visible')[0]}.visible .entry strided({entry}) {{ ret; }}"
    kernel = fh.extern(ptx=ptx, entry="strided", signature=signature, passes=passes, grid=1, block=32, unsafe=WHY)
    y, x = np.zeros(8, np.float32), np.zeros((4, 8), np.float32)
    said = str(kernel.explain(y, x, x, y.copy(), arch="sm_90")).splitlines()
    rest = {name: next(line for line in said if line.startswith(f"  {name}  ")).split(";")[1:] for name in signature}
    assert rest == {
        "y": [" contiguous"], "x": [" contiguous where its strides are not passed"], "z": [" contiguous"], "w": [],
    }  # fmt: skip
