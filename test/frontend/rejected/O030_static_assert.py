import freehold as fh
from freehold import Const, Out, Ref


def kernel(y: Out["N"], x: Ref["N"], BK: Const[int] = 48):
    fh.static_assert(BK % 32 == 0, "BK must be a multiple of 32")
    assert BK < 32
    y.store(x.load_like(y))
