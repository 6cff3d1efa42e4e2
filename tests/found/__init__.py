"""Defects that real files, users and hostile input showed, one class each."""
