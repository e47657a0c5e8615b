"""Kernels away from their source, on a GPU: bound launches, packages, operators of torch, functions of JAX arrays."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Const, Mut, Out, Ref, f32
from freehold.runtime.base import native
from freehold.runtime.gpu import driver

pytestmark = pytest.mark.cuda


@fh.kernel
def saxpy(y: Mut["N"], x: Ref["N"], a: f32 = 1.0):  # pyright: ignore[reportArgumentType] -- a number
    y.store(a * x.load_like(y) + y.load())


@fh.kernel
def gemm(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], BK: Const[int] = 32):
    m, n = c.index
    acc = fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=1, size=BK):
        acc = fh.mma(a.load((m, k), (c.tile[0], BK)), b.load((k, n), (BK, c.tile[1])), acc)
    c.store(acc.astype(c.dtype))


@fh.kernel
def scale(y: Out["N"], x: Ref["N"], a: f32):
    y.store(x.load_like(y) * a)


@fh.kernel
def scale_gradient(dx: Out["N"], dy: Ref["N"], x: Ref["N"], a: f32):
    dx.store(dy.load_like(dx) * a + x.load_like(dx) * 0)


# --- Bound launches ---------------------------------------------------------------------------------------------------


def test_bound_launches() -> None:
    torch: Any = pytest.importorskip("torch")
    x, y, z = torch.arange(1000.0, device="cuda"), torch.ones(1000, device="cuda"), torch.ones(1000, device="cuda")
    bound = saxpy.bind(fh.partition(y, 64), x, 2.0)
    for _ in range(100):
        bound.on()
    torch.testing.assert_close(y, 200 * x + 1)
    assert bound.rebind(y=z, a=3.0).sync() is z
    torch.testing.assert_close(z, 3 * x + 1)
    side = torch.cuda.Stream()
    bound.on(side)
    side.synchronize()
    torch.testing.assert_close(z, 6 * x + 1)
    with pytest.raises(fh.Rejected) as caught:
        bound.rebind(x=z)
    assert caught.value.codes == ("O201",)


def test_a_bound_launch_whose_array_was_exchanged() -> None:
    torch: Any = pytest.importorskip("torch")
    x, y = torch.ones(64, device="cuda"), torch.ones(64, device="cuda")
    bound = saxpy.bind(fh.partition(y, 64), x, 2.0)
    x.data = torch.ones(1 << 20, device="cuda")[:64]
    with pytest.raises(fh.Rejected) as caught:
        bound.sync()
    assert caught.value.codes == ("O275",)
    assert (y == 1).all().item()


# --- Packages ---------------------------------------------------------------------------------------------------------

LOADS = """
import importlib.util, sys

class NoCompiler:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("xdsl", "z3"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, NoCompiler())
import numpy as np
import freehold as fh

kernels = fh.load(sys.argv[1], strict=True)
rng = np.random.default_rng(0)
a, b = (rng.standard_normal(shape, dtype=np.float32) for shape in ((96, 64), (64, 128)))
c = fh.to_device(np.full((96, 128), np.nan, np.float32))
kernels.gemm(fh.partition(c, (32, 64)), fh.to_device(a), fh.to_device(b)).sync()
expected = a.astype(np.float64) @ b
assert np.linalg.norm(c.numpy() - expected) <= 2e-3 * np.linalg.norm(expected)
y = fh.ones(1000, device=0).sync()
for _ in range(3):
    kernels.saxpy(fh.partition(y, 64), fh.to_device(np.arange(1000, dtype=np.float32)), 2.0).sync()
