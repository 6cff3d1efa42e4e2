"""Training on devices: data, precision, compilation, CUDA graphs and many processes."""
