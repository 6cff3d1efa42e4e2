"""Training: the loop, its loss and schedule, validation and checkpoints."""
