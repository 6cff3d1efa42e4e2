"""The parts of an exported graph, one for each part of the model."""
