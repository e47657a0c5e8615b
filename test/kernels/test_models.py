"""Models of transformers that run on the library, tiny and random: outputs, losses and gradients stay what they are."""

# What torch and transformers have is of no types here.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from comparing import close, integers, made

from freehold import kernels

torch: Any = pytest.importorskip("torch")
SIZES = {
    "vocab_size": 50,
    "hidden_size": 32,
    "intermediate_size": 40,
    "num_hidden_layers": 1,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
}


ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction] -- pytest calls it
    """Transformers looks for a package `kernels`, which the folder of that name in the root is not."""
    monkeypatch.setattr(sys, "path", [p for p in sys.path if Path(p).resolve() != ROOT])


def model_of(name: str) -> Any:
    transformers: Any = pytest.importorskip("transformers")
    torch.manual_seed(0)
    extra = {"head_dim": 16} if name == "Qwen3" else {}
    return getattr(transformers, f"{name}ForCausalLM")(getattr(transformers, f"{name}Config")(**SIZES, **extra))


@pytest.mark.parametrize("name", ["Qwen3", "Llama"])
def test_a_patched_model_computes_the_same(name: str) -> None:
    model, ids = model_of(name), integers(50, 2, 7)
    wanted = model(ids, labels=ids)
    wanted.loss.backward()
    gradients = {n: p.grad.clone() for n, p in model.named_parameters()}
    model.zero_grad()
    assert kernels.patch(model) is model
    found = model(ids, labels=ids)
    found.loss.backward()
    close(found.logits, wanted.logits, 1e-4)
    close(found.loss, wanted.loss, 1e-5)
    for n, p in model.named_parameters():
        close(p.grad, gradients[n], 1e-3)


def test_a_patched_model_generates_the_same() -> None:
    model, ids = model_of("Qwen3"), integers(50, 1, 5)
    options = {"max_new_tokens": 3, "do_sample": False, "pad_token_id": 0}
    wanted = model.generate(ids, **options)
    assert torch.equal(kernels.patch(model).generate(ids, **options), wanted)
    with pytest.raises(ValueError, match="takes no mask"):
        model(ids, attention_mask=torch.tensor([[0, 1, 1, 1, 1]]))


def test_other_models_are_refused() -> None:
    model = model_of("Llama")
    model.config.hidden_act = "relu"
    with pytest.raises(ValueError, match="'relu'"):
        kernels.patch(model)
    model.config.model_type = "bert"
    with pytest.raises(ValueError, match="'bert'"):
        kernels.patch(model)


def test_modules() -> None:
    from freehold.kernels import nn

    torch.manual_seed(0)
    x, target = made((5, 12), torch.float32, 0), integers(12, 5)
    pairs = (
        (nn.RMSNorm(12), torch.nn.RMSNorm(12, 1e-6)),
        (nn.LayerNorm(12), torch.nn.LayerNorm(12)),
        (nn.GroupNorm(3, 12), torch.nn.GroupNorm(3, 12)),
        (nn.Linear(12, 8), torch.nn.Linear(12, 8)),
    )
    for ours, theirs in pairs:
        theirs.load_state_dict(ours.state_dict())
        close(ours(x), theirs(x), 1e-5)
    norm, total = nn.AddRMSNorm(12)(x, x)
    close(norm, pairs[0][1](2 * x), 1e-5)
    assert torch.equal(total, 2 * x)
    table = nn.Embedding(20, 12)
    assert torch.equal(table(target), table.weight[target])
    mlp = nn.GatedMLP(12, 6)
    gate, up = (x @ mlp.gate_up.weight.T).chunk(2, -1)
    close(mlp(x), torch.nn.functional.silu(gate) * up @ mlp.down.weight.T, 1e-5)
    loss = torch.nn.functional.cross_entropy
    close(nn.CrossEntropyLoss()(x, target), loss(x, target), 1e-5)
    weight = made((12, 12), torch.float32, 3)
    close(nn.LinearCrossEntropyLoss()(x, weight, target), loss(x @ weight.T, target), 1e-5)
