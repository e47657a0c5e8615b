"""
Gradients of the library that are done again as they were (`freehold.planned`), and operators of torch among what is
done again, on the stub driver; run by test_stub_driver.py. Its kernels write nothing: what is compared are parameters
of launches, and what torch itself computes.
"""

# Torch's tensors are of no type that checkers know, and what is tested has no public name.
# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownParameterType=false, reportUnknownLambdaType=false

from __future__ import annotations

import ctypes
import sys
import warnings
import weakref
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any
from unittest.mock import patch

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

import stub as stub_of_torch
from counting import steps
from stub import launches_of, posing, run_tests, the_stub, told

import freehold as fh
from freehold import Mut, Out, Ref, i32, kernels
from freehold.kernels import convolutions
from freehold.kernels.operators import Operator
from freehold.runtime.base import native
from freehold.runtime.gpu import driver, failures
from freehold.runtime.interop import planned
from freehold.support.contract import FAILURE_SLOTS

stub = the_stub()
torch = posing()
NATIVE = native.module() is not None


@fh.kernel
def add(z: Out["N"], x: Ref["N"], y: Ref["N"]):
    z.store(x.load_like(z) + y.load_like(z))


@fh.kernel
def guarded(y: Mut["N"], x: Ref[32], limit: i32):
    k = x.load((0,), (32,)).max()
    assert k < limit, "too large"
    y.store(y.load() + 1)


@fh.kernel
def shifted(y: Out["N"], x: Ref["M"], start: i32):
    fh.require("start >= 0 and start + N <= M")
    y.store(x.load_from((y.start[0] + start,), y.tile))


class Counted:
    """A planned function, and how often Python ran it."""

    def __init__(self, function: Callable[..., Any]):
        self.times = 0

        def counted(*arguments: Any) -> Any:
            self.times += 1
            return function(*arguments)

        self.call = fh.planned(counted)

    def learnt(self, *arguments: Any) -> None:
        """Calls it until Python need not run it for such arguments."""
        self.times = 0
        for _ in range(3):
            self.call(*arguments)
        assert self.times == (2 if NATIVE else 3)
        self.times = 0


def operators() -> Iterator[Operator]:
    """Every operator of the library that was called."""
    for found in iter_modules([str(Path(kernels.__file__).parent)]):
        for value in vars(import_module(f"freehold.kernels.{found.name}")).values():
            if isinstance(value, Operator) and value._library is not None:
                yield value


@contextmanager
def noticed() -> Generator[list[str]]:
    """What of operators and their gradients Python runs meanwhile as it is written."""
    names: list[str] = []

    def noted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any) -> Any:
            names.append(name)
            return function(*arguments)

        return run

    with ExitStack() as stack:
        for op in {id(op): op for op in operators()}.values():
            for one, what in {op._again: ", gradients", op._all: ", all", op._run: ""}.items():
                stack.enter_context(patch.object(one, "inner", noted(f"{op.name}{what}", one.inner)))
        yield names


def normal(*shape: int, dtype: Any = torch.float32, wants: bool = True) -> Any:
    return torch.randn(*shape).to(dtype).requires_grad_(wants)


# --- Operators of torch -----------------------------------------------------------------------------------------------


def test_operators_of_torch_are_called_again() -> None:
    def computed(x: Any, by: float) -> Any:
        rows = x.view(-1, 8)[1:]
        turned = rows.t().contiguous()
        turned[0].copy_(rows[:, 3])
        turned[1:3].zero_()
        total = (rows * by - rows.flip(0)).sum(1)
        add(fh.partition(x.new_empty(8), 8), x[:8], turned.view(-1)[-8:]).on()
        return turned, total[1:], None, x, total.to(torch.float64).view(3, 1), rows[0]

    f = Counted(computed)
    f.learnt(torch.randn(32), 2.0)
    for _ in range(3):
        x = torch.randn(32)
        found, wanted = f.call(x, 2.0), computed(x, 2.0)
        assert f.times == (0 if NATIVE else 1)
        f.times = 0
        assert found[3] is x
        for one, other in zip(found, wanted, strict=True):
            if one is None:
                assert other is None
                continue
            assert (one.shape, one.stride(), one.dtype) == (other.shape, other.stride(), other.dtype)
            assert torch.equal(one, other)
        assert found[5].data_ptr() == x.data_ptr() + 8 * 4
    part = torch.randn(64)[32:]  # which begins elsewhere in its memory
    assert torch.equal(f.call(part, 2.0)[5], part[8:16])


