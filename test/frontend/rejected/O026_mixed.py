from freehold import Out, Ref, bf16, f16


def kernel(c: Out["M", "N"], a: Ref[bf16, "M", "K"], b: Ref[f16, "K", "N"]):
    c.store(a.load((0, 0), (64, 64)) @ b.load((0, 0), (64, 64)))
