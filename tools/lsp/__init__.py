"""The language server: `.mlir` files and kernels in Python, as they are typed."""
