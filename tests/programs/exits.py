"""Ends with exit code 3."""

import os

from program import serve

serve(lambda _: os._exit(3))
