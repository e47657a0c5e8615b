from dataclasses import dataclass

from freehold import Out, Ref, f32


@dataclass(frozen=True)
class State:
    top: object


@dataclass(frozen=True)
class Other:
    top: object


def kernel(y: Out["N"], x: Ref["N"], n: int):
    t = x.load_like(y)
    a = State(t) + State(t)
    b = State(t) < State(t)
    c = State(t) if n else Other(t)
    state = State(t)
    state.top = t
    y.store(t)
