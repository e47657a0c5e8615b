"""Operations: work as a value, the runs of it, and graphs that record it."""
