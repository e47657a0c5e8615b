import freehold as fh
from freehold import f32


t = fh.zeros((128,), f32)
