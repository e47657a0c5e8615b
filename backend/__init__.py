"""CUDA Tile IR to and from bytecode, the assembler, and the cubin cache."""

if __name__ != "freehold.backend":  # the checkout's root on sys.path would make a second copy of every class
    raise ImportError("import freehold.backend, not backend: the folders at the root are parts of one package")
