import freehold as fh
from freehold import Out


def kernel(y: Out["N"], a: fh.tf32):
    y.store(0.0)
