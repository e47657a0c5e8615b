"""Launches: arguments bound and checked, plans for those that look alike, on the GPU and on the interpreter."""
