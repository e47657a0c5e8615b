"""Tuples of tensors in torch and JAX: operators that take lists, what torch compiles, gradients, and JAX's results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tuple_kernels import mean, sgd

import freehold as fh
from freehold import Out, Ref

N = 100


@fh.kernel
def copies(ys: tuple[Out["N"], ...], x: Ref["N"]):
    for y in ys:
        y.store(x.load_like(y))


def filled(seed: int) -> Any:
    return np.random.default_rng(seed).integers(-8, 8, N).astype(np.float32)


def passed(torch: Any, op: Any, arguments: tuple[Any, ...]) -> bool:
    return set(torch.library.opcheck(op, arguments).values()) == {"SUCCESS"}


@pytest.fixture(scope="module")
def torch() -> Any:
    return pytest.importorskip("torch")


@pytest.fixture(scope="module")
def stepping(torch: Any) -> Any:
    return sgd.as_torch_op("freehold_tuples::sgd", {"ps": 32})


@pytest.fixture(scope="module")
def averaging(torch: Any) -> Any:
    def backward(ctx: Any, gradient: Any) -> Any:
        *xs, weight, _ = ctx.saved_tensors
        each = gradient / len(xs) * (1 if weight is None else weight)
        return [each] * len(xs), None

    return mean.as_torch_op("freehold_tuples::mean", {"y": 32}, returns=["y"], backward=backward)


def test_an_operator_takes_lists(torch: Any, stepping: Any, averaging: Any) -> None:
    assert str(stepping._schema) == "freehold_tuples::sgd(Tensor(a!)[] ps, Tensor[] gs, float rate) -> ()"
    assert str(averaging._schema) == "freehold_tuples::mean(Tensor[] xs, Tensor? weight=None) -> Tensor"
    for count in (1, 3):
        ps, gs = ([torch.from_numpy(filled(n + at)) for n in range(count)] for at in (0, 9))
        assert stepping(ps, tuple(gs), 0.5) is None
        for n in range(count):
            assert torch.equal(ps[n], torch.from_numpy(filled(n)) - 0.5 * gs[n])
        assert torch.equal(averaging(gs), sum(gs) / count)
        assert passed(torch, stepping, (ps, gs, 0.5))
        assert passed(torch, averaging, (gs,))


def test_gradients_of_lists(torch: Any, stepping: Any, averaging: Any) -> None:
    xs, weight = [torch.ones(N, requires_grad=True) for _ in range(2)], torch.arange(float(N))
    averaging(xs, weight).sum().backward()
    for x in xs:
        assert torch.equal(x.grad, weight / 2)
    assert passed(torch, averaging, (xs, weight))

    ps = [torch.ones(N), torch.ones(N)]
    stepping(ps, xs, 0.5)
    assert all(p.requires_grad for p in ps), "what is changed by something that needs a gradient needs one"
    with pytest.raises(fh.Rejected, match="gradients of `gs` would be wrong without a word"):
        (ps[0] + ps[1]).sum().backward()
    with pytest.raises(fh.Rejected, match=r"O206.*`ps1`"):
        stepping([torch.ones(N), xs[0]], [torch.ones(N)] * 2, 0.5)


def step(torch: Any, stepping: Any, ps: Sequence[Any], gs: Sequence[Any], rate: float) -> Any:
    stepping(ps, gs, rate)
    sgd([fh.partition(p, 64 if n else 32) for n, p in enumerate(ps[:1])], gs[:1], rate).sync()
    sgd((*ps,), gs, rate).on()
    y = torch.empty_like(ps[0])
    mean(fh.partition(y, 64), xs=tuple(ps)).sync()
    return y * 2


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_in_what_torch_compiles(torch: Any, stepping: Any, backend: str) -> None:
    torch._dynamo.reset()

    def function(ps: Any, gs: Any, rate: float) -> Any:
        return step(torch, stepping, ps, gs, rate)

    compiled = torch.compile(function, fullgraph=True, backend=backend)
    gs = [torch.from_numpy(filled(n)) for n in range(3)]
    for count in (3, 2):
        ps, same = ([torch.from_numpy(filled(n + 5)) for n in range(count)] for _ in range(2))
        assert torch.equal(compiled(ps, gs[:count], 0.5), function(same, gs[:count], 0.5))
        assert all(map(torch.equal, ps, same))


def test_exported(torch: Any, stepping: Any) -> None:
    class Step(torch.nn.Module):
        def forward(self, a: Any, b: Any, g: Any) -> Any:
            return step(torch, stepping, [a * 1, b * 1], [g, g], 0.25)

    given = tuple(torch.from_numpy(filled(n)) for n in range(3))
    exported = torch.export.export(Step(), given, strict=True)
    assert "freehold_launch" in str(exported.graph)
    assert "freehold_tuples" in str(exported.graph)
    assert torch.equal(exported.module()(*given), Step()(*given))


def test_what_no_operator_can_be_made_of(torch: Any) -> None:
    with pytest.raises(fh.Rejected, match="nothing says how many results `ys` is"):
        copies.as_torch_op("freehold_tuples::copies", {"ys": 32}, returns=["ys"])
    made = copies.as_torch_op("freehold_tuples::copies", {"ys": [32, 64]})
    ys, x = [torch.zeros(N), torch.zeros(N)], torch.from_numpy(filled(0))
    with pytest.raises(fh.Rejected, match="O225"):
        made(ys, x)
    with pytest.raises(fh.Rejected, match="`ys` is given 1 tensors, and was made for 2"):
        made(ys[:1], x)
    copies.as_torch_op("freehold_tuples::all", {"ys": 32})(ys, x)
    assert torch.equal(ys[0], x)
    assert torch.equal(ys[1], x)
    weighted = mean.as_torch_op("freehold_tuples::weighted", {"y": 32}, returns=["y"])
    with pytest.raises(fh.Rejected, match="`xs` is empty"):
        weighted([], x)


def test_as_functions_of_jax() -> None:
    jax: Any = pytest.importorskip("jax")
    made, average = sgd.as_jax({"ps": 32}), mean.as_jax({"y": 32})
    compiled = jax.jit(made, static_argnames="rate")
    for count in (1, 2):
        ps, gs = (tuple(jax.numpy.asarray(filled(n + at)) for n in range(count)) for at in (0, 9))
        for function in (made, compiled):
            changed: Any = function(ps, list(gs), rate=0.5)
            assert np.shape(changed) == (count, N), "as many as there are, also where there is one"
            for n in range(count):
                np.testing.assert_array_equal(changed[n], filled(n) - 0.5 * filled(n + 9))
                np.testing.assert_array_equal(ps[n], filled(n))
        found: Any = jax.jit(average)(gs, gs[0])
        np.testing.assert_array_equal(found, sum(map(np.asarray, gs)) * np.asarray(gs[0]) / count)
    with pytest.raises(TypeError, match="`ps` of sgd is a tuple of arrays, not one of"):
        made(ps[0], gs, 0.5)
    with pytest.raises(fh.Rejected, match="`xs` is empty"):
        average([])
    with pytest.raises(fh.Rejected, match="nothing says how many results `ys` is"):
        copies.as_jax({"ys": 32})
