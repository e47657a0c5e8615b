"""Measurements: `python -m benchmarks.NAME` from the root of the checkout prints a table, `--json FILE` keeps it."""
