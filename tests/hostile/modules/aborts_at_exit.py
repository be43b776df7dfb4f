"""All answers are right; then the process aborts at its end, as a C library with a bad destructor does."""

import atexit
import os

from right import decode, dialects, encode, types

__all__ = ["decode", "dialects", "encode", "types"]
atexit.register(os.abort)
