"""Answers in batches, as it reads, and dies at the culprit with its batch unsaid."""

import json
import os
import sys

from program import CULPRIT, describe, value

rest = b""
while chunk := os.read(0, 65536):
    *lines, rest = (rest + chunk).split(b"\n")
    batch = []
    for line in lines:
        question = json.loads(line)
        if question["op"] == "describe":
            describe()
        elif question["data"] == CULPRIT:
            os.abort()
        else:
            batch.append(json.dumps(value(question)) + "\n")
    sys.stdout.write("".join(batch))
    sys.stdout.flush()