def test_a_copy_is_no_view() -> None:
    """Below autograd a mode sees operators that copy or do not, as their arguments want it."""

    def turned(x: Any) -> Any:
        copied = x.t().reshape(-1)
        same = x.reshape(-1)
        z = copied.new_empty(64)
        add(fh.partition(z, 64), copied, same).on()
        return z, copied

    f, x = Counted(turned), torch.randn(8, 8)
    with torch._C._AutoDispatchBelowAutograd():
        f.learnt(x)
        for x in (torch.randn(8, 8), torch.randn(8, 8)):
            parameters, (z, copied) = told("QQQi", lambda x=x: f.call(x))
            assert parameters[:3] == [z.data_ptr(), copied.data_ptr(), x.data_ptr()]
            assert torch.equal(copied, x.t().reshape(-1))
    assert f.times == (0 if NATIVE else 2)


def test_what_looks_otherwise_than_it_did_is_made_anew() -> None:
    def of_zeros(x: Any) -> Any:
        return torch.zeros(64, device=x.device), x.clone()

    f, x = Counted(of_zeros), torch.randn(64)
    f.learnt(x)
    torch.set_default_dtype(torch.float64)
    try:
        found = f.call(x)
        assert f.times == 1
        assert found[0].dtype == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
    assert f.call(x)[0].dtype == torch.float32


def test_what_nobody_needs_any_more_is_given_back() -> None:
    if not NATIVE:
        pytest.skip("Python allocates")

    def in_turns(x: Any) -> Any:
        first, second = x.new_empty(64), x.new_empty(64)
        add(fh.partition(first, 64), x, x).on()
        add(fh.partition(second, 64), first, x).on()
        third = x.new_empty(64)
        add(fh.partition(third, 64), second, x).on()
        return third

    f, x = Counted(in_turns), torch.randn(64)
    f.learnt(x)
    allocate = planned.allocation()[0]
    made: list[Any] = []
    alive: list[int] = []

    def noted(*arguments: Any) -> Any:
        alive.append(sum(one() is not None for one in made))
        tensor = allocate(*arguments)
        made.append(weakref.ref(tensor))
        return tensor

    changed: Any = planned
    kept = changed.allocation
    changed.allocation = lambda: (noted, None)
    planned.calls()  # tells the native module
    try:
        f.call(x)
    finally:
        changed.allocation = kept
        planned.calls()
    assert f.times == 0
    assert alive == [0, 1, 1]  # the first is not needed once the second is written


def test_autograd_is_told_of_operators_of_torch() -> None:
    """Where it looks, a function is called as it is written."""
    f, x = Counted(lambda x: x.clone() * 2.0), normal(8)
    for _ in range(4):
        f.call(x).sum().backward()
    assert f.times == 4
    assert torch.equal(x.grad, torch.full((8,), 8.0))
    with torch.no_grad():
        for _ in range(3):
            assert not f.call(x).requires_grad
    assert f.times == (6 if NATIVE else 7)


def test_functions_of_the_library_are_part_of_a_plan() -> None:
    def normed(x: Any, w: Any) -> Any:
        return kernels.softmax(kernels.rms_norm(x, w).t())

    f, x, w = Counted(normed), torch.randn(8, 64), torch.randn(64)
    f.learnt(x, w)
    parameters, y = told("QQ", lambda: f.call(x, w))
    assert (parameters[0], y.shape) == (y.data_ptr(), (64, 8))
    assert launches_of(lambda: f.call(x, w)) == 2
    assert f.times == (0 if NATIVE else 2)

    def multiplied(x: Any, w: Any) -> Any:  # as a setting of torch's says, which is not told
        return kernels.matmul(x, w)

    f, w = Counted(multiplied), torch.randn(64, 64)
    for _ in range(6):
        f.call(x, w)
    assert f.times == 6


