"""How an answer is judged: prompts, labels and plain matching; no files, no network."""
