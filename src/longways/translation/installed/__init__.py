"""Models on this machine: bundled, from packages, and added by the user."""
