"""Training: the loss, the schedule, the loop."""