def fails(address: int, number: int, limit: int) -> None:
    """Does as a kernel whose first check fails in block 5."""
    for n, word in enumerate((1, 5, number, limit)):
        ctypes.c_int64.from_address(address + 8 * n * FAILURE_SLOTS).value = word


def test_checks_of_what_is_done_again_are_told() -> None:
    def counted(x: Any, limit: int) -> Any:
        y = x.new_empty(32)
        guarded(fh.partition(y, 32), x, limit).on()
        return y

    f, x = Counted(counted), torch.zeros(32, dtype=torch.int32)
    f.learnt(x, 10)
    addresses: list[int] = []
    for _ in range(4):
        (y, given, _, limit, address), found = told("QQiiQ", lambda: f.call(x, 10))
        assert (y, given, limit) == (found.data_ptr(), x.data_ptr(), 10)
        addresses.append(address)
        failures.raise_failures()
    assert len(set(addresses)) == 4  # each has words of its own
    for address in addresses[1:3]:
        fails(address, 99, 10)
        with pytest.raises(fh.Rejected) as caught:
            failures.raise_failures()
        assert caught.value.codes == ("O234",)
        assert "`k` = 99, `limit` = 10" in str(caught.value)
        assert "guarded(fh.partition(y, 32), x, limit).on()" in str(caught.value)  # where it was launched
        failures.raise_failures()  # it is told once
    assert f.times == (0 if NATIVE else 4)


def test_numbers_that_a_launch_admits_are_asked_for_once() -> None:
    def part(x: Any, start: int) -> Any:
        y = x.new_empty(64)
        shifted(fh.partition(y, 16), x, start).on()
        return y

    f, x = Counted(part), torch.zeros(256)
    for start in (0, 64, 192):
        f.learnt(x, start)
        parameters, y = told("QQiii", lambda start=start: f.call(x, start))
        assert parameters == [y.data_ptr(), x.data_ptr(), 64, 256, start]
    if NATIVE:
        assert steps(lambda: f.call(x, 64)) < 20
    for _ in range(6):
        before = stub.stub_launches()
        with pytest.raises(fh.Rejected):
            f.call(x, 193)
        assert stub.stub_launches() == before


# --- Gradients --------------------------------------------------------------------------------------------------------


def by_windows(x: Any, w: Any, b: Any) -> Any:
    return kernels.conv(x, w, b, padding=1)


