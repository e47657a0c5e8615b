"""What the library's functions are given: shapes that do not go together and elements of another kind are named."""

# What torch has is of no types here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from freehold import kernels
from freehold.kernels.arguments import Takes

torch: Any = pytest.importorskip("torch")


def of(*shape: int) -> Any:
    return torch.ones(*shape)


def places(*shape: int) -> Any:
    return torch.zeros(*shape, dtype=torch.int64)


SHAPES: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: kernels.rms_norm(of(2, 8), of(4)),
        "rms_norm: x (2, 8) is (..., N), and weight (4,) is (N): N would be 8 and 4",
    ),
    (
        lambda: kernels.layer_norm(of(2, 8), of(8), of(4)),
        "layer_norm: x (2, 8) is (..., N), and bias (4,) is (N): N would be 8 and 4",
    ),
    (
        lambda: kernels.add_rms_norm(of(2, 8), of(3, 8), of(8)),
        "add_rms_norm: x (2, 8) is (..., N), and residual (3, 8) is (..., N): ... would be (2,) and (3,)",
    ),
    (lambda: kernels.softmax(torch.tensor(1.0)), "softmax: x is (..., N), not ()"),
    (
        lambda: kernels.swiglu(of(2, 8), of(2, 4)),
        "gated: gate (2, 8) is (...), and up (2, 4) is (...): ... would be (2, 8) and (2, 4)",
    ),
    (lambda: kernels.embedding(places(3), of(4)), "embedding: table is (V, N), not (4,)"),
    (
        lambda: kernels.cross_entropy(of(3, 4), places(2)),
        "cross_entropy: logits (3, 4) is (M, N), and target (2,) is (M): M would be 3 and 2",
    ),
    (
        lambda: kernels.linear_cross_entropy(of(3, 4), of(5, 3), places(3)),
        "linear_cross_entropy: x (3, 4) is (M, D), and weight (5, 3) is (V, D): D would be 4 and 3",
    ),
    (
        lambda: kernels.matmul(of(3, 4), of(3, 4)),
        "matmul: a (3, 4) is (M, K), and b (3, 4) is (K, N): K would be 4 and 3",
    ),
    (
        lambda: kernels.matmul(of(2, 3, 4), of(1, 4, 5)),
        "bmm: a (2, 3, 4) is (Z, M, K), and b (1, 4, 5) is (Z, K, N): Z would be 2 and 1",
    ),
    (lambda: kernels.matmul(of(2, 3, 4), of(4, 5)), "bmm: b is (Z, K, N), not (4, 5)"),
    (
        lambda: kernels.linear(of(3, 4), of(3, 5)),
        "linear: x (3, 4) is (..., K), and weight (3, 5) is (N, K): K would be 4 and 5",
    ),
    (
        lambda: kernels.linear(of(3, 4), of(5, 4), of(3)),
        "linear: weight (5, 4) is (N, K), and bias (3,) is (N): N would be 5 and 3",
    ),
    (
        lambda: kernels.linear(of(3, 4), of(5, 4), residual=of(2, 5)),
        "linear: x (3, 4) is (..., K), and residual (2, 5) is (..., N): ... would be (3,) and (2,)",
    ),
    (
        lambda: kernels.linear(of(2, 3, 4), of(5, 4), residual=of(3, 2, 5)),
        "linear: x (2, 3, 4) is (..., K), and residual (3, 2, 5) is (..., N): ... would be (2, 3) and (3, 2)",
    ),
    (
        lambda: kernels.grouped_linear(of(3, 4), of(2, 5, 4), places(2).int()),
        "grouped_linear: offsets (2,) is (E+1), where E+1 is 3",
    ),
    (
        lambda: kernels.grouped_linear(of(3, 4), of(2, 5, 3), places(3).int()),
        "grouped_linear: x (3, 4) is (S, K), and weight (2, 5, 3) is (E, N, K): K would be 4 and 3",
    ),
    (lambda: kernels.dispatch(of(2, 8), places(2, 2), places(3)), "moe_dispatch: source (3,) is (T*K), where T*K is 4"),
    (
        lambda: kernels.combine(of(3, 8), places(2, 2), places(3), of(2, 2)),
        "moe_combine: x (3, 8) is (R, D), and slot (2, 2) is (T, K), but not `R == T * K`: R is 3, T is 2, K is 2",
    ),
    (
        lambda: kernels.attention(of(1, 3, 4, 8), of(1, 2, 4, 8), of(1, 2, 4, 8)),
        "attention: q (1, 3, 4, 8) is (B, H, S, D), and k (1, 2, 4, 8) is (B, KH, T, D), "
        "but not `H % KH == 0`: H is 3, KH is 2",
    ),
    (
        lambda: kernels.attention(*(of(1, 1, 4, d) for d in (512, 512, 8))),
        "attention: q (1, 1, 4, 512) is (B, H, S, D), but not `D <= 256`: D is 512",
    ),
    (
        lambda: kernels.attention(*(of(1, 1, n, 8) for n in (4, 4, 5))),
        "attention: k (1, 1, 4, 8) is (B, KH, T, D), and v (1, 1, 5, 8) is (B, KH, T, E): T would be 4 and 5",
    ),
    (
        lambda: kernels.varlen_attention(of(4, 3, 8), of(4, 2, 8), of(4, 2, 8), places(2).int()),
        "varlen_attention: q (4, 3, 8) is (S, H, D), and k (4, 2, 8) is (T, KH, D), "
        "but not `H % KH == 0`: H is 3, KH is 2",
    ),
    (
        lambda: kernels.decode_attention(of(1, 3, 16), of(1, 2, 64, 16), of(1, 2, 64, 16), places(1)),
        "decode_attention: q (1, 3, 16) is (B, H, D), and k (1, 2, 64, 16) is (P, KH, S, D), "
        "but not `H % KH == 0`: H is 3, KH is 2",
    ),
    (
        lambda: kernels.decode_attention(of(1, 2, 16), of(1, 2, 64, 16), of(1, 2, 64, 16), places(2)),
        "decode_attention: q (1, 2, 16) is (B, H, D), and lengths (2,) is (B): B would be 1 and 2",
    ),
    (
        lambda: kernels.linear_attention(*(of(1, 2, 3, d) for d in (4, 5, 4))),
        "linear_attention: q (1, 2, 3, 4) is (B, H, T, D), and k (1, 2, 3, 5) is (B, H, T, D): D would be 4 and 5",
    ),
    (
        lambda: kernels.logprobs(of(3, 4), places(2)),
        "logprobs: logits (3, 4) is (M, N), and ids (2,) is (M): M would be 3 and 2",
    ),
    (
        lambda: kernels.triplet_margin_loss(of(3, 4), of(3, 4), of(3, 5)),
        "triplet: anchor (3, 4) is (M, N), and negative (3, 5) is (M, N): N would be 4 and 5",
    ),
]


