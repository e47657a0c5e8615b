"""
CUDA Tile IR bytecode: modules of the `cuda_tile` dialect to bytes (`writer`) and back (`reader`).

Neither has a table of operations: `tables` derives from the op classes what stands where in a file.
"""
