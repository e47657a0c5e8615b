from freehold import Out, Ref, i32


def kernel(c: Out[i32, "M", "N"], a: Ref[i32, "M", "K"], b: Ref[i32, "K", "N"]):
    c.store(a.load((0, 0), (64, 64)) @ b.load((0, 0), (64, 64)))
