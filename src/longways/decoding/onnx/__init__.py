"""The ONNX runtime: runs exported graphs on a CPU, without torch."""
