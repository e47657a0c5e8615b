import freehold as fh
from freehold import Const, Out, Ref


def factor(kind):
    if kind == 1:
        return 2.0
    elif kind == 2:
        return 3.0
    raise NotImplementedError(f"there is no kind {kind}")


def kernel(y: Out["N"], x: Ref["N"], K: Const[int] = 3):
    if K > 2:
        raise ValueError("K is at most 2")
    else:
        t = x.load_like(y)
    y.store(t * factor(K) + missing)
