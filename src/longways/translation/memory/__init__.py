"""Translation memories: sentences with translations that are taken instead of translated."""
