"""Takes memory that no limit of data counts, more and more."""

import mmap
import time

from program import serve


def act(_: object) -> None:
    hoard = mmap.mmap(-1, 1 << 29)
    for offset in range(0, 1 << 29, mmap.PAGESIZE):
        hoard[offset] = 1
    time.sleep(600)


serve(act)