@pytest.mark.parametrize(("call", "words"), SHAPES)
def test_shapes_that_do_not_go_together(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(words)}$"):
        call()


ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "activation": (of(2, 8), "gelu"),
    "add_rms_norm": (of(2, 8), of(2, 8), of(8)),
    "append_kv": (of(1, 2, 64, 16), of(1, 2, 64, 16), of(1, 2, 1, 16), of(1, 2, 1, 16), places(1).int()),
    "argmax": (of(2, 8), 1),
    "argmin": (of(2, 8), 1),
    "attention": (of(1, 2, 4, 8), of(1, 2, 4, 8), of(1, 2, 4, 8)),
    "avg_pool": (of(1, 2, 8), 2, 2, 0),
    "batch_norm": (of(2, 4, 8), of(4), of(4), 1e-5),
    "combine": (of(4, 8), places(2, 2).int(), places(4).int(), of(2, 2)),
    "conv": (of(1, 2, 8), of(4, 2, 3), of(4), 1, 0, 1, 1),
    "conv_transpose": (of(1, 2, 8), of(2, 4, 3), of(4), 1, 0, 0, 1, 1),
    "cross_entropy": (of(3, 4), places(3)),
    "cumprod": (of(2, 8), 1),
    "cumsum": (of(2, 8), 1),
    "decode_attention": (of(1, 2, 16), of(1, 2, 64, 16), of(1, 2, 64, 16), places(1).int() + 3),
    "dequantise": (places(2, 8).to(torch.int8), of(2)),
    "dispatch": (of(2, 8), places(2, 2).int(), places(4).int()),
    "divergence": (of(2, 8), of(2, 8)),
    "embedding": (places(3), of(4, 8)),
    "gated": (of(2, 8), of(2, 8), "silu"),
    "geglu": (of(2, 8), of(2, 8)),
    "greedy": (of(2, 8),),
    "group_norm": (of(2, 4, 8), 2, of(4), of(4)),
    "grouped_linear": (of(4, 8), of(2, 16, 8), torch.tensor([0, 2, 4], dtype=torch.int32)),
    "histogram": (of(8), 4, 0.0, 2.0),
    "instance_norm": (of(2, 4, 8), of(4), of(4)),
    "kl_div": (of(2, 8), of(2, 8)),
    "layer_norm": (of(2, 8), of(8), of(8)),
    "linear": (of(2, 8), of(4, 8), of(4)),
    "linear_attention": (of(1, 2, 4, 8), of(1, 2, 4, 8), of(1, 2, 4, 8)),
    "linear_cross_entropy": (of(3, 4), of(5, 4), places(3)),
    "log_softmax": (of(2, 8), 1),
    "logprobs": (of(3, 4), places(3)),
    "matmul": (of(2, 8), of(8, 4)),
    "max_pool": (of(1, 2, 8), 2, 2, 0, 1),
    "moe": (of(2, 8), of(2, 2), of(2, 32, 8), of(2, 8, 16), 1),
    "mse_loss": (of(2, 8), of(2, 8)),
    "normalize": (of(2, 8), 2),
    "paged_attention": (of(1, 2, 16), of(2, 2, 16, 16), of(2, 2, 16, 16), places(1, 2).int(), places(1).int() + 3),
    "pair_loss": (of(2, 8), of(2, 8), "squared"),
    "quantise": (of(2, 8), "int8"),
    "reduce": (of(2, 8), "sum"),
    "rms_norm": (of(2, 8), of(8), 1e-6),
    "rope": (of(1, 4, 2, 8), of(4, 4), of(4, 4)),
    "rope_append": (
        *(of(1, 1, 2, 16), of(1, 1, 2, 16), of(1, 1, 2, 16), of(1, 2, 64, 16), of(1, 2, 64, 16), of(64, 8), of(64, 8)),
        places(1).int(),
    ),
    "route": (of(2, 4), 2),
    "sample": (of(2, 8),),
    "scaled_linear": (places(2, 16).to(torch.int8), places(4, 16).to(torch.int8), of(2), of(4), of(4)),
    "smooth_l1_loss": (of(2, 8), of(2, 8)),
    "softmax": (of(2, 8), 1),
    "sort": (of(2, 8), 1),
    "sort_by_expert": (places(2, 2), 2),
    "swiglu": (of(2, 8), of(2, 8)),
    "topk": (of(2, 8), 2),
    "transpose": (of(2, 8),),
    "triplet_margin_loss": (of(2, 8), of(2, 8), of(2, 8)),
    "varlen_attention": (of(4, 2, 8), of(4, 2, 8), of(4, 2, 8), torch.tensor([0, 4], dtype=torch.int32)),
}
"""What each function takes."""

