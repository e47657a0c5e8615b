import freehold as fh
from freehold import Const, Out, Ref


def kernel(y: Out["N"], x: Ref["N"], K: Const[int] = 3):
    fh.require(K % 2 == 0, "K is even")
    fh.require("K % 2 == 0")
    fh.require("K % 3 == 0")
    y.store(x.load_like(y))
