import freehold as fh


t = fh.exp(1.0)
