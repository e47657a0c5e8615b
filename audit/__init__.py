"""The audit: whether Tile IR that others made has races, accesses out of bounds, or accesses that no token orders."""

if __name__ != "freehold.audit":
    raise ImportError("import freehold.audit, not the folder itself")
