"""Context: how much a model gains from the true context, compared with another and with none."""
