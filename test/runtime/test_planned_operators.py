"""Operators of torch among what a planned function does (`freehold.planned`): each is called with what it takes."""

# Torch's tensors are of no type that checkers know, and what is tested has no public name.
# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownParameterType=false, reportUnknownLambdaType=false

from __future__ import annotations

import operator
from collections.abc import Callable
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from freehold.runtime.interop import planned

torch: Any = pytest.importorskip("torch")
OPERATORS: dict[str, list[Callable[[Any, Any], Any]]] = {
    "add_": [lambda x, y: x.add_(y), lambda x, y: x.add_(2.5, alpha=3.0), lambda x, y: x.add_(y[0], alpha=2)],
    "copy_": [lambda x, y: x.copy_(y), lambda x, y: x[0].copy_(y[1])],
    "div_": [lambda x, y: x.div_(3), lambda x, y: x.div_(y + 9)],
    "fill_": [lambda x, y: x.fill_(2.5), lambda x, y: x[1:].fill_(0)],
    "mul_": [lambda x, y: x.mul_(y), lambda x, y: x.mul_(2)],
    "scatter_": [lambda x, y: x.scatter_(1, (y[:2, :2] * 0).long(), y), lambda x, y: x.scatter_(0, y.long() * 0, 1.0)],
    "scatter_add_": [lambda x, y: x.scatter_add_(1, (y[:2, :2] * 0).long(), y)],
    "sub_": [lambda x, y: x.sub_(y), lambda x, y: x.sub_(1)],
    "zero_": [lambda x, y: x.zero_(), lambda x, y: x[:, 1].zero_()],
    "clone": [lambda x, y: x.t().clone(), lambda x, y: x.t().clone(memory_format=torch.contiguous_format)],
    "_to_copy": [lambda x, y: x.to(torch.float64), lambda x, y: x.to(torch.int32, copy=True)],
    "flip": [lambda x, y: x.flip(0), lambda x, y: x.flip(0, 1)],
    "repeat": [lambda x, y: x.repeat(2, 1, 3)],
    "index_select": [lambda x, y: x.index_select(1, (y[0] * 0).int())],
    "gather": [lambda x, y: x.gather(1, (y * 0).long())],
    "new_full": [lambda x, y: x.new_full((2, 3), 4.5), lambda x, y: x.new_full((2,), 4, dtype=torch.int64)],
    "new_ones": [lambda x, y: x.new_ones(2, 3), lambda x, y: x.new_ones((2, 3), dtype=torch.int8)],
    "new_zeros": [lambda x, y: x.new_zeros((3,)), lambda x, y: x.new_zeros((3,), dtype=torch.float64)],
    "ones_like": [lambda x, y: torch.ones_like(x.t()), lambda x, y: torch.ones_like(x, dtype=torch.int32)],
    "zeros": [lambda x, y: torch.zeros(2, 3), lambda x, y: torch.zeros((3,), dtype=torch.float64, device="cpu")],
    "zeros_like": [lambda x, y: torch.zeros_like(x.t()), lambda x, y: torch.zeros_like(x, dtype=torch.int32)],
    "add": [lambda x, y: x + y, lambda x, y: x + 1, lambda x, y: torch.add(x, y[0], alpha=2.5)],
    "sub": [lambda x, y: x - y, lambda x, y: torch.sub(x, y, alpha=2), lambda x, y: x - 1],
    "mul": [lambda x, y: x * y[:, :1], lambda x, y: 2.5 * x, lambda x, y: x * y.double()],
    "div": [lambda x, y: x / (y + 9), lambda x, y: x / 3, lambda x, y: torch.div(x, y + 9, rounding_mode="floor")],
    "neg": [lambda x, y: -x],
    "reciprocal": [lambda x, y: 1 / (x + 9)],
    "sign": [lambda x, y: x.sign()],
    "exp": [lambda x, y: x.exp()],
    "log": [lambda x, y: (x * x + 1).log()],
    "sum": [
        lambda x, y: x.sum(), lambda x, y: x.sum(1), lambda x, y: x.sum((0, 1), keepdim=True),
        lambda x, y: x.sum(0, dtype=torch.float64), lambda x, y: (x > 0).sum(),
    ],
    "_softmax": [lambda x, y: x.softmax(1), lambda x, y: x.softmax(0, dtype=torch.float64)],
    **{
        name: [lambda x, y, f=f: f(x, y), lambda x, y, f=f: f(x, 0.5)]
        for name, f in (
            ("eq", operator.eq), ("ne", operator.ne), ("ge", operator.ge), ("gt", operator.gt), ("le", operator.le),
            ("lt", operator.lt),
        )
    },
}  # fmt: skip
"""Calls of operators of torch, by the name of one that is called."""
BELOW: dict[str, list[Callable[[Any, Any], Any]]] = {
    "contiguous": [lambda x, y: x.t().contiguous()],
    "flatten": [lambda x, y: x.t().flatten(0, 1)],
    "reshape": [lambda x, y: x.t().reshape(-1)],
    "to": [lambda x, y: x.to(torch.float64), lambda x, y: x.to(y.double())],
    "softmax": [lambda x, y: x.softmax(1), lambda x, y: x.softmax(0, dtype=torch.float64)],
}
"""As above, of those that are seen below autograd alone."""


