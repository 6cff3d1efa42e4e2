"""Commands that exchange models with other programs: export and import."""
