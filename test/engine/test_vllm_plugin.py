"""The plugin for vLLM on a stand-in: classes of vLLM's names and signatures, which say when they are asked."""

# What torch has is of no types here.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import pytest

from freehold.engine import vllm_plugin

torch: Any = pytest.importorskip("torch")


class CustomOp(torch.nn.Module):
    """vLLM's: operations by name, which classes of others replace."""

    replaced: ClassVar[dict[str, Any]] = {}

    @classmethod
    def register_oot(cls, name: str) -> Any:
        return lambda made: cls.replaced.setdefault(name, made)


class RMSNorm(CustomOp):
    def __init__(self, hidden_size: int, eps: float = 1e-6, var_hidden_size: int | None = None):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.linspace(0.5, 1.5, hidden_size))
        self.variance_epsilon = eps
        self.variance_size_override = var_hidden_size

    def forward_cuda(self, x: Any, residual: Any = None) -> Any:
        return "vLLM's"


class SiluAndMul(CustomOp):
    pass


class TritonAttentionImpl:
    def __init__(
        self,
        num_heads: int,
        head_size: int,
        scale: float,
        num_kv_heads: int,
        alibi_slopes: Any,
        sliding_window: int | None,
        kv_cache_dtype: str,
        logits_soft_cap: float | None = None,
        attn_type: str = "decoder",
        kv_sharing_target_layer_name: str | None = None,
        sinks: Any = None,
    ):
        self.scale, self.alibi_slopes, self.kv_cache_dtype, self.sinks = scale, alibi_slopes, kv_cache_dtype, sinks
        self.sliding_window = (-1, -1) if sliding_window is None else (sliding_window - 1, 0)
        self.logits_soft_cap, self.attn_type = logits_soft_cap or 0, attn_type

    def forward(self, *given: Any, **rest: Any) -> Any:
        return "vLLM's"


class TritonAttentionBackend:
    forward_includes_kv_cache_update = False

    @staticmethod
    def get_name() -> str:
        return "TRITON_ATTN"


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> dict[Any, str]:
    """The stand-in in vLLM's place, and what is registered there."""
    found: dict[Any, str] = {}
    registry = {
        "AttentionBackendEnum": SimpleNamespace(CUSTOM="custom"),
        "register_backend": lambda which, path: found.update({which: path}),
    }
    contents: dict[str, dict[str, Any]] = {
        "vllm.v1.attention.backends.registry": registry,
        "vllm.v1.attention.backends.triton_attn": {
            "TritonAttentionImpl": TritonAttentionImpl,
            "TritonAttentionBackend": TritonAttentionBackend,
        },
        "vllm.model_executor.custom_op": {"CustomOp": CustomOp},
        "vllm.model_executor.layers.layernorm": {"RMSNorm": RMSNorm},
        "vllm.model_executor.layers.activation": {"SiluAndMul": SiluAndMul},
    }
    for name, members in contents.items():
        module = ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(CustomOp, "replaced", {})
    for name in ("Attention", "Backend"):
        monkeypatch.delitem(vars(vllm_plugin), name, raising=False)
    return found


def test_norms_and_gates(registered: dict[Any, str], monkeypatch: pytest.MonkeyPatch) -> None:
    vllm_plugin.register()
    assert not CustomOp.replaced, "nothing that was not asked for"
    monkeypatch.setenv("FREEHOLD_VLLM", "rms_norm, silu_and_mul")
    vllm_plugin.register()
    x, residual = torch.randn(5, 48), torch.randn(5, 48)
    norm = CustomOp.replaced["RMSNorm"](48)
    wanted = torch.nn.functional.rms_norm(x + residual, (48,), norm.weight, 1e-6)
    found, total = norm.forward_cuda(x, residual)
    torch.testing.assert_close(found, wanted.detach())
    torch.testing.assert_close(total, x + residual)
    torch.testing.assert_close(norm.forward_cuda(total), wanted.detach())
    assert CustomOp.replaced["RMSNorm"](48, var_hidden_size=24).forward_cuda(x) == "vLLM's"
    gated = CustomOp.replaced["SiluAndMul"]().forward_cuda(x)
    torch.testing.assert_close(gated, torch.nn.functional.silu(x[:, :24]) * x[:, 24:])


