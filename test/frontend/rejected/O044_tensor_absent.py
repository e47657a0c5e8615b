from freehold import Out, Ref

FORM = (0, 1)


def added(t, bias, y):
    return t + bias.load_like(y)


def kernel(y: Out["N"], x: Ref["N"], bias: Ref["N"] | None, scale: Ref["N"] | None):
    t = x.load_like(y)
    t *= scale.load_like(y)
    t += bias.load_like(y)
    for i in range(bias.shape[0]):
        t = t + i
    y.store(added(t, bias, y) + bias)
