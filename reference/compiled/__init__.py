"""The fast codec: Python source generated from a plan, compiled once a message and version.

It handles the common case only: minimal varints, tags in order that fill their size, every key present. On anything
else it gives up, and `message.py`, which knows every rule and names every fault, does the work again. When the fast
codec gave up because of a fault, and `message.py` finds none, that is an internal error, never a pass.

It takes true for 1: nobody asks with wrong Python types, and checking each integer would cost a third of its speed.

    source      one generated function: its lines, its names
    decoding    makes the function that reads a node
    even        and what reads arrays of structures at once, where all are laid out alike
    encoding    makes the function that writes it
"""

from reference.compiled.decoding import Decoder, decoder
from reference.compiled.encoding import Encoder, encoder
from reference.compiled.source import GIVES_UP, Fault, NotPlain

__all__ = ["GIVES_UP", "Decoder", "Encoder", "Fault", "NotPlain", "decoder", "encoder"]
