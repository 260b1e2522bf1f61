"""From results to tables, text and pictures."""
