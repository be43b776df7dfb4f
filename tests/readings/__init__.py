"""Honest readings, one a module: where a text is silent or two readings are fair, each takes the one that the kit does
not demand. None may get a fail. They declare the same as miniatures: `PRODUCES` has contested verdicts alone.
"""
