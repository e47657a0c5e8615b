"""Steps of optimisers, each in one pass over a parameter and its state: SGD, Adam, AdamW, Lion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import freehold as fh
from freehold import Const, Mut, Ref, f32
from freehold.kernels.schedules import hinted, power_of_two
from freehold.kernels.tiles import accumulator, safe, wide

# --- Kernels ----------------------------------------------------------------------------------------------------------


@safe
def sgd_tiles(
    p: Mut["N"],
    momentum: Mut["M"],
    g: Ref["N"],
    rate: f32,
    decay: f32,
    beta: f32,
    damping: f32,
    MOMENTUM: Const[bool],
    NESTEROV: Const[bool],
):
    """p -= rate * step, where a step is the gradient, or with `MOMENTUM` what past ones add up to."""
    if MOMENTUM:
        fh.require("M == N")
    t = wide(p.load())
    step = wide(g.load_like(p)) + decay.astype(t.dtype) * t
    if MOMENTUM:
        m = beta.astype(t.dtype) * wide(momentum.load()) + damping.astype(t.dtype) * step
        momentum.store(m.astype(momentum.dtype))
        step = step + beta.astype(t.dtype) * m if NESTEROV else m
    p.store((t - rate.astype(t.dtype) * step).astype(p.dtype))


@safe
def adam_tiles(
    p: Mut["N"],
    first: Mut["N"],
    second: Mut["N"],
    g: Ref["N"],
    rate: f32,
    decay: f32,
    beta1: f32,
    beta2: f32,
    eps: f32,
    root: f32,
    DECOUPLED: Const[bool],
):
    """
    A step of Adam: `rate` is divided by the first moment's bias correction, `root` the square root of the second's.

    `DECOUPLED` takes the share `decay` off the parameter (AdamW), where Adam adds as much to the gradient.
    """
    dtype = accumulator(p.dtype)
    t, d = wide(p.load()), wide(g.load_like(p))
    if not DECOUPLED:
        d += decay.astype(dtype) * t
    m = beta1.astype(dtype) * wide(first.load()) + (1.0 - beta1.astype(dtype)) * d
    v = beta2.astype(dtype) * wide(second.load()) + (1.0 - beta2.astype(dtype)) * d * d
    first.store(m.astype(first.dtype))
    second.store(v.astype(second.dtype))
    if DECOUPLED:
        t -= decay.astype(dtype) * t
    p.store((t - rate.astype(dtype) * m / (fh.sqrt(v) / root.astype(dtype) + eps.astype(dtype))).astype(p.dtype))


@safe
def lion_tiles(p: Mut["N"], momentum: Mut["N"], g: Ref["N"], rate: f32, decay: f32, beta1: f32, beta2: f32):
    """p -= rate * sign(beta1 * momentum + (1 - beta1) * g), after a share `decay` is taken off p."""
    dtype = accumulator(p.dtype)
    t, d, m = wide(p.load()), wide(g.load_like(p)), wide(momentum.load())
    b1, b2 = beta1.astype(dtype), beta2.astype(dtype)
    step = b1 * m + (1.0 - b1) * d
    sign = fh.where(step > 0.0, 1.0, fh.where(step < 0.0, -1.0, 0.0)).astype(dtype)
    p.store((t - decay.astype(dtype) * t - rate.astype(dtype) * sign).astype(p.dtype))
    momentum.store((b2 * m + (1.0 - b2) * d).astype(momentum.dtype))


# --- Optimisers -------------------------------------------------------------------------------------------------------

_TILE: Final = 2048


def _launch(kernel: Any, changed: Sequence[Any], gradient: Any, *rest: Any) -> None:
    """A kernel on tensors as they lie in memory, which is the same order for all."""
    p = changed[0]
    order = sorted(range(p.dim()), key=lambda axis: -p.stride(axis))
    flat = [t.permute(order).view(-1) if t.dim() == p.dim() else t for t in changed]
    grad = gradient.permute(order).contiguous().view(-1)
    tile = min(_TILE, power_of_two(p.numel()))
    hinted(kernel, {"occupancy": 4})(*(fh.partition(t, tile) for t in flat), grad, *rest).on()


class Optimiser:
    """
    What the optimisers share. They take parameters as torch's do, and options by the same names; `step()` changes the
    parameters that have gradients, with a launch each.

    Parameters are dense: in any order of axes, without gaps. State has their dtype; what is computed is in float32, or
    float64 for float64, but for the options themselves, which are float32.
    """

    def __init__(self, parameters: Any, **options: float | bool):
        given = list(parameters)
        groups = given if given and isinstance(given[0], dict) else [{"params": given}]
        self.param_groups: list[dict[str, Any]] = [{**options, **g, "params": list(g["params"])} for g in groups]
        self.state: dict[Any, dict[str, Any]] = {}

    def zero_grad(self) -> None:
        """Takes the gradients away."""
        for group in self.param_groups:
            for p in group["params"]:
                p.grad = None

    def step(self) -> None:
        """Changes every parameter that has a gradient."""
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None and p.numel():
                    state = self.state.setdefault(p, {"step": 0})
                    state["step"] += 1
                    self.update(p.detach(), p.grad, state, group)

    def update(self, p: Any, g: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Changes one parameter and its state."""
        raise NotImplementedError

    def kept(self, p: Any, state: dict[str, Any], name: str) -> Any:
        """A tensor of the state, zeros at first."""
        if name not in state:
            state[name] = p.new_empty_strided(p.shape, p.stride()).zero_()
        return state[name]


