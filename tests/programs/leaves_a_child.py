"""Dies, and leaves a child of its own which holds stdout open."""

import os
import time

from program import serve


def act(_: object) -> None:
    if os.fork() == 0:
        time.sleep(600)
    os.abort()


serve(act)
