"""Analyses, verifiers, rewrites and conversions; one pass a file, the file named as the pass."""

if __name__ != "freehold.passes":  # the checkout's root on sys.path would make a second copy of every class
    raise ImportError("import freehold.passes, not passes: the folders at the root are parts of one package")
