"""GPU tile kernels in Python that cannot contain a data race."""

__version__ = "0.1.0"
