"""Python source to ownership IR: parsing and typing, nothing but."""

if __name__ != "freehold.frontend":  # the checkout's root on sys.path would make a second copy of every class
    raise ImportError("import freehold.frontend, not frontend: the folders at the root are parts of one package")
