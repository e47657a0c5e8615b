"""Tensors: made, viewed, lent, copied, and shared with other libraries."""
