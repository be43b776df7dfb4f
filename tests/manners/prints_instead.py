"""Prints a line in place of its answer."""

from program import serve

serve(lambda _: print("not implemented", flush=True))
