from freehold import Out, Ref, bf16, f16


def kernel(y: Out["N"], a: Ref[f16, "N"], b: Ref[bf16, "N"]):
    y.store(a.load_like(y) * b.load_like(y))
