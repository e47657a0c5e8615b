"""Memory: arrays of any library as kernels see them, who uses which bytes, and allocations."""
