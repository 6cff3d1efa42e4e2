"""Translation of files: which files, in which job, resumed from which journal."""
