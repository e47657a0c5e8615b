from freehold import Ref


def kernel(x: Ref["N"]):
    t = x.load((0,), (128,))
