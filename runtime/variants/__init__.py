"""Variants of kernels: one kernel compiled for arguments of one kind, and its contract as a function."""
