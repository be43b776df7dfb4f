"""Begins an answer, a value of bytes, that has no end."""

import json
import sys

from program import serve


def act(question: object) -> None:
    assert isinstance(question, dict)
    sys.stdout.write(f'{{"seq":{json.dumps(question["seq"])},"value":{{"hex":"')
    while True:
        sys.stdout.write("0" * 65536)


serve(act)
