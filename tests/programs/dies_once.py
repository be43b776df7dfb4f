"""Dies at the culprit the first time only: the file that PROGRAMS_MARK names remembers it."""

import os
from pathlib import Path

from program import answer, serve, value

mark = Path(os.environ["PROGRAMS_MARK"])


def act(question: dict[str, object]) -> None:
    if not mark.exists():
        mark.touch()
        os.abort()
    answer(value(question))


serve(act)
