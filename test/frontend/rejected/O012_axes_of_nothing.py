from freehold import Out, Ref


def kernel(y: Out["N"], x: Ref["N"]):
    a = x.load((0,), (128,))
    cube = a.reshape(2, 8, 8)
    b = a.mT
    c = cube.t()
    d = a.reshape(8, 16).t(0)
    e = cube.swapaxes(0)
    f = cube.mT(0, 1)
    y.store(a)