assert (y.numpy() == 6 * np.arange(1000) + 1).all()
assert "xdsl" not in sys.modules
print("loaded and run")
"""


def test_a_package_is_loaded_where_there_is_no_compiler(tmp_path: Path) -> None:
    launches = [
        saxpy(fh.partition(np.ones(1024, np.float32), 64), np.ones(1024, np.float32), 1.0),
        gemm(fh.partition(np.ones((64, 64), np.float32), (32, 64)), *[np.ones((64, 64), np.float32)] * 2),
    ]
    built = fh.build(launches, archs=[driver.architecture(0)], path=tmp_path / "kernels")
    found = subprocess.run(
        [sys.executable, "-c", LOADS, str(built)], capture_output=True, text=True, timeout=120, check=False
    )
    assert found.stdout == "loaded and run\n", found.stderr


# --- Operators of torch -----------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch's own
def test_an_operator_of_torch_compiles_without_a_break() -> None:
    torch: Any = pytest.importorskip("torch")
    operator = saxpy.as_torch_op("freehold_gpu::saxpy", {"y": 256})
    product = gemm.as_torch_op("freehold_gpu::gemm", {"c": partial(fh.partition, tile=(64, 64))}, returns=["c"])

    def program(y: Any, x: Any, m: Any) -> Any:
        y = y * 2
        operator(y, x, 3.0)
        return product(m, m.T.contiguous()).sum() + y.sum()

    x, y, m = (
        torch.randn(10_000, device="cuda"),
        torch.randn(10_000, device="cuda"),
        torch.randn(128, 64, device="cuda"),
    )
    compiled = torch.compile(program, fullgraph=True)
    expected = (m.double() @ m.double().T).sum() + (2 * y.double() + 3 * x.double()).sum()
    for found in (program(y, x, m), compiled(y, x, m), compiled(y, x, m)):
        torch.testing.assert_close(found.double(), expected, rtol=1e-2, atol=1.0)
    torch.library.opcheck(operator, (torch.ones(100, device="cuda"), torch.ones(100, device="cuda"), 2.0))


def test_an_operator_with_a_gradient() -> None:
    torch: Any = pytest.importorskip("torch")
    gradient = scale_gradient.as_torch_op("freehold_gpu::scale_gradient", {"dx": 64}, returns=["dx"])

    def backward(ctx: Any, dy: Any) -> tuple[Any, None]:
        (x,) = ctx.saved_tensors
        return gradient(dy, x, ctx.factor), None

    def setup(ctx: Any, inputs: Any, output: Any) -> None:
        x, ctx.factor = inputs
        ctx.save_for_backward(x)

    operator = scale.as_torch_op(
        "freehold_gpu::scale", {"y": 64}, returns=["y"], backward=backward, setup_context=setup
    )
    x = torch.randn(1000, device="cuda", requires_grad=True)
    (operator(x, 2.5) * torch.arange(1000.0, device="cuda")).sum().backward()
    torch.testing.assert_close(x.grad, 2.5 * torch.arange(1000.0, device="cuda"))


# --- Functions of JAX arrays ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def jax() -> Any:
    jax: Any = pytest.importorskip("jax")
    if not any(d.platform == "gpu" for d in jax.devices()):
        pytest.skip("JAX has no GPU")
    return jax


def test_a_function_of_jax_arrays(jax: Any) -> None:
    jnp = jax.numpy
    matmul = gemm.as_jax({"c": partial(fh.partition, tile=(64, 64))})
    rng = np.random.default_rng(0)
    a, b = (jnp.asarray(rng.standard_normal(shape, np.float32)) for shape in ((200, 96), (96, 136)))
    expected = np.asarray(a, np.float64) @ np.asarray(b, np.float64)

    def amid(a: Any, b: Any) -> Any:
        return matmul(a * 2, b) / 2

    for found in (matmul(a, b), jax.jit(matmul)(a, b), jax.jit(amid)(a, b)):
        assert next(iter(found.devices())).platform == "gpu"
        assert np.linalg.norm(np.asarray(found) - expected) <= 2e-3 * np.linalg.norm(expected)


def test_what_a_function_of_jax_mutates_is_a_result(jax: Any) -> None:
    jnp = jax.numpy
    function = saxpy.as_jax({"y": 64})

    @jax.jit
    def program(y: Any, x: Any) -> Any:
        for _ in range(5):
            y = function(y, x, 1.5)
        return y

    y, x = jnp.ones(1000), jnp.arange(1000.0)
    for _ in range(20):
        assert (program(y, x) == 7.5 * x + 1).all()
    assert (y == 1).all()


def test_an_error_in_a_function_of_jax(jax: Any) -> None:
    function = saxpy.as_jax({"y": 64})
    with pytest.raises(Exception, match="O230"):
        jax.block_until_ready(function(jax.numpy.ones(100), jax.numpy.ones(99), 1.0))


# --- tile-run ---------------------------------------------------------------------------------------------------------

ENTRY = """\
cuda_tile.module @m {
  entry @numbers(%o: tile<ptr<i32>>, %n: tile<i32>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %nx, %ny, %nz = get_num_tile_blocks : tile<i32>
    %row = muli %y, %nx : tile<i32>
    %i = addi %row, %x : tile<i32>
    %v = addi %i, %n : tile<i32>
    %q = offset %o, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %u = store_ptr_tko weak %q, %v : tile<ptr<i32>>, tile<i32> -> token
    return
  }
  entry @nothing() {
    return
  }
}
"""


def test_tile_run_on_the_gpu(tmp_path: Path) -> None:
    source = tmp_path / "numbers.mlir"
    source.write_text(ENTRY)
    command = [sys.executable, "-m", "freehold.tools.tile_run", str(source), "--gpu", "--symbol", "numbers"]
    found = subprocess.run(
        [*command, "-a", "zeros:i32[8]", "-a", "100", "--grid", "2,3"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "[100, 101, 102, 103, 104, 105,   0,   0]" in found.stdout, found.stderr


# --- Functions of torch's tensors -------------------------------------------------------------------------------------


def test_planned_functions_follow_their_arguments() -> None:
    torch: Any = pytest.importorskip("torch")
    times = 0

    @fh.planned
    def scaled(x: Any, a: float) -> Any:
        nonlocal times
        times += 1
        y = torch.empty_like(x)
        scale(fh.partition(y, 64), x, a).on()
        return y

    given = [torch.randn(1000, device="cuda") for _ in range(12)]
    for x in given:
        for a in (2.0, 3.0):
            assert torch.equal(scaled(x, a), x * a)
    assert times < 2 * len(given) or not native.BUILT
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        found = [scaled(x, 2.0) for x in given]
    torch.cuda.current_stream().wait_stream(side)
    for x, y in zip(given, found, strict=True):
        assert torch.equal(y, x * 2)
    graph, source = torch.cuda.CUDAGraph(), given[0].clone()
    with torch.cuda.graph(graph):
        made = scaled(source, 3.0)
    source.copy_(given[1])
    graph.replay()
    assert torch.equal(made, given[1] * 3)


def test_products_do_as_torch_s_settings_say_each_time() -> None:
    torch: Any = pytest.importorskip("torch")
    from freehold import kernels

    a, b = (torch.randn(256, 256, device="cuda") for _ in range(2))
    wanted = a.double() @ b.double()
    before = torch.backends.cuda.matmul.allow_tf32
    try:
        for value in (True, False) * 6:
            torch.backends.cuda.matmul.allow_tf32 = value
            error = (kernels.matmul(a, b) - wanted).abs().max().item()
            assert (error > 1e-3) is value, error
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before
