"""Good: answers in any order."""

import json
import sys

from program import CULPRIT, answer, describe, value

kept = []
for line in sys.stdin:
    question = json.loads(line)
    if question["op"] == "describe":
        describe()
    elif question["op"] == "configure":
        answer({"seq": question["seq"], "unsupported": "no settings"})
    elif question["data"] == CULPRIT:
        kept.append(question)
    else:
        answer(value(question))
        if len(kept) == 1:
            answer(value(kept.pop()))
