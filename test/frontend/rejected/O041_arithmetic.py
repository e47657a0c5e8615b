from freehold import Const, Out, Ref


def kernel(y: Out["N"], x: Ref["N"], BK: Const[int] = 64):
    y.store(x.load_like(y) * (BK // 0) + (1, 2)[5])
