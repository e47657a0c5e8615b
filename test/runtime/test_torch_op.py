"""Kernels as operators of torch, on CPU tensors: the schema, `torch.compile`, gradients, and torch's own checks."""

# Stand-ins are of no type that checkers know.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false, reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import freehold as fh
from freehold import Acc, Const, Mut, Out, Ref, f32, i32
from freehold.runtime.interop import torch_op as operators
from freehold.runtime.interop.results import Results

torch: Any = pytest.importorskip("torch")
HERE = Path(__file__).parent


@fh.kernel
def saxpy(y: Mut["N"], x: Ref["N"], a: f32):
    y.store(a * x.load_like(y) + y.load())


@fh.kernel
def gemm(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], BK: Const[int] = 16):
    m, n = c.index
    acc = fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=1, size=BK):
        acc = fh.mma(a.load((m, k), (c.tile[0], BK)), b.load((k, n), (BK, c.tile[1])), acc)
    c.store(acc.astype(c.dtype))


@fh.kernel
def power(y: Out["N"], x: Ref["N"], n: int = 2, negative: bool = False):
    t = x.load_like(y)
    r = fh.ones(y.tile, y.dtype)
    for _ in range(n):
        r = r * t
    y.store(fh.where(negative, -r, r))


@fh.kernel
def ends(low: Out["M"], high: Out["M"], x: Ref["M", "N"], TN: Const[int] = 8):
    (m,) = low.index
    t = x.load((m, 0), (low.tile[0], TN))
    low.store(fh.min(t, axis=1))
    high.store(fh.max(t, axis=1))


inner: Any = operators
"""The module, of which some is not for others."""


@fh.kernel
def histogram_of(y: Out["N"], n: i32):
    y.store(n)


@pytest.fixture(scope="module")
def mutating() -> Any:
    return saxpy.as_torch_op("freehold_test::saxpy", {"y": 64})


@pytest.fixture(scope="module")
def returning() -> Any:
    return gemm.as_torch_op("freehold_test::gemm", {"c": partial(fh.partition, tile=(16, 16))}, returns=["c"])


def test_schemas(mutating: Any, returning: Any) -> None:
    assert str(mutating._schema) == "freehold_test::saxpy(Tensor(a!) y, Tensor x, float a) -> ()"
    assert str(returning._schema) == "freehold_test::gemm(Tensor a, Tensor b, int BK=16) -> Tensor"
    assert mutating is torch.ops.freehold_test.saxpy.default
    made = power.as_torch_op("freehold_test::power", {"y": 64}, returns=["y"])
    assert str(made._schema) == "freehold_test::power(Tensor x, SymInt n=2, bool negative=False) -> Tensor"
    x = torch.arange(10.0)
    assert torch.equal(torch.ops.freehold_test.power(x, 3, negative=True), -(x**3))


def test_a_mutating_operator(mutating: Any) -> None:
    y, x = torch.ones(100), torch.arange(100.0)
    assert mutating(y, x, 2.0) is None
    assert torch.equal(y, 2 * x + 1)
    torch.library.opcheck(mutating, (torch.ones(100), x, 2.0))


def test_a_returning_operator(returning: Any) -> None:
    a, b = torch.randn(20, 48), torch.randn(48, 36)
    torch.testing.assert_close(returning(a, b), a @ b)
    torch.testing.assert_close(returning(a, b, 8), a @ b)
    torch.library.opcheck(returning, (a, b))


def test_several_results() -> None:
    op = ends.as_torch_op(
        "freehold_test::ends", {"low": 4, "high": 4}, returns={"low": None, "high": fh.f32}, fixed={"TN": 32}
    )
    assert str(op._schema) == "freehold_test::ends(Tensor x) -> (Tensor, Tensor)"
    x = torch.randn(10, 32)
    low, high = op(x)
    assert torch.equal(low, x.min(1).values)
    assert torch.equal(high, x.max(1).values)
    torch.library.opcheck(op, (x,))


@pytest.mark.parametrize("dynamic", [False, True])
def test_compiled_without_a_break(mutating: Any, returning: Any, dynamic: bool) -> None:
    def function(a: Any, b: Any, y: Any) -> Any:
        c = returning(a, b).relu()
        mutating(y, c.flatten(), 2.0)
        return y + c.sum()

    compiled = torch.compile(function, fullgraph=True, backend="aot_eager", dynamic=dynamic)
    for m in (8, 12):
        a, b, y = torch.randn(m, 16), torch.randn(16, 8), torch.ones(m * 8)
        again = y.clone()
        torch.testing.assert_close(compiled(a, b, y), function(a, b, again))
        torch.testing.assert_close(y, again)


def test_fake_tensors(returning: Any) -> None:
    fake: Any = pytest.importorskip("torch._subclasses.fake_tensor")
    with fake.FakeTensorMode():
        found = returning(torch.empty(7, 16, dtype=torch.bfloat16), torch.empty(16, 9, dtype=torch.bfloat16))
    assert (tuple(found.shape), found.dtype) == ((7, 9), torch.bfloat16)


