"""Dies at the culprit, and does not start a second time: the file that PROGRAMS_MARK names remembers it."""

import os
import sys
from pathlib import Path

from program import serve

mark = Path(os.environ["PROGRAMS_MARK"])
if mark.exists():
    sys.exit("the port is taken")
mark.touch()
serve(lambda _: os.abort())
