"""Chats and probes, read from files or generated."""
