"""Kernels as Python objects: compiled variants, launches, the driver, and the interpreter."""

if __name__ != "freehold.runtime":  # the checkout's root on sys.path would make a second copy of every class
    raise ImportError("import freehold.runtime, not runtime: the folders at the root are parts of one package")
