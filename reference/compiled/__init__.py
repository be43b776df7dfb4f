"""The fast codec: Python source is generated from a plan, and compiled once for each version of a message.

It handles the common case only: minimal varints, tags in order that fill their size, every key present. For anything
else it gives up, and `message.py`, which knows every rule and names every fault, starts again. If the fast codec gave
up because of a fault, and `message.py` finds none, that is an internal error, never a pass.

It accepts true for 1: nobody asks with wrong Python types, and a check of each integer would cost a third of its speed.

    source      one generated function: its lines, its names
    decoding    generates the function that reads a node
    even        reads an array of structures at once, where all have the same layout
    encoding    generates the function that writes a node
"""

from wireproof.reference.compiled.decoding import Decoder, decoder
from wireproof.reference.compiled.encoding import Encoder, encoder
from wireproof.reference.compiled.source import GIVES_UP, Fault, NotPlain, is_number

__all__ = ["GIVES_UP", "Decoder", "Encoder", "Fault", "NotPlain", "decoder", "encoder", "is_number"]
