"""All answers are right; then the process ends with exit code 7."""

import atexit
import os

from right import decode, dialects, encode, types

__all__ = ["decode", "dialects", "encode", "types"]
atexit.register(os._exit, 7)
