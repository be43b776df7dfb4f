"""A program whose answers are right. What it does at the end of its stdin is given to it: `garbage` writes a line that
is no answer, `half` one without a line feed, `again` a second answer, `exit` ends with 7, `abort` by a signal, `well`
just ends."""

import json
import os
import sys
from typing import Any

from wireproof import reference

DESCRIBED = {"name": "ends", "version": "1", "language": "any", "ops": ["decode"], "types": {"kafka": {"VARINT": {}}}}


def answer(question: dict[str, Any]) -> dict[str, Any]:
    if question["op"] == "describe":
        return DESCRIBED
    if question["op"] != "decode":
        return {"seq": question["seq"], "unsupported": question["op"]}
    if question["type"] != "VARINT":
        return {"seq": question["seq"], "unsupported": question["type"]}
    try:
        value = reference.decode("VARINT", bytes.fromhex(question["data"]), dialect="kafka")
    except reference.WireError as error:
        return {"seq": question["seq"], "reject": {"reason": error.reason}}
    return {"seq": question["seq"], "value": value}


def say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


seq = 0
for line in sys.stdin:
    question = json.loads(line)
    seq = question.get("seq", seq)
    say(json.dumps(answer(question)) + "\n")
match sys.argv[1]:
    case "garbage":
        say("goodbye\n")
    case "half":
        say("goodb")
    case "again":
        say(json.dumps({"seq": seq, "value": 77}) + "\n")
    case "exit":
        sys.exit(7)
    case "abort":
        os.abort()
