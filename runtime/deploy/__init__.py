"""Kernels made ready for others: searched for configurations, packed, loaded."""
