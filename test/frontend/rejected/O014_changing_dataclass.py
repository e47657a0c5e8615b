from dataclasses import InitVar, dataclass

from freehold import Out, Ref, f32


@dataclass
class State:
    best: object


@dataclass(frozen=True)
class Scaled:
    value: object
    scale: InitVar[float] = 1.0


def kernel(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    state = State(t)
    scaled = Scaled(t)
    y.store(state.best + scaled.value)
