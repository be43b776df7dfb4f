"""Prints a line in place of its answer."""

from program import say, serve

serve(lambda _: say("not implemented"))
