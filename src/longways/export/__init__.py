"""Export: a trained model as ONNX graphs, smaller and faster, held to the numbers of torch."""

from longways.export.onnx import export_model
from longways.export.parity import Parity, parity

__all__ = ["Parity", "export_model", "parity"]
