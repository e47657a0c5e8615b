"""Programs that use Freehold as any user would: a quick start, and a library of safe kernels."""
