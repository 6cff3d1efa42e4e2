"""The parts of exported graphs, one module for each part of the model."""
