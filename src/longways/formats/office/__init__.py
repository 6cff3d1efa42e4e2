"""What Office formats share: the zip package, byte-exact XML, runs and their looks."""
