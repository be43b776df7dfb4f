"""A package that ends every process in which it is imported, but for the kit's child."""

import os
import sys

if "wireproof.conformance.connection.process.worker" not in " ".join(sys.orig_argv):
    os._exit(0)