def test_gradients() -> None:
    def backward(ctx: Any, gradient: Any) -> Any:
        a, b, _ = ctx.saved_tensors
        op, gradient = torch.ops.freehold_test.matmul, gradient.contiguous()  # that of a sum repeats one element
        return op(gradient, b.t().contiguous()), op(a.t().contiguous(), gradient), None

    op = gemm.as_torch_op("freehold_test::matmul", {"c": (16, 16)}, returns=["c"], backward=backward)
    a, b = (torch.randn(*shape, requires_grad=True) for shape in ((8, 16), (16, 12)))
    op(a, b).square().sum().backward()
    mine = a.grad, b.grad
    a.grad = b.grad = None
    (a @ b).square().sum().backward()
    torch.testing.assert_close(mine, (a.grad, b.grad))
    torch.library.opcheck(op, (a, b))

    def total(a: Any, b: Any) -> Any:
        return op(a, b).sum()

    compiled = torch.compile(total, fullgraph=True, backend="aot_eager")
    a.grad = b.grad = None
    compiled(a, b).backward()
    torch.testing.assert_close(a.grad, torch.ones(8, 12) @ b.t())


def test_what_autograd_watches_is_not_written(mutating: Any) -> None:
    y, x = torch.ones(100, requires_grad=True), torch.ones(100)
    with pytest.raises(fh.Rejected) as caught:
        mutating(y, x, 2.0)
    assert caught.value.codes == ("O206",)
    with torch.no_grad():
        mutating(y, x, 2.0)
    assert (y == 3).all()


@fh.kernel
def spread(y: Out, x: Ref["N"]):
    y.store(fh.zeros(y.tile, y.dtype))


@fh.kernel
def histogram(h: Acc[i32, "B"], x: Ref[i32, "N"]):
    h.add_at(1, x.load(), mask=x.index[0] * x.tile[0] + fh.arange(x.tile[0]) < x.shape[0])


def test_what_is_accumulated_is_mutated() -> None:
    counts = histogram.as_torch_op("freehold_test::histogram", {"x": 64})
    h, x = torch.ones(8, dtype=torch.int32), torch.randint(0, 8, (1000,), dtype=torch.int32)
    counts(h, x)
    assert torch.equal(h, 1 + torch.bincount(x, minlength=8).int())
    assert "Tensor(a!) h, Tensor x" in str(counts._schema)


@fh.kernel
def longer(y: Out["M"], x: Ref["N"]):
    y.store(fh.zeros(y.tile, y.dtype))


@fh.kernel
def odd(y: Out["N"], x: Ref["N"], how: Const[bytes]):
    y.store(x.load_like(y))


REFUSED: list[tuple[str, str]] = [
    ("no_partition", 'saxpy.as_torch_op("t::a", {})'),
    ("no_name", 'saxpy.as_torch_op("saxpy", {"y": 64})'),
    ("no_result", 'saxpy.as_torch_op("t::a", {"y": 64}, returns=["y"])'),
    ("no_parameter", 'saxpy.as_torch_op("t::a", {"y": 64, "z": 64})'),
    ("no_shape", 'spread.as_torch_op("t::a", {"y": 64}, returns=["y"])'),
    ("no_dimension", 'longer.as_torch_op("t::a", {"y": 64}, returns=["y"])'),
    ("no_type", 'odd.as_torch_op("t::a", {"y": 64})'),
    ("no_gradient", 'saxpy.as_torch_op("t::a", {"y": 64}, backward=print)'),
]


@pytest.mark.parametrize(("name", "program"), REFUSED)
def test_what_is_no_operator(name: str, program: str, golden: Callable[[Path, str], None]) -> None:
    fh.register_source("train.py", program + "\n")
    with pytest.raises(fh.Rejected) as caught:
        exec(compile(program, "train.py", "exec"), {k: v for k, v in globals().items() if k != "__name__"})
    golden(HERE / "operators" / f"O278_{name}.err", str(caught.value))


def test_tuples_are_taken_apart_and_put_together() -> None:
    given: list[Any] = [1, [2, 3], [], 4, [5]]
    counts = [len(a) if isinstance(a, list) else -1 for a in given]
    assert inner._flat(counts, given) == [1, 2, 3, 4, 5]
    assert inner._grouped(counts, [1, 2, 3, 4, 5]) == given


@pytest.mark.parametrize(
    ("results", "output", "kept"), [(1, "y", "y"), (2, ("y", "z"), "yz"), (3, tuple("yzw"), "yzw")]
)
def test_arguments_and_results_are_kept_for_gradients(results: int, output: Any, kept: str) -> None:
    def parameter(tensor: bool, many: bool) -> Any:
        return SimpleNamespace(is_tensor=tensor, many=many)

    taken = [parameter(True, False), parameter(False, False), parameter(True, True)]
    operator: Any = SimpleNamespace(results=SimpleNamespace(dtypes=[None] * results), taken=taken)
    saved = list[Any]()
    context = SimpleNamespace(save_for_backward=lambda *given: saved.extend(given))
    inner._Operator._save(operator, context, ("a", 3, ("b", "c")), output)
    assert saved == [*"abc", *kept]


@pytest.mark.parametrize(
    ("kernel", "wanted", "left_out", "said"),
    [
        (saxpy, ["y"], {}, ("`y` is no `Out` parameter", "results are `Out` parameters: it has none")),
        (gemm, ["a"], {}, ("`a` is no `Out` parameter", "results are `Out` parameters: `c`")),
        (
            ends,
            {"low": None, "n": f32},
            {},
            ("`n` is no `Out` parameter", "results are `Out` parameters: `low`, `high`"),
        ),
        (histogram_of, ["y"], {}, ("no argument is an array", "leave one array an argument")),
    ],
)
def test_what_is_no_result(kernel: Any, wanted: Any, left_out: Any, said: tuple[str, str]) -> None:
    with pytest.raises(fh.Rejected) as caught:
        Results(kernel, wanted, left_out)
    assert all(part in str(caught.value) for part in said), str(caught.value)
