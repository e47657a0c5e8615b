"""
A plugin for vLLM: its norms, its gates and attention over its pages by Freehold's kernels, where they can.

vLLM calls `register` in each of its processes. Attention is used where it is asked for, by `--attention-backend
CUSTOM`; norms and gates are replaced where the environment's FREEHOLD_VLLM names them ("rms_norm,silu_and_mul", or
"all"). What the kernels do not do is left to vLLM: sliding windows, slopes, caps, sinks, caches of 8 bits, other pages.
"""

# What vLLM has is of no types here.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import os
from importlib import import_module
from typing import Any, Final

from freehold import kernels
from freehold.kernels.serving import rows_launch

OPERATIONS: Final = ("rms_norm", "silu_and_mul")
"""What FREEHOLD_VLLM may name."""


def register() -> None:
    """Tells vLLM of everything. Raises `ValueError` for a name in FREEHOLD_VLLM that there is not."""
    wanted = [name for name in os.environ.get("FREEHOLD_VLLM", "").replace(" ", "").split(",") if name]
    if unknown := set(wanted) - {*OPERATIONS, "all"}:
        raise ValueError(f"FREEHOLD_VLLM names {', '.join(sorted(unknown))}; there are {', '.join(OPERATIONS)} and all")
    registry: Any = import_module("vllm.v1.attention.backends.registry")
    registry.register_backend(registry.AttentionBackendEnum.CUSTOM, f"{__name__}.Backend")
    for name, make in (("rms_norm", _norm), ("silu_and_mul", _gate)):
        if name in wanted or "all" in wanted:
            make()


def _norm() -> None:
    base: Any = import_module("vllm.model_executor.layers.layernorm").RMSNorm

    class FreeholdRMSNorm(base):
        """Root mean square norm of rows, with the residual added in front."""

        def forward_cuda(self, x: Any, residual: Any = None) -> Any:
            if getattr(self, "variance_size_override", None) is not None or not getattr(self, "has_weight", True):
                return super().forward_cuda(x, residual)
            if residual is None:
                return kernels.rms_norm(x, self.weight.data, eps=self.variance_epsilon)
            return kernels.add_rms_norm(x, residual, self.weight.data, eps=self.variance_epsilon)

    _custom().register_oot(name="RMSNorm")(FreeholdRMSNorm)


def _gate() -> None:
    base: Any = import_module("vllm.model_executor.layers.activation").SiluAndMul

    class FreeholdSiluAndMul(base):
        """silu(first half of each row) * second half."""

        def forward_cuda(self, x: Any) -> Any:
            half = x.shape[-1] // 2
            return kernels.gated(x[..., :half], x[..., half:], "silu")

    _custom().register_oot(name="SiluAndMul")(FreeholdSiluAndMul)


def _custom() -> Any:
    return import_module("vllm.model_executor.custom_op").CustomOp


def _made() -> dict[str, Any]:
    """vLLM's own backend over pages (blocks, 2, page, heads, head), with another way to compute attention."""
    theirs: Any = import_module("vllm.v1.attention.backends.triton_attn")
    if getattr(theirs.TritonAttentionBackend, "forward_includes_kv_cache_update", True):
        raise ImportError("this vLLM writes its cache where attention is computed; one that does not, is needed (0.15)")

    class Attention(theirs.TritonAttentionImpl):
        """Attention of the last tokens of sequences over their pages."""

        def __init__(self, *given: Any, **named: Any):
            super().__init__(*given, **named)
            asked = (
                self.alibi_slopes is not None,
                self.sliding_window not in (None, (-1, -1)),
                bool(self.logits_soft_cap),
                self.sinks is not None,
                self.kv_cache_dtype not in ("auto", "float16", "bfloat16"),
                str(getattr(self.attn_type, "value", self.attn_type)) != "decoder",
            )
            self.plain: Final = not any(asked)
            """Whether the layer asks for nothing but causal attention."""

        def forward(
            self,
            layer: Any,
            query: Any,
            key: Any,
            value: Any,
            kv_cache: Any,
            attn_metadata: Any,
            output: Any,
            **rest: Any,
        ) -> Any:
            """As vLLM's; the rows behind the last token stay as they are."""
            page = kv_cache.shape[2] if attn_metadata is not None and kv_cache.ndim == 5 else 0
            fits = page >= 16 and page & (page - 1) == 0 and getattr(attn_metadata, "causal", True)
            if not (self.plain and fits) or any(v is not None for v in rest.values()):
                return super().forward(layer, query, key, value, kv_cache, attn_metadata, output, **rest)
            attention(query, output, kv_cache, attn_metadata, self.scale)
            return output

    class Backend(theirs.TritonAttentionBackend):
        """vLLM's, with Freehold's attention."""

        @staticmethod
        def get_name() -> str:
            return "CUSTOM"

        @staticmethod
        def get_impl_cls() -> type:
            return Attention

    return {"Attention": Attention, "Backend": Backend}


def attention(query: Any, output: Any, cache: Any, metadata: Any, scale: float) -> None:
    """
    Attention of `query` (T, H, D) over `cache` (blocks, 2, page, KH, D) into `output`, which has its elements.

    `metadata` is vLLM's: `num_actual_tokens` in all and up to `max_query_len` of a sequence, `query_start_loc` (B + 1),
    `seq_lens` (B), and the pages of each in `block_table`, all int32.
    """
    count, (_, heads, head) = metadata.num_actual_tokens, query.shape
    k, v = cache[:, 0], cache[:, 1]
    if metadata.max_query_len == 1 and count == metadata.seq_lens.shape[0]:
        keys, values = (t.permute(0, 2, 1, 3) for t in (k, v))
        tables = metadata.block_table, metadata.seq_lens
        found: Any = kernels.paged_attention(query[:count], keys, values, *tables, scale=scale)
        output[:count].view(count, heads, head).copy_(found)
        return
    grouped = count, k.shape[2], heads // k.shape[2], head
    o, q = (t[:count].view(grouped) for t in (output, query))
    rows_launch(o, q, k, v, *_places(metadata, count, k.shape[1]), scale).on()


def _places(metadata: Any, count: int, page: int) -> tuple[Any, Any, Any]:
    """Pages, bases and positions of `paged_rows`, worked out once for all layers, without waiting for the GPU."""
    if (known := getattr(metadata, "freehold_places", None)) is not None:
        return known
    torch: Any = import_module("torch")
    table, lengths, starts = metadata.block_table, metadata.seq_lens, metadata.query_start_loc
    (sequences, most), here = table.shape, table.device
    used = (lengths + page - 1) // page
    begins = used.cumsum(0) - used
    numbers = torch.arange(most, device=here)
    to = torch.where(numbers < used[:, None], begins[:, None] + numbers, sequences * most)
    pages = table.new_zeros(sequences * most + 1).scatter_(0, to.flatten(), table.flatten())[:-1]
    counts = starts[1:] - starts[:-1]
    whose = torch.repeat_interleave(torch.arange(sequences, device=here), counts, output_size=count)
    positions = torch.arange(count, device=here) + (lengths - starts[1:])[whose]
    found = pages, (begins[whose] * page).int(), positions.int()
    metadata.freehold_places = found
    return found


def __getattr__(name: str) -> Any:
    if name not in ("Attention", "Backend"):
        raise AttributeError(name)
    globals().update(_made())
    return globals()[name]
