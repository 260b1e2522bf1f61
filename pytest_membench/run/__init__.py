"""The stages of a run, one a file: find a design, build its memory, answer, judge."""