NO_TENSORS: dict[str, tuple[Any, str]] = {
    "a list": ([1.0, 2.0], "a list: write `torch.tensor({name})`"),
    "tensors": ([torch.ones(2, 8)], "a list: write `torch.stack({name})`"),
    "a tuple": ((1.0, 2), "a tuple: write `torch.tensor({name})`"),
    "a shape": ((1, 2), "a tuple"),
    "a number": (1.5, "1.5: write `torch.tensor({name})`"),
    "text": ("x", "'x'"),
    "an array": (
        np.ones((2, 8), np.float32),
        "an array of numpy: write `torch.from_dlpack({name})`, or launch the kernel itself",
    ),
    "a module": (torch.nn.Linear(8, 4), "a Linear: write `{name}.weight`"),
    "nothing": (None, "None"),
}
"""What is no tensor, and what is said of it."""


def test_every_function_is_tried() -> None:
    assert ARGUMENTS.keys() == {*kernels.__all__} - {"define_operators", "patch"}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_what_is_no_tensor_is_named(name: str) -> None:
    function, arguments = getattr(kernels, name), ARGUMENTS[name]
    named = {"seed": 1} if name == "sample" else {}
    function(*arguments, **named)  # which goes right
    for at, parameter in enumerate(list(inspect.signature(function).parameters.values())[: len(arguments)]):
        kinds = parameter.annotation.split(" | ")
        if "Tensor" not in kinds:
            continue
        called = "a tensor or None" if "None" in kinds else "a tensor"
        for value, told in NO_TENSORS.values():
            if value is None and "None" in kinds:
                continue
            given = [*arguments[:at], value, *arguments[at + 1 :]]
            with pytest.raises(TypeError) as found:
                function(*given, **named)
            words = told.format(name=parameter.name)
            assert str(found.value) == f"{name}: {parameter.name} has to be {called}, not {words}"


