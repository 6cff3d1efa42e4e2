"""Export: a trained model as ONNX graphs, smaller and faster, held to the numbers of torch."""
