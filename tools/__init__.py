"""Programs for those who work on unmove itself."""
