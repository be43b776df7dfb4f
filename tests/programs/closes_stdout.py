"""Closes its stdout and runs on."""

import os
import time

from program import serve


def act(_: object) -> None:
    os.close(1)
    time.sleep(600)


serve(act)