VALUES = {
    "int": ("an integer", 2.5),
    "float": ("a number", "x"),
    "str": ("text", 3),
    "Extents": ("an integer, or one for each axis", 1.5),
}
"""What is of another kind than an annotation, and what the annotation asks for."""


@pytest.mark.parametrize("name", ARGUMENTS)
def test_values_of_another_kind_are_named(name: str) -> None:
    function, arguments = getattr(kernels, name), ARGUMENTS[name]
    for at, parameter in enumerate(list(inspect.signature(function).parameters.values())[: len(arguments)]):
        kind = parameter.annotation.split(" | ")[0]
        if kind in VALUES:
            words, value = VALUES[kind]
            with pytest.raises(TypeError, match=f"{name}: {parameter.name} has to be {words}.*, not {value!r}"):
                function(*arguments[:at], value, *arguments[at + 1 :])


def test_keywords_of_torch_and_numpy() -> None:
    x, q = of(2, 8), of(1, 2, 4, 8)
    calls: tuple[tuple[str, tuple[Any, ...], str, Any, str], ...] = (
        ("softmax", (x,), "axis", 0, "there is no `axis=`: write `dim=`"),
        ("argmax", (x,), "keepdims", True, "there is no `keepdims=`: write `keepdim=`"),
        ("greedy", (), "input", x, "there is no `input=`: write `logits=`"),
        ("attention", (q, q, q), "is_causal", True, "there is no `is_causal=`: write `causal=`"),
        ("attention", (q, q, q), "attn_mask", x, "there is no `attn_mask=`: of masks there are `causal` and `window`"),
    )
    for name, arguments, keyword, value, words in calls:
        with pytest.raises(TypeError, match=f"^{name}: {re.escape(words)}"):
            getattr(kernels, name)(*arguments, **{keyword: value})
    assert kernels.argmax(x, keepdim=True).shape == (2, 1)
    with pytest.raises(TypeError, match="unexpected keyword argument 'nothing'"):
        kernels.softmax(x, nothing=1)  # pyright: ignore[reportCallIssue] -- wrong on purpose


def test_functions_that_torch_has() -> None:
    for name, place in (("dropout", "torch.nn.functional.dropout"), ("where", "torch.where")):
        with pytest.raises(AttributeError, match=f"has no attribute '{name}': it is torch's own, `{place}`"):
            getattr(kernels, name)
    assert not hasattr(kernels, "__nothing__")


def test_a_window_has_a_number_for_each_axis() -> None:
    for call in (
        lambda: kernels.avg_pool(of(1, 2, 8), (1, 2)),
        lambda: kernels.conv(of(1, 2, 8), of(4, 2, 3), None, (1, 1)),
    ):
        with pytest.raises(ValueError, match=r"one number for each of 1 axes, or one for all, not \(1, [12]\)"):
            call()


def test_what_is_no_fault_of_the_arguments_is_raised_as_it_is() -> None:
    with pytest.raises(TypeError, match=r"softmax\(\) missing 1 required positional argument: 'x'"):
        kernels.softmax()  # pyright: ignore[reportCallIssue] -- wrong on purpose
    with pytest.raises(NotImplementedError, match="has no gradient"):
        kernels.normalize(of(2, 8).requires_grad_()).sum().backward()


def test_edits_of_what_is_no_tensor() -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    wanted = torch.softmax(torch.from_numpy(x), -1)
    for given, edit in ((x, torch.from_dlpack), (x.tolist(), torch.tensor), ([*torch.from_numpy(x)], torch.stack)):
        assert torch.allclose(kernels.softmax(edit(given)), wanted)


def test_extents_may_stand_in_lists() -> None:
    """... and are not what is wrong where something else is."""
    x, w = torch.randn(1, 2, 5, 6), torch.randn(3, 2, 2, 2)
    wanted = torch.nn.functional.conv2d(x, w, padding=(1, 0), stride=(2, 1))
    for stride in ((2, 1), cast(Any, [2, 1])):
        torch.testing.assert_close(kernels.conv(x, w, padding=(1, 0), stride=stride), wanted)
        told = "conv: dilation has to be an integer, or one for each axis, not 'one'"
        with pytest.raises(TypeError, match=f"^{told}$"):
            kernels.conv(x, w, stride=stride, dilation=cast(Any, "one"))