class SGD(Optimiser):
    """Gradient descent with momentum, as `torch.optim.SGD`."""

    def __init__(
        self,
        parameters: Any,
        lr: float = 1e-3,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
    ):
        super().__init__(
            parameters, lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay, nesterov=nesterov
        )

    def update(self, p: Any, g: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        """A step; the first gradient is the momentum's first value as it is."""
        beta = group["momentum"]
        damping = 1.0 if state["step"] == 1 else 1.0 - group["dampening"]
        kept = self.kept(p, state, "momentum_buffer") if beta else p.new_zeros((1,) * p.dim())
        rest = group["lr"], group["weight_decay"], beta, damping, beta != 0, bool(group["nesterov"])
        _launch(sgd_tiles, (p, kept), g, *rest)


class Adam(Optimiser):
    """Adam, as `torch.optim.Adam`."""

    decoupled: bool = False

    def __init__(
        self,
        parameters: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ):
        super().__init__(parameters, lr=lr, beta1=betas[0], beta2=betas[1], eps=eps, weight_decay=weight_decay)

    def update(self, p: Any, g: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        """A step."""
        beta1, beta2, n = group["beta1"], group["beta2"], state["step"]
        kept = (self.kept(p, state, name) for name in ("exp_avg", "exp_avg_sq"))
        decay = group["weight_decay"] * (group["lr"] if self.decoupled else 1.0)
        rest = group["lr"] / (1 - beta1**n), decay, beta1, beta2, group["eps"], (1 - beta2**n) ** 0.5
        _launch(adam_tiles, (p, *kept), g, *rest, self.decoupled)


class AdamW(Adam):
    """Adam whose decay is taken off the parameters, as `torch.optim.AdamW`."""

    decoupled = True

    def __init__(
        self,
        parameters: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ):
        super().__init__(parameters, lr, betas, eps, weight_decay)


class Lion(Optimiser):
    """Lion (Chen et al., 2023): the sign of what past gradients add up to."""

    def __init__(
        self,
        parameters: Any,
        lr: float = 1e-4,
        betas: tuple[float, float] = (0.9, 0.99),
        weight_decay: float = 0.0,
    ):
        super().__init__(parameters, lr=lr, beta1=betas[0], beta2=betas[1], weight_decay=weight_decay)

    def update(self, p: Any, g: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        """A step."""
        kept = self.kept(p, state, "exp_avg")
        decay = group["lr"] * group["weight_decay"]
        _launch(lion_tiles, (p, kept), g, group["lr"], decay, group["beta1"], group["beta2"])
