"""Launches in functions that `torch.compile` takes whole: what they compute, in which order, how often it compiles."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import pytest
from forked import Forks

import freehold as fh
from freehold import Acc, Const, Mut, Out, Ref, f32, i32
from freehold.runtime.launch.launch import UnrunLaunch
from freehold.support.dtypes import DType

torch: Any = pytest.importorskip("torch")
N = 100


@fh.kernel
def saxpy(y: Mut["N"], x: Ref["N"], a: f32 = 1.0, bias: Ref["N"] | None = None):  # pyright: ignore[reportArgumentType]
    t = a * x.load_like(y) + y.load()
    if bias is not None:
        t = t + bias.load_like(y)
    y.store(t)


@fh.kernel(partition=16)
def both(low: Out["M"], high: Out["M"], x: Ref["M", "N"], total: Acc[f32, 1], shift: i32, K: Const[int] = 8):
    (m,) = low.index
    t = x.load((m, 0), (low.tile[0], K)) + shift.astype(f32)
    low.store(t.min(axis=1))
    high.store(t.max(axis=1))
    total.at(0).add(t.sum())


@fh.kernel
def product(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], BK: Const[int] = 16, of: Const[DType] = f32):
    m, n = c.index
    acc = fh.zeros(c.tile, of)
    for k in fh.tiles(a, axis=1, size=BK):
        acc = fh.mma(a.load((m, k), (c.tile[0], BK)), b.load((k, n), (BK, c.tile[1])), acc)
    c.store(acc)


@fh.kernel
def rows(y: Mut["R", "N"], ends: Ref[i32, "E + 1"]):
    y.store(y.load() + y.index[0].astype(f32))


def in_turns(y: Any, x: Any, b: Any) -> Any:
    y.add_(1)
    first = saxpy(fh.partition(y, 64), x * 2, 2.0).sync()
    between = first * 3
    saxpy(fh.partition(y, 32, order=fh.ROW), x, a=0.5, bias=b).on()
    saxpy(y, x).on().wait()
    return between, y + 1, first is y


def several(m: Any, shift: int) -> Any:
    low, high, total = torch.empty(len(m)), torch.empty(len(m)), torch.zeros(1)
    found = both(low, high, m, total, shift).sync()
    return (*found, low + high)


def of_products(a: Any, b: Any) -> Any:
    c = torch.empty(a.shape[0], b.shape[1])
    product(fh.partition(c, (16, 16), order=fh.grouped(2), blocks=fh.PERSISTENT), a, b, BK=32, of=f32).sync()
    d = torch.zeros_like(c)
    product(fh.partition(d.T, (8, 16)), b.T, a.T).sync()
    return c, d


def in_groups(y: Any, ends: Any) -> Any:
    return rows(fh.ragged(y, (4, 8), by="ends"), ends).sync() * 2


def windows(y: Any, x: Any) -> Any:
    saxpy(fh.partition(y[8:40], 16), x[:32]).sync()
    return y


def cases() -> dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]:
    random = torch.Generator().manual_seed(0)
    vectors = [torch.randint(-8, 8, (N,), generator=random).float() for _ in range(3)]
    a, b = (torch.randint(-8, 8, shape, generator=random).float() for shape in ((40, 64), (64, 48)))
    return {
        "in turns": (in_turns, tuple(vectors)),
        "several outputs": (several, (a[:, :8].contiguous(), 3)),
        "products": (of_products, (a, b)),
        "groups": (in_groups, (torch.zeros(20, 8), torch.tensor([0, 3, 7, 11, 15, 19, 20], dtype=torch.int32))),
        "windows": (windows, tuple(vectors[:2])),
    }


@pytest.mark.parametrize("fullgraph", [True, False])
def test_a_launch_that_is_never_run_warns(fullgraph: bool) -> None:
    def forgotten(y: Any, x: Any) -> Any:
        saxpy(fh.partition(y, 64), x)
        saxpy(fh.partition(y, 64), x).sync()
        return y + 1

    torch.compiler.reset()  # which forgets who wants to know of the end of a trace
    place = f"{__file__}:{forgotten.__code__.co_firstlineno + 1}"
    y = torch.ones(N)
    with pytest.warns(UnrunLaunch, match=f"`saxpy` was never run: add `.sync.*{place}$") as told:
        assert (torch.compile(forgotten, fullgraph=fullgraph, backend="eager")(y, y.clone()) == 3).all()
    assert len(told) == 1


def test_outputs_are_cut_by_their_names_in_whatever_order_they_are_given() -> None:
    def twice(m: Any) -> tuple[Any, ...]:
        first, second, total = torch.empty(len(m)), torch.empty(len(m)), torch.zeros(1)
        both(low=fh.partition(first, 16), high=fh.partition(second, (16,)), x=m, total=total, shift=0).sync()
        third, fourth = torch.empty(len(m)), torch.empty(len(m))
        both(high=fh.partition(third, 16), low=fh.partition(fourth, (16,)), x=m, total=total, shift=0).sync()
        return first, second, third, fourth

    m = torch.arange(40 * 8, dtype=torch.float32).reshape(40, 8)
    low, high = m.min(1).values, m.max(1).values
    assert same(torch.compile(twice, fullgraph=True, backend="eager")(m), (low, high, high, low))


def test_a_launch_that_is_run_after_a_graph_has_ended_does_not_warn() -> None:
    def late(y: Any, x: Any) -> Any:
        launch = saxpy(fh.partition(y, 64), x)
        torch._dynamo.graph_break()
        launch.sync()
        return y + 1

    y = torch.ones(N)
    assert (torch.compile(late, backend="eager")(y, y.clone()) == 3).all()


def copied(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(a.clone() if isinstance(a, torch.Tensor) else a for a in arguments)


def same(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, list):
        return len(found) == len(cast("list[Any]", wanted)) and all(map(same, found, cast("list[Any]", wanted)))
    if isinstance(wanted, tuple):
        return same([*found], [*cast("tuple[Any, ...]", wanted)])
    return torch.equal(found, wanted) if isinstance(wanted, torch.Tensor) else found == wanted


def counting() -> Any:
    """A backend that counts what torch has it compile. Torch alone imports no module of what it has for tests."""
    return import_module("torch._dynamo.testing").CompileCounterWithBackend("aot_eager")


@pytest.fixture(autouse=True)
def anew() -> None:
    torch._dynamo.reset()


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("name", cases())
def test_compiled_is_as_written(name: str, dynamic: bool | None) -> None:
    function, arguments = cases()[name]
    wanted, changed = copied(arguments), copied(arguments)
    result = function(*wanted)
    compiled = torch.compile(function, fullgraph=True, backend="aot_eager", dynamic=dynamic)
    for _ in range(2):
        changed = copied(arguments)
        assert same(compiled(*changed), result)
        assert same(changed, wanted), "what is changed in place is changed"


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
@pytest.mark.parametrize("name", ["in turns", "several outputs"])
def test_code_of_inductor_is_as_written(name: str) -> None:
    function, arguments = cases()[name]
    wanted, changed = copied(arguments), copied(arguments)
    result = function(*wanted)
    assert same(torch.compile(function, fullgraph=True)(*changed), result)
    assert same(changed, wanted)


def test_calls_with_other_numbers_are_not_compiled_again() -> None:
    counter = counting()
    compiled = torch.compile(several, fullgraph=True, backend=counter)
    m = torch.ones(40, 8)
    for shift in (1, 2):
        compiled(m, shift)
    before = counter.frame_count
    assert before <= 2, "the second time torch learns that the number varies"
    for shift in range(3, 9):
        assert same(compiled(m, shift), several(m, shift))
    assert counter.frame_count == before


def test_other_partitions_are_other_operators() -> None:
    def cut(y: Any, x: Any, tile: int) -> Any:
        return saxpy(fh.partition(y, tile), x).sync()

    counter = counting()
    compiled = torch.compile(cut, fullgraph=True, backend=counter, dynamic=False)
    for tile in (16, 32, 16, 32):
        assert torch.equal(compiled(torch.ones(N), torch.ones(N), tile), torch.full((N,), 2.0))
    assert counter.frame_count == 2


def test_a_planned_function_is_read_as_any_other() -> None:
    @fh.planned
    def tripled(x: Any) -> Any:
        y = torch.empty_like(x)
        saxpy(fh.partition(y.zero_(), 16), x, 3.0).on()
        return y

    x = torch.arange(float(N))

    def around(x: Any) -> Any:
        return tripled(x + 1) * 2

    whole = torch.compile(around, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(whole(x), 6 * (x + 1))
    torch.testing.assert_close(tripled(x), 3 * x)


class Layer(torch.nn.Module):
    """A module that launches a kernel."""

    def __init__(self) -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType] -- of torch
        self.kernel = saxpy
        self.weight = torch.nn.Parameter(torch.full((N,), 3.0))

    def forward(self, x: Any) -> Any:
        y = torch.zeros_like(x)
        self.kernel(fh.partition(y, 64), x, 1.0, self.weight).sync()
        return y * 2


def test_modules_are_compiled_and_exported() -> None:
    layer, x = Layer(), torch.arange(float(N))
    wanted = (x + 3) * 2
    assert torch.equal(torch.compile(layer, fullgraph=True, backend="aot_eager")(x), wanted)
    exported = torch.export.export(layer, (x,), strict=True)
    assert "freehold_launch" in str(exported.graph)
    assert torch.equal(exported.module()(x), wanted)


def test_what_is_launched_has_no_gradient_as_without_torch_compile() -> None:
    def loss(y: Any, x: Any, w: Any) -> Any:
        saxpy(fh.partition(y, 64), x).sync()
        return (y * w).sum()

    x, w = torch.ones(N, requires_grad=True), torch.ones(N, requires_grad=True)
    torch.compile(loss, fullgraph=True, backend="aot_eager")(torch.ones(N), x, w).backward()
    assert x.grad is None
    assert torch.equal(w.grad, torch.full((N,), 2.0))


def test_what_torch_cannot_follow_is_launched_outside_of_its_graph() -> None:
    def watched(y: Any, x: Any) -> Any:
        saxpy(fh.partition(y, 64), x).sync()
        return y + 1

    y, x = torch.ones(N, requires_grad=True), torch.ones(N)
    with pytest.raises(fh.Rejected, match="O206"):
        torch.compile(watched, backend="aot_eager")(y, x)
    torch._dynamo.reset()
    with pytest.raises(torch._dynamo.exc.Unsupported, match="what autograd watches"):
        torch.compile(watched, fullgraph=True, backend="aot_eager")(y, x)
    with torch.no_grad():
        assert torch.equal(torch.compile(watched, fullgraph=True, backend="aot_eager")(y, x), torch.full((N,), 3.0))


def test_errors_are_those_of_launches() -> None:
    def short(y: Any, x: Any) -> Any:
        return saxpy(fh.partition(y, 64), x[:50]).sync()

    with pytest.raises(fh.Rejected, match="O230"):
        torch.compile(short, fullgraph=True, backend="aot_eager")(torch.ones(N), torch.ones(N))


PROGRAM = """
{first}
{second}
from freehold import Mut, Ref
from freehold.runtime.base import native

