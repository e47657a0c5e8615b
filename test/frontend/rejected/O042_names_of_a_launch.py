import freehold as fh
from freehold import Out, Ref, i32


def asked(n):
    fh.require("n == 5")


def whole(N):
    fh.require("N % 4 == 0")
    return N


def kernel(y: Out["N"], x: Ref["M"], n: i32, m: i32, M: i32):
    fh.require("n < 5 and N > 3")
    asked(n)
    fh.require("M > 2")
    asked(n + 1)
    whole(4)
    whole(y.shape[0])
    whole(x.shape[0])
    for N in (1, 2):
        fh.require("N == 2")
    N = y.shape[0]
    fh.require("N == 2")
    if N is not None:
        n = 7
        fh.require("n == 7")
    m += 1
    fh.require("n == 7 or m == 1")
    y.store(x.load_like(y))
