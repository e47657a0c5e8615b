import freehold as fh
from freehold import Out, Ref, f32, u32


def asked(u):
    fh.require(u < 5)


def kernel(y: Out["N"], x: Ref["N"], n: int, a: f32, u: u32):
    t = x.load_like(y)
    fh.require(n * 64)
    fh.require(a > 0.0)
    fh.require(u > 0)
    fh.require("u < 5", "small")
    asked(u)
    fh.require(n / 2 > 1)
    fh.require(t > 0)
    fh.require(t.max() > 0, message="most")
    fh.require("N > M")
    fh.require("N is large")
    fh.require(x.shape[0] > n + 1 and len(x.shape) == 1)
    y.store(t)
