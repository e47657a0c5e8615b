"""What tracers of torch see of the library: `torch.fx` the call, `torch.jit.trace` an error with a way out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")

from freehold import kernels  # noqa: E402 -- torch is there

CALLS: dict[str, Callable[[Any], Any]] = {
    "softmax": lambda x: kernels.softmax(x) + 1,
    "linear": lambda x: kernels.linear(x, x),
    "reduce": lambda x: kernels.reduce(x, "sum", dim=1),
    "topk": lambda x: kernels.topk(x, 2)[0],
    "rms_norm": lambda x: kernels.rms_norm(x, weight=x[0]),
    "cross_entropy": lambda x: kernels.cross_entropy(x, (x[:, 0] * 0).long()),
}


@pytest.mark.parametrize("name", CALLS)
def test_fx_records_the_call(name: str) -> None:
    traced = torch.fx.symbolic_trace(CALLS[name])
    function = getattr(kernels, name)
    assert function in [node.target for node in traced.graph.nodes if node.op == "call_function"]
    for shape in (4, 8), (2, 16):  # also of other shapes than any that it was traced with
        x = torch.randn(shape)
        assert torch.equal(traced(x), CALLS[name](x))


def test_wrong_arguments_are_told_as_the_graph_runs() -> None:
    def most(x: Any) -> Any:
        return kernels.topk(x, 9)[0]

    traced = torch.fx.symbolic_trace(most)
    with pytest.raises(ValueError, match="from 1 to 8 of the elements, not 9"):
        traced(torch.randn(4, 8))


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::torch.jit.TracerWarning")
@pytest.mark.parametrize("name", ["softmax", "reduce", "rms_norm"])
def test_a_trace_of_tensors_is_refused(name: str) -> None:
    x = torch.randn(4, 8)
    with pytest.raises(
        TypeError, match=rf"{name}: `torch.jit.trace` .* write `torch.export.export` or `torch.compile`"
    ):
        torch.jit.trace(CALLS[name], x)


@pytest.mark.parametrize("name", ["softmax", "reduce", "rms_norm"])
def test_what_is_proposed_works(name: str) -> None:
    class Module(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return CALLS[name](x)

    x = torch.randn(4, 8)
    exported = torch.export.export(Module(), (x,)).module()
    assert torch.equal(exported(x + 1), CALLS[name](x + 1))