def called_again(watch: planned.Watch, given: tuple[Any, ...]) -> list[Any]:
    """Does what was seen of operators as the native module does, on other tensors; returns all tensors of the call."""
    bases = list(given)
    for event in watch.events:
        assert isinstance(event, planned.Event)
        if event.kind == planned.MAKES:
            bases.append(torch.empty_like(watch.bases[event.made]))
            continue
        function, values, named, parts, new = event.what
        arguments = list(values)
        for at, base, shape, strides, first in parts:
            whole = bases[base]
            arguments[at] = whole if shape is None else whole.as_strided(shape, strides, whole.storage_offset() + first)
        found = function(*arguments, **(named or {}))
        if new is not None:
            assert (found.shape, found.stride(), found.dtype) == (new.shape, new.stride(), new.dtype)
            bases.append(found)
    return bases


@pytest.mark.parametrize("below", [False, True])
@pytest.mark.parametrize("name", [*OPERATORS, *BELOW])
def test_operators_are_called_with_what_they_take(name: str, below: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planned, "view", lambda tensor: SimpleNamespace(device=0))  # as on a GPU
    names: list[str] = []
    note = planned.Watch._called

    def noted(self: Any, called: str, *rest: Any) -> None:
        names.append(called)
        note(self, called, *rest)

    monkeypatch.setattr(planned.Watch, "_called", noted)
    if name in BELOW and not below:
        return

    def of_a_copy(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        """What changes a tensor, on one that is made: of an argument that would be all that a plan does."""

        def changed(x: Any, y: Any) -> Any:
            z = x.clone()
            function(z, y)
            return z

        return changed if name in planned._CHANGING else function

    for function in map(of_a_copy, (BELOW if name in BELOW else OPERATORS)[name]):
        watch = planned.Watch((torch.randn(4, 3), torch.randn(4, 3)))
        with torch._C._AutoDispatchBelowAutograd() if below else nullcontext():
            _, plan = watch.watch(function)
        assert plan not in (None, planned._UNPLANNED), name
        given = torch.randn(4, 3), torch.randn(4, 3)
        wanted = [t.clone() for t in given]
        result = function(*wanted)
        found = called_again(watch, given)
        assert torch.equal(found[0], wanted[0])
        assert torch.equal(found[1], wanted[1])
        assert any(t.shape == result.shape and torch.equal(t, result) for t in found)
    assert below or name in names


def test_every_operator_that_is_called_is_tried() -> None:
    assert {*OPERATORS, *BELOW} == {*planned._CHANGING, *planned._MAKING, *planned._COPYING}
