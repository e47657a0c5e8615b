"""The GPU: the driver, timelines of its streams, graphs of the driver, and what goes wrong there."""
