"""Export of a trained model to ONNX graphs, and a comparison of their numbers with torch."""