assert not (native.BUILT and {without})  # nothing was read of the environment before

{late}

def saxpy(y: Mut["N"], x: Ref["N"]):
    y.store(x.load_like(y) + y.load())

saxpy = fh.kernel(saxpy)

def twice(y, x):
    saxpy(fh.partition(y, 16), x).sync()
    return saxpy(fh.partition(y, 16), x).on().value

print(torch.compile(twice, fullgraph=True, backend="aot_eager")(torch.ones(40), torch.ones(40)).sum().item())
"""


OLDER = "import torch; torch.__version__ = type(torch.__version__)('{}'); import torch._dynamo"
"""Torch takes itself for an older one, whose compiler reads less: the calls of a native module it does not."""


OTHERS = "numpy", "ml_dtypes", "z3", "sympy", "xdsl.dialects.builtin", "xdsl.irdl"
"""What torch and the compiler import of third parties, which are the same to both whoever comes first."""


@pytest.fixture(scope="module")
def importing(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Forks]:
    """What has executed some lines of imports, in their order. Programs of one beginning execute it once."""
    folder = tmp_path_factory.mktemp("lines")

    @cache
    def after(*lines: str) -> Forks:
        if not lines:
            return Forks(OTHERS, {**os.environ, "PYTHONPATH": str(folder)})
        origin = after(*lines[:-1])
        name = f"line_{len(list(folder.iterdir()))}"
        (folder / f"{name}.py").write_text(lines[-1])
        return origin.grown(name)

    return after


@pytest.mark.parametrize("native", ["0", "1"])
@pytest.mark.parametrize(
    ("first", "second", "late"),
    [
        ("import freehold as fh", "import torch", ""),
        ("import torch", "import freehold as fh", "import torch._dynamo"),
        ("import torch", "import freehold as fh", OLDER.format("2.12.1")),
        ("import torch", "import freehold as fh", OLDER.format("2.6.0")),
        ("import torch, torch._dynamo", "import freehold as fh", ""),
    ],
)
def test_whoever_is_imported_first(
    first: str, second: str, late: str, native: str, tmp_path: Path, importing: Callable[..., Forks]
) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(first=first, second=second, late=late, without=native == "0"))
    environment = {**os.environ, "FREEHOLD_NATIVE": native}
    if sys.platform == "linux":
        done = importing(first, second, late).run([str(program)], environment)
    else:  # a fork may not use there what its origin has loaded
        done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, env=environment)
    assert done.stdout.strip() == "120.0", done.stderr
