import numpy as np
from freehold import Out


def kernel(y: Out["N"], x: np.ndarray, name: str):
    y.store(x.load_like(y))
