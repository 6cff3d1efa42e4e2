"""YAML files of texts: scalars edited at their places."""
