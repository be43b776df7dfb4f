"""The fast codec: Python source generated from a plan, compiled once a message and version.

It reads and writes what is plain alone: minimal varints, tags in order that fill their size, every key there. On the
rest it gives up, and `message.py`, which knows every rule and names every fault, does the work again. When it gave up
on a fault that `message.py` then does not find, that is an internal error, never a pass.

It takes true for 1: wrong Python types are never asked, and looking at each integer's would cost a third of its speed.

    source      one generated function: its lines, its names
    decoding    makes the function that reads a node
    even        and what reads arrays of structures at once, where all are laid out alike
    encoding    makes the function that writes it
"""

from reference.compiled.decoding import Decoder, decoder
from reference.compiled.encoding import Encoder, encoder
from reference.compiled.source import GIVES_UP, Fault, NotPlain

__all__ = ["GIVES_UP", "Decoder", "Encoder", "Fault", "NotPlain", "decoder", "encoder"]
