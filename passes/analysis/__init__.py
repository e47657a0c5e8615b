"""Analyses that passes share: what is known about the values of a kernel."""
