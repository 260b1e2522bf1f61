"""The pytest plugin: options, items, fixtures, results and the terminal."""