IDS = torch.arange(64) % 16
OFFSETS = torch.tensor([0, 32, 64], dtype=torch.int32)
HALF = torch.bfloat16
GRADIENTS: dict[str, tuple[Callable[..., Any], tuple[tuple[int, ...], ...], Any]] = {
    "conv, patches": (by_windows, ((2, 16, 8, 64), (16, 16, 3, 3), (16,)), HALF),
    "conv, pieces": (by_windows, ((2, 16, 8, 64), (16, 16, 3, 3), (16,)), torch.float32),
    "conv, few": (by_windows, ((2, 3, 9, 9), (5, 3, 3, 3), (5,)), HALF),
    "conv by 2": (lambda x, w: kernels.conv(x, w, stride=2), ((2, 16, 9, 65), (16, 16, 3, 3)), HALF),
    "conv, depthwise": (
        lambda x, w: kernels.conv(x, w, padding=1, groups=8), ((2, 8, 8, 64), (8, 1, 3, 3)), torch.float32,
    ),
    "conv_transpose": (kernels.conv_transpose, ((2, 16, 8, 32), (16, 16, 3, 3)), HALF),
    "rms_norm": (kernels.rms_norm, ((64, 512), (512,)), HALF),
    "layer_norm": (kernels.layer_norm, ((64, 512), (512,), (512,)), HALF),
    "add_rms_norm": (lambda x, r, w: sum(kernels.add_rms_norm(x, r, w)), ((64, 512), (64, 512), (512,)), HALF),
    "group_norm": (lambda x, w, b: kernels.group_norm(x, 4, w, b), ((2, 16, 8, 32), (16,), (16,)), HALF),
    "max_pool": (lambda x: kernels.max_pool(x, 3, 2, 1), ((2, 4, 32, 32),), HALF),
    "avg_pool, not all of it": (lambda x: kernels.avg_pool(x, 2), ((2, 4, 33, 33),), HALF),
    "embedding": (lambda t: kernels.embedding(IDS, t), ((16, 256),), HALF),
    "cross_entropy": (lambda x: kernels.cross_entropy(x, IDS), ((64, 512),), HALF),
    "linear": (lambda x, w, b, r: kernels.linear(x, w, b, residual=r), ((64, 64), (64, 64), (64,), (64, 64)), HALF),
    "attention": (kernels.attention, ((1, 4, 64, 64), (1, 2, 64, 64), (1, 2, 64, 64)), HALF),
    "varlen_attention": (
        lambda q, k, v: kernels.varlen_attention(q, k, v, OFFSETS, most=32),
        ((64, 4, 64), (64, 2, 64), (64, 2, 64)), HALF,
    ),
    "linear_attention": (kernels.linear_attention, ((1, 2, 64, 64),) * 3, HALF),
    "linear_cross_entropy": (lambda x, w: kernels.linear_cross_entropy(x, w, IDS), ((64, 64), (512, 64)), HALF),
    "triplet_margin_loss": (kernels.triplet_margin_loss, ((64, 64),) * 3, torch.float32),
    "mse_loss": (lambda x: kernels.mse_loss(x, torch.zeros(64, 64)), ((64, 64),), torch.float32),
    "reduce": (lambda x: kernels.reduce(x, "mean", 1), ((64, 64),), HALF),
    "cumsum": (lambda x: kernels.cumsum(x, 0), ((64, 64),), HALF),
    "rope": (
        lambda x: kernels.rope(x, torch.zeros(16, 32), torch.zeros(16, 32)), ((2, 16, 4, 64),), HALF,
    ),
    "softmax": (kernels.softmax, ((64, 512),), HALF),
    "swiglu": (kernels.swiglu, ((64, 512), (64, 512)), HALF),
}  # fmt: skip


def gradients_of(name: str) -> Callable[..., Any]:
    """`f(dy)`: the gradients of a function, for one of its result; without `dy`, of random numbers."""
    function, shapes, dtype = GRADIENTS[name]
    given = [normal(*shape, dtype=dtype) for shape in shapes]
    y = function(*given)

    def gradients(dy: Any = None) -> Any:
        return torch.autograd.grad(y, given, torch.randn_like(y) if dy is None else dy, retain_graph=True)

    return gradients


def test_every_gradient_is_one_plan() -> None:
    with patch.object(convolutions, "_WEIGHTS", 1):  # small ones have patches of what they see, too
        for name in GRADIENTS:
            f = gradients_of(name)
            first = launches_of(f)
            f()
            with noticed() as ran:
                third = launches_of(f)
                assert third == first, name
                assert not NATIVE or not ran, (name, ran)
                found, wanted = f(), list(GRADIENTS[name][1])
                assert [tuple(t.shape) for t in found] == wanted, name


def test_gradients_cost_few_steps_in_python() -> None:
    if not NATIVE:
        pytest.skip("Python runs all of them")
    for name in (
        "group_norm",
        "attention",
        "linear",
        "linear_attention",
        "embedding",
        "swiglu",
        "layer_norm",
        "cumsum",
    ):
        f = gradients_of(name)
        for _ in range(3):
            f()
        assert steps(f) < 350, name  # most of them are torch's


def test_other_gradients_are_other_parameters() -> None:
    y = kernels.softmax(x := normal(64, 512))

    def gradient(dy: Any) -> Any:
        return torch.autograd.grad(y, x, dy, retain_graph=True)[0]

    given = [torch.randn(64, 512) for _ in range(5)]
    for dy in given:
        parameters, dx = told("QQQ", lambda dy=dy: gradient(dy))
        assert parameters == [dx.data_ptr(), dy.data_ptr(), y.data_ptr()]
    wide = torch.randn(512, 64).t()  # not contiguous: a copy is made of it, each time
    for _ in range(5):
        parameters, dx = told("QQQ", lambda: gradient(wide))
        assert parameters[0] == dx.data_ptr()
        assert parameters[1] not in (dx.data_ptr(), wide.data_ptr(), *(dy.data_ptr() for dy in given))
        assert parameters[2] == y.data_ptr()
    one = torch.randn(()).expand(64, 512)  # as of a sum
    for _ in range(4):
        parameters, dx = told("QQQ", lambda: gradient(one))
        assert parameters[1] not in (dx.data_ptr(), one.data_ptr())
    parameters, dx = told("QQQ", lambda: gradient(given[0]))
    assert parameters[1] == given[0].data_ptr()


