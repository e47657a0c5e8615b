"""The lowest layer: dtypes, spans, diagnostics, terms and contracts. Imports nothing of Freehold's and no compiler."""

if __name__ != "freehold.support":  # the checkout's root on sys.path would make a second copy of every class
    raise ImportError("import freehold.support, not support: the folders at the root are parts of one package")
