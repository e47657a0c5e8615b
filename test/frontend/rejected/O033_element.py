from freehold import Mut, Ref


def kernel(y: Mut["M", "N"], x: Ref["M", "N"]):
    i, j = y.index
    y.store(x[i, j])
