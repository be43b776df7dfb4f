"""Prints a banner before anything else."""

from program import say, serve

say("Codec 1.0, ready")
serve(lambda _: None)