def test_numbers_of_experts_of_any_width() -> None:
    experts = torch.tensor([[1, 0], [0, 1]])
    for long, short in zip(kernels.sort_by_expert(experts, 2), kernels.sort_by_expert(experts.int(), 2), strict=True):
        assert torch.equal(long, short)
        assert long.dtype == torch.int32
    told, y, offsets = edited(
        kernels.grouped_linear, lambda t: t.int(), of(4, 8), of(2, 16, 8), torch.tensor([0, 2, 4])
    )
    assert told == "grouped_linear: offsets is of torch.int64, not of int32: write `offsets.int()`"
    assert torch.equal(y, kernels.grouped_linear(of(4, 8), of(2, 16, 8), offsets.int()))


def edited(function: Callable[..., Any], edit: Callable[[Any], Any], *arguments: Any) -> tuple[str, Any, Any]:
    """
    What is said of arguments, and what the function makes of them where the last one is edited; behind it the same of
    the argument that it was made from.
    """
    *others, given = arguments
    with pytest.raises(TypeError) as found:
        function(*others, given)
    return str(found.value), function(*others, edit(given)), given


def test_places_that_are_floats_become_integers() -> None:
    logits, wanted = torch.randn(3, 5), torch.tensor([4, 0, 2])
    told, loss, _ = edited(kernels.cross_entropy, lambda t: t.long(), logits, wanted.float())
    assert told == "cross_entropy: target is of torch.float32, not of integers: write `target.long()`"
    assert torch.equal(loss, kernels.cross_entropy(logits, wanted))
    with pytest.raises(TypeError, match=r"ids is of torch.bool, not of integers: write `ids.long\(\)`"):
        kernels.embedding(torch.tensor([True]), torch.randn(2, 4))


def test_integers_become_floats() -> None:
    told, y, given = edited(kernels.softmax, lambda t: t.float(), torch.arange(6).reshape(2, 3))
    assert told == "softmax: x is of torch.int64, not of floats: write `x.float()`"
    assert torch.allclose(y, torch.softmax(given.float(), -1))


def test_elements_of_one_dtype() -> None:
    q, k = torch.randn(1, 1, 4, 8), torch.randn(1, 1, 4, 8)
    told, o, v = edited(kernels.attention, lambda t: t.to(q.dtype), q, k, k.bfloat16())
    assert told == "attention: v is of torch.bfloat16, and q of torch.float32: write `v.to(q.dtype)`"
    assert torch.equal(o, kernels.attention(q, k, v.float()))


def test_a_tensor_that_is_missing() -> None:
    with pytest.raises(TypeError, match="rms_norm: weight has to be a tensor, not None"):
        kernels.rms_norm(of(2, 8), None)


def test_arguments_are_looked_at_again_where_they_look_different() -> None:
    assert kernels.rms_norm(of(2, 8), of(8)).shape == (2, 8)
    with pytest.raises(ValueError, match="N would be 8 and 4"):
        kernels.rms_norm(of(2, 8), of(4))
    assert kernels.rms_norm(of(2, 4), of(4)).shape == (2, 4)


def test_what_is_declared() -> None:
    takes = Takes("f", {"x": "... 2 N", "y": "N _ N//2", "z": ""}, where=("N > 2",))

    def given(x: tuple[int, ...], y: tuple[int, ...] | None) -> dict[str, Any]:
        return {"x": SimpleNamespace(shape=x), "y": y and SimpleNamespace(shape=y), "z": SimpleNamespace(shape=(1,))}

    for fits in (given((2, 4), (4, 9, 2)), given((7, 7, 2, 5), (5, 1, 2)), given((2, 3), None)):
        takes.check(fits)
    for x, y, words in (
        ((3, 4), None, "x (3, 4) is (..., 2, N)"),
        ((4,), None, "x is (..., 2, N), not (4,)"),
        ((2, 4), (4, 9), "y is (N, _, N//2), not (4, 9)"),
        ((2, 4), (4, 9, 3), "y (4, 9, 3) is (N, _, N//2), where N//2 is 2"),
        ((2, 2), None, "x (2, 2) is (..., 2, N), but not `N > 2`: N is 2"),
    ):
        with pytest.raises(ValueError, match=f"^{re.escape(f'f: {words}')}$"):
            takes.check(given(x, y))
