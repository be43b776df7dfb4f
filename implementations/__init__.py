"""Wrappers of released implementations. Each module imports its library and nothing of the kit."""
