"""Training on devices: data, precision, compilation, CUDA graphs, distributed processes."""
