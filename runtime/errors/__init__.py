"""Errors of launches (O2xx): arguments that do not fit a kernel, and GPUs that do not answer."""
