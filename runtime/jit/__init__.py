"""Kernels as Python objects: called, bound, explained."""
