"""Kernels in other frameworks: operators of torch, functions of JAX arrays."""
