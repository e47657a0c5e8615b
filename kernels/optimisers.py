"""Steps of optimisers, each in one pass over a parameter and its state: SGD, Adam, AdamW, Lion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import freehold as fh
from freehold import Const, Mut, Ref, f32
from freehold.kernels.schedules import hinted, power_of_two
from freehold.kernels.tiles import accumulator, safe, wide

# --- Kernels ----------------------------------------------------------------------------------------------------------


@safe
def sgd_tiles(
    ps: tuple[Mut["N"], ...],
    momenta: tuple[Mut["N"], ...],
    gs: tuple[Ref["N"], ...],
    rate: f32,
    decay: f32,
    beta: f32,
    damping: f32,
    NESTEROV: Const[bool],
):
    """p -= rate * step, where a step is the gradient, or what past ones add up to, if there are `momenta`."""
    for n, (p, g) in enumerate(zip(ps, gs, strict=True)):
        t = wide(p.load())
        step = wide(g.load_like(p)) + decay.astype(t.dtype) * t
        if len(momenta) > 0:
            m = beta.astype(t.dtype) * wide(momenta[n].load()) + damping.astype(t.dtype) * step
            momenta[n].store(m.astype(momenta[n].dtype))
            step = step + beta.astype(t.dtype) * m if NESTEROV else m
        p.store((t - rate.astype(t.dtype) * step).astype(p.dtype))


@safe
def adam_tiles(
    ps: tuple[Mut["N"], ...],
    firsts: tuple[Mut["N"], ...],
    seconds: tuple[Mut["N"], ...],
    gs: tuple[Ref["N"], ...],
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
    for p, first, second, g in zip(ps, firsts, seconds, gs, strict=True):
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
def lion_tiles(
    ps: tuple[Mut["N"], ...],
    momenta: tuple[Mut["N"], ...],
    gs: tuple[Ref["N"], ...],
    rate: f32,
    decay: f32,
    beta1: f32,
    beta2: f32,
):
    """p -= rate * sign(beta1 * momentum + (1 - beta1) * g), after a share `decay` is taken off p."""
    for p, momentum, g in zip(ps, momenta, gs, strict=True):
        dtype = accumulator(p.dtype)
        t, d, m = wide(p.load()), wide(g.load_like(p)), wide(momentum.load())
        b1, b2 = beta1.astype(dtype), beta2.astype(dtype)
        step = b1 * m + (1.0 - b1) * d
        sign = fh.where(step > 0.0, 1.0, fh.where(step < 0.0, -1.0, 0.0)).astype(dtype)
        p.store((t - decay.astype(dtype) * t - rate.astype(dtype) * sign).astype(p.dtype))
        momentum.store((b2 * m + (1.0 - b2) * d).astype(momentum.dtype))


# --- Optimisers -------------------------------------------------------------------------------------------------------

_TILE: Final = 2048


_TOGETHER: Final = 16
"""The most parameters that one launch steps through: its code grows with them."""


@dataclass(frozen=True)
class Step:
    """What is to be done with a parameter: a kernel, the tensors it changes, the gradient, and the rest it takes."""

    kernel: Any
    changed: tuple[tuple[Any, ...], ...]
    """The parameter and its state, each in a tuple of none or one."""
    gradient: Any
    rest: tuple[Any, ...]

    @property
    def kind(self) -> tuple[Any, ...]:
        """Steps of one kind can be done by one launch."""
        tensors = [t for some in self.changed for t in some]
        return (
            self.kernel,
            tensors[0].numel(),
            tensors[0].device,
            *(t.dtype for t in (*tensors, self.gradient)),
            self.rest,
        )


def _flat(p: Any, tensor: Any) -> Any:
    """A tensor as p lies in memory."""
    order = sorted(range(p.dim()), key=lambda axis: -p.stride(axis))
    return tensor.permute(order).contiguous().view(-1)


def _launch(steps: Sequence[Step]) -> None:
    """Steps of one kind."""
    first = steps[0]
    p = first.changed[0][0]
    tile = min(_TILE, power_of_two(p.numel()))

    def cut(n: int) -> list[Any]:
        return [fh.partition(_flat(s.changed[0][0], t), tile) for s in steps for t in s.changed[n]]

    gradients = [_flat(s.changed[0][0], s.gradient) for s in steps]
    hinted(first.kernel, {"occupancy": 4})(*map(cut, range(len(first.changed))), gradients, *first.rest).on()


class Optimiser:
    """
    What the optimisers share. They take parameters as torch's do, and options by the same names; `step()` changes the
    parameters that have gradients; those of one size and dtype together.

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
        kinds: dict[tuple[Any, ...], list[Step]] = {}
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None and p.numel():
                    state = self.state.setdefault(p, {"step": 0})
                    state["step"] += 1
                    step = self.update(p.detach(), p.grad, state, group)
                    kinds.setdefault(step.kind, []).append(step)
        for steps in kinds.values():
            for n in range(0, len(steps), _TOGETHER):
                _launch(steps[n : n + _TOGETHER])

    def update(self, p: Any, g: Any, state: dict[str, Any], group: dict[str, Any]) -> Step:
        """How one parameter and its state are changed."""
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

    def update(self, p: Any, g: Any, state: dict[str, Any], group: dict[str, Any]) -> Step:
        """A step; the first gradient is the momentum's first value as it is."""
        beta = group["momentum"]
        damping = 1.0 if state["step"] == 1 else 1.0 - group["dampening"]
        kept = (self.kept(p, state, "momentum_buffer"),) if beta else ()
        rest = group["lr"], group["weight_decay"], beta, damping, bool(group["nesterov"])
        return Step(sgd_tiles, ((p,), kept), g, rest)


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

    def update(self, p: Any, g: Any, state: dict[str, Any], group: dict[str, Any]) -> Step:
        """A step."""
        beta1, beta2, n = group["beta1"], group["beta2"], state["step"]
        kept = ((self.kept(p, state, name),) for name in ("exp_avg", "exp_avg_sq"))
        decay = group["weight_decay"] * (group["lr"] if self.decoupled else 1.0)
        rest = group["lr"] / (1 - beta1**n), decay, beta1, beta2, group["eps"], (1 - beta2**n) ** 0.5
        return Step(adam_tiles, ((p,), *kept), g, (*rest, self.decoupled))


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

    def update(self, p: Any, g: Any, state: dict[str, Any], group: dict[str, Any]) -> Step:
        """A step."""
        kept = self.kept(p, state, "exp_avg")
        decay = group["lr"] * group["weight_decay"]
        return Step(lion_tiles, ((p,), (kept,)), g, (group["lr"], decay, group["beta1"], group["beta2"]))
