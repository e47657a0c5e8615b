"""The two dialects, `ownership` and `cuda_tile`: types, attributes and operations, nothing else."""

if __name__ != "freehold.dialects":  # the checkout's root on sys.path would make a second copy of every class
    raise ImportError("import freehold.dialects, not dialects: the folders at the root are parts of one package")
