import freehold as fh
from freehold import Out, Ref, bf16


def kernel(c: Out["M", "N"], a: Ref[bf16, "M", "K"], b: Ref[bf16, "K", "N"]):
    acc = fh.zeros((64, 64), bf16)
    c.store(fh.mma(a.load((0, 0), (64, 64)), b.load((0, 0), (64, 64)), acc))
