"""Schedules that nobody has to write: what a launch leaves open, which candidates there are, and which is taken."""
