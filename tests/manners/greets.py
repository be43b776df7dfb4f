"""Prints a banner before anything else."""

from program import serve

print("Codec 1.0, ready", flush=True)
serve(lambda _: None)
