import freehold as fh
from freehold import Mut


def kernel(y: Mut[fh.f32, "N"], n: Mut[fh.i32, "N"]):
    y.store(y.load() // 2**4000)
    n.store(n.load() + 10**5000)
