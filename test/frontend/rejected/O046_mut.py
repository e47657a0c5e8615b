from freehold import Mut, Out


def doubled(tensor):
    tensor = tensor.load() * 2


def kernel(y: Mut["N"], u: Mut["N"], v: Mut["N"], w: Mut["N"], z: Out["N"], n: int):
    y = y.load() + 1
    if n > 2:
        u = u.load()
        u = u * u
    else:
        u = u.load() - 1
    v, _ = v.load() - 1, n
    doubled(w)
    z.store(0.0)
