"""Stream models: every sentence is read once, and leaves a state of fixed size to the next one."""
