"""Thin command lines over the library: tile-opt, tile-translate, tile-run."""

if __name__ != "freehold.tools":  # the checkout's root on sys.path would make a second copy of every class
    raise ImportError("import freehold.tools, not tools: the folders at the root are parts of one package")
