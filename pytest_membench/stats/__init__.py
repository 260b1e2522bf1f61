"""Numbers in, numbers out: intervals and tests, with their sources; no files, no clock."""