def test_names_that_there_are_not(registered: dict[Any, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FREEHOLD_VLLM", "all,layer_norm")
    with pytest.raises(ValueError, match="FREEHOLD_VLLM names layer_norm; there are rms_norm, silu_and_mul and all"):
        vllm_plugin.register()


def test_what_the_module_has_once_it_is_asked(registered: dict[Any, str]) -> None:
    for name in ("Attentions", "Backends", "attn"):
        with pytest.raises(AttributeError, match=f"^{name}$"):
            getattr(vllm_plugin, name)
    assert vllm_plugin.Attention is vllm_plugin.Attention
    assert vllm_plugin.Backend is not vllm_plugin.Attention


def paged(lengths: list[int], counts: list[int], page: int = 16) -> tuple[Any, Any, Any, Any]:
    """Queries, a cache, vLLM's metadata, and what attention gives, for sequences whose last tokens are asked for."""
    H, KH, D, blocks = 4, 2, 32, 9
    cache = torch.randn(blocks, 2, page, KH, D)
    most = max(-(-n // page) for n in lengths)
    table = torch.randperm(blocks)[: len(lengths) * most].view(len(lengths), most).int()
    starts = torch.tensor([0, *torch.tensor(counts).cumsum(0).tolist()], dtype=torch.int32)
    query = torch.randn(int(starts[-1]), H, D)
    wanted: list[Any] = []
    for b, (length, count) in enumerate(zip(lengths, counts, strict=True)):
        k, v = (cache[table[b].long(), n].reshape(-1, KH, D)[:length].repeat_interleave(H // KH, 1) for n in (0, 1))
        q = query[starts[b] : starts[b + 1]]
        scores = torch.einsum("qhd,khd->hqk", q, k) * 0.2
        later = torch.arange(length)[None] > torch.arange(length - count, length)[:, None]
        weights = scores.masked_fill(later, float("-inf")).softmax(-1)
        wanted.append(torch.einsum("hqk,khd->qhd", weights, v))
    metadata = SimpleNamespace(
        num_actual_tokens=int(starts[-1]),
        max_query_len=max(counts),
        query_start_loc=starts,
        seq_lens=torch.tensor(lengths, dtype=torch.int32),
        block_table=table,
        causal=True,
    )
    return query, cache, metadata, torch.cat(wanted).flatten(1)


def made(**changes: Any) -> Any:
    asked = {"alibi_slopes": None, "sliding_window": None, "kv_cache_dtype": "auto", **changes}
    return vllm_plugin.Backend.get_impl_cls()(4, 32, 0.2, 2, **asked)


@pytest.mark.parametrize(
    ("lengths", "counts"), [([37, 5, 20], [1, 1, 1]), ([37, 5, 20], [7, 5, 1]), ([40], [33])], ids=str
)
def test_attention_over_pages(registered: dict[Any, str], lengths: list[int], counts: list[int]) -> None:
    vllm_plugin.register()
    assert registered == {"custom": "freehold.engine.vllm_plugin.Backend"}
    assert vllm_plugin.Backend.get_name() == "CUSTOM"
    query, cache, metadata, wanted = paged(lengths, counts)
    padded = torch.cat([query, torch.zeros(3, *query.shape[1:])])  # as vLLM pads a batch
    output = torch.full((len(padded), query.shape[1] * query.shape[2]), 7.0)
    found = made().forward(None, padded, None, None, cache, metadata, output)
    assert found is output
    torch.testing.assert_close(output[: len(wanted)], wanted, atol=2e-5, rtol=2e-5)
    assert (output[len(wanted) :] == 7.0).all()


@pytest.mark.parametrize(
    "changes",
    [{"sliding_window": 8}, {"logits_soft_cap": 30.0}, {"kv_cache_dtype": "fp8"}, {"attn_type": "encoder"}],
    ids=str,
)
def test_what_the_kernels_do_not_do_is_left_to_vllm(registered: dict[Any, str], changes: dict[str, Any]) -> None:
    query, cache, metadata, wanted = paged([20], [20])
    assert made(**changes).forward(None, query, None, None, cache, metadata, torch.empty_like(wanted)) == "vLLM's"
    assert made().forward(None, query, None, None, cache, None, torch.empty_like(wanted)) == "vLLM's"
    odd = SimpleNamespace(**{**vars(metadata), "causal": False})
    assert made().forward(None, query, None, None, cache, odd, torch.empty_like(wanted)) == "vLLM's"
    scale = {"output_scale": torch.ones(1)}
    assert made().forward(None, query, None, None, cache, metadata, torch.empty_like(wanted), **scale) == "vLLM's"


def test_an_older_vllm_is_refused(registered: dict[Any, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TritonAttentionBackend, "forward_includes_kv_cache_update", True)
    with pytest.raises(ImportError, match="writes its cache where attention is computed"):
        _ = vllm_plugin.Backend


@pytest.mark.parametrize(
    ("page", "lengths", "counts"),
    [(16, [37, 5, 20], [7, 5, 1]), (16, [48, 48], [3, 1]), (16, [16], [16]), (8, [1, 9, 8, 7], [1, 2, 8, 1])],
)
def test_where_queries_and_pages_are(page: int, lengths: list[int], counts: list[int]) -> None:
    """Pages of all sequences stand behind one another, and zeros behind them; a query knows its sequence's first."""
    used = [-(-n // page) for n in lengths]
    most = max(used)
    table = torch.arange(1, len(lengths) * most + 1, dtype=torch.int32).view(len(lengths), most)
    starts = torch.tensor([0, *torch.tensor(counts).cumsum(0).tolist()], dtype=torch.int32)
    metadata = SimpleNamespace(
        block_table=table, seq_lens=torch.tensor(lengths, dtype=torch.int32), query_start_loc=starts
    )
    found = vllm_plugin._places(metadata, sum(counts), page)  # pyright: ignore[reportPrivateUsage] -- of each layer
    pages = [number for row, n in zip(table.tolist(), used, strict=True) for number in row[:n]]
    bases = [page * sum(used[:b]) for b, n in enumerate(counts) for _ in range(n)]
    positions = [length - n + i for length, n in zip(lengths, counts, strict=True) for i in range(n)]
    assert found[0].tolist() == pages + [0] * (table.numel() - len(pages))
    assert (found[1].tolist(), found[2].tolist()) == (bases, positions)
    assert found[0].dtype == found[1].dtype == found[2].dtype == torch.int32
    assert vllm_plugin._places(metadata, 0, 1) is found, "for all layers"  # pyright: ignore[reportPrivateUsage]