def test_numbers_of_gradients_follow_what_is_given() -> None:
    """Of a sum of squares torch computes the gradient: 2 x dy."""
    x = normal(8, 16)
    y = kernels.reduce(x, "square sum", 1)
    for turn in range(6):
        x = normal(8, 16)
        y = kernels.reduce(x, "square sum", 1)
        for dy in (torch.randn(8), torch.randn(8, 2)[:, 0], torch.randn(()).expand(8), torch.ones(8)):
            (dx,) = torch.autograd.grad(y, x, dy, retain_graph=True)
            assert torch.equal(dx, dy[:, None] * (2 * x.detach())), turn
    with torch.no_grad():
        x.mul_(2.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        torch.autograd.grad(y, x, torch.ones(8))


def test_gradients_of_gradients() -> None:
    for _ in range(5):
        x, dy = normal(8, 16), normal(8)
        y = kernels.reduce(x, "square sum", 1)
        (dx,) = torch.autograd.grad(y, x, dy, create_graph=True)
        assert torch.equal(dx, dy[:, None] * (2 * x))
        again, other = torch.autograd.grad(dx.sum(), (x, dy))
        assert torch.equal(again, 2 * dy[:, None].expand(8, 16))
        assert torch.allclose(other, 2 * x.sum(1))
        torch.autograd.grad(kernels.reduce(x, "square sum", 1), x, dy.detach())


def test_gradients_of_one_operand() -> None:
    with patch.object(convolutions, "_WEIGHTS", 1):
        x, w = normal(2, 16, 8, 64, dtype=HALF), normal(16, 16, 3, 3, dtype=HALF)
        counts: dict[str, set[int]] = {}
        for _ in range(4):
            for name, given in (("both", (x, w)), ("x", (x, w.detach())), ("w", (x.detach(), w))):
                y = kernels.conv(*given, padding=1)
                wanted = [t for t in given if t.requires_grad]
                before = stub.stub_launches()
                found = torch.autograd.grad(y, wanted, torch.randn_like(y))
                counts.setdefault(name, set()).add(int(stub.stub_launches()) - before)
                assert [t.shape for t in found] == [t.shape for t in wanted]
    assert all(len(found) == 1 for found in counts.values())
    of = {name: found.pop() for name, found in counts.items()}
    assert of["x"] + of["w"] == of["both"]
    assert min(of.values()) > 1


def test_gradients_are_on_the_current_stream() -> None:
    f, other = gradients_of("layer_norm"), driver.new_stream(0)
    handles = (0, driver.handle_of(other))
    for n in range(8):
        handle = handles[n % 2]
        with patch.object(stub_of_torch, "current", [handle]), noticed() as ran:  # as `with torch.cuda.stream(...)`
            assert launches_of(f) == 2
        found = stub.stub_stream() or 0
        assert found in ((handle,) if handle else (0, 1))  # the default stream has two
        assert n < 4 or not NATIVE or not ran


def test_torch_compile_of_gradients() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x, w = normal(8, 64), normal(64)
        compiled = torch.compile(
            lambda x, w: kernels.rms_norm(kernels.reduce(x * 2.0, "square sum", 1)[:, None] + x, w),
            fullgraph=True,
            backend="aot_eager",
        )
        for _ in range(5):
            y = compiled(x, w)
            dx, dw = torch.autograd.grad(y, (x, w), torch.randn(64, 8).t())
            assert (dx.shape, dw.shape) == (x.shape, w.shape)


if __name__ == "__main__":
    run_tests(globals())
