"""The ONNX runtime: exported graphs on a CPU, without torch."""
