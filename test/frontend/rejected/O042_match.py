from dataclasses import dataclass

from freehold import Out, Ref


@dataclass(frozen=True)
class Point:
    x: object
    y: object


def kernel(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    match Point(t, t):
        case y(a, b):
            t = a
        case Point(a, b, c):
            t = a
    match x:
        case Point():
            pass
    y.store(t)
