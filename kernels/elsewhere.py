"""What other libraries call the functions of this one: who asks for such a name is told ours."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Final

_FUNCTIONS: Final = {
    "activation": "gelu silu relu sigmoid tanh elu leaky_relu hardswish mish softplus",
    "attention": "scaled_dot_product_attention sdpa flash_attention multi_head_attention",
    "avg_pool": "avg_pool1d avg_pool2d avg_pool3d",
    "conv": "conv1d conv2d conv3d convolution",
    "conv_transpose": "conv_transpose1d conv_transpose2d conv_transpose3d",
    "cross_entropy": "nll_loss softmax_cross_entropy",
    "dequantise": "dequantize",
    "histogram": "bincount histc",
    "layer_norm": "layernorm LayerNorm",
    "linear": "addmm gemm",
    "linear_cross_entropy": "fused_linear_cross_entropy",
    "matmul": "mm bmm dot",
    "max_pool": "max_pool1d max_pool2d max_pool3d",
    "moe": "fused_moe mixture_of_experts",
    "quantise": "quantize",
    "reduce": "sum mean max min prod amax amin",
    "rms_norm": "rmsnorm RMSNorm",
    "rope": "apply_rotary_pos_emb rotary_embedding",
    "sample": "multinomial",
    "varlen_attention": "flash_attn_varlen_func",
}
NAMES: Final[Mapping[str, str]] = {
    name: f"write `kernels.{ours}`" for ours, names in _FUNCTIONS.items() for name in names.split()
}


def of_torch(name: str) -> str | None:
    """Where torch has a function of a name that nothing of this library is called by; None where it has none."""
    torch: Any = sys.modules.get("torch")
    if torch is None or name.startswith("_"):
        return None
    for place, owner in (("torch.nn.functional", torch.nn.functional), ("torch", torch)):
        if callable(getattr(owner, name, None)):
            return f"{place}.{name}"
    return None
