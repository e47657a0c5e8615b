"""What all rooms of the runtime stand on: the native module, locks, and where a call stands in a program."""
