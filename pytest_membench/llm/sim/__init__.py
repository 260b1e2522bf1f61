"""The model `sim`: a deterministic stand-in for a chat model, for plumbing, scale and cost."""
