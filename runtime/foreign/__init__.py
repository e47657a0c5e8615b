"""Kernels that others made, in the execution model: their code, what is declared of it, and how it is called."""
