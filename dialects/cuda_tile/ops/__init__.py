"""The operations of the `cuda_tile` dialect, by section of the specification."""
