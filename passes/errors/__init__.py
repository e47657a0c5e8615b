"""Errors that the verifiers find in a user's kernel: borrows and partitions (O1xx), bounds and checks (O3xx)."""
