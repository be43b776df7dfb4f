"""A program that puts a hostile text into the place that its argument names; WIREPROOF_TEST_SIZE makes it longer."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from program import Question, answer, say, value

sys.path.insert(0, str(Path(__file__).parents[1]))
from support.hostile import COMMANDS, TEXT

PLACE = sys.argv[1]
H = TEXT + COMMANDS + "x" * int(os.environ.get("WIREPROOF_TEST_SIZE", "0"))
DESCRIPTION: dict[str, Any] = {
    "name": "hostile",
    "language": "python",
    "ops": ["decode"],
    "types": {"kafka": {"INT32": None, "STRING": None}},
}

#: What it says of itself: the keys that hold the text.
DESCRIPTIONS: dict[str, dict[str, Any]] = {
    "name": {"name": H},
    "version": {"version": H},
    "language": {"language": H},
    "dialects": {"dialects": [H, "kafka"]},
    "ops": {"ops": [H]},
    "types": {"types": {"kafka": {H: None, "INT32": None}}},
    "versions": {"types": {"kafka": {"INT32": H}}},
    "rebuilds": {"rebuilds": {H: [H]}},
    "readings": {"readings": {H: H}},
    "reading": {"readings": {"R-K-5": H}},
    "protocol": {"protocol": H},
    "member": {H: H},
    "describe-error": {"error": H},
}
#: What it answers to a question.
ANSWERS: dict[str, dict[str, Any]] = {
    "value": {"value": H},
    "keys": {"value": {H: H}},
    "reserved": {"value": {"hex": H}},
    "reject-reason": {"reject": {"reason": H}},
    "reject-detail": {"reject": {"detail": H}},
    "reject-half": {"reject": {"half": H}},
    "reject-offset": {"reject": {"offset": H}},
    "reject-member": {"reject": {H: H}},
    "unsupported": {"unsupported": H},
    "error": {"error": H},
    "exception": {"error": "e", "exception": H},
    "frame": {"error": "e", "frame": H},
    "violation": {"violation": H},
    "data": {"data": H},
    "answer-member": {"value": 1, H: H},
}
#: What it answers to configure.
SETTINGS: dict[str, dict[str, Any]] = {
    "configure-error": {"error": H},
    "configure-ok": {"ok": H},
    "configure-unsupported": {"unsupported": H},
    "configure-member": {H: H},
}


def act(question: Question) -> None:
    if PLACE in ANSWERS:
        answer({"seq": question["seq"], **ANSWERS[PLACE]})
    elif PLACE == "seq":
        answer({"seq": H, "value": 1})
    elif PLACE == "junk":
        say(H.replace("\n", " "))
        answer(value(question))
    elif PLACE == "dies":
        sys.stderr.write(H)
        sys.exit(3)
    else:
        answer(value(question))


def main() -> None:
    import json

    asked = 0
    for line in sys.stdin:
        question = json.loads(line)
        if question["op"] == "describe":
            answer(DESCRIPTION | DESCRIPTIONS.get(PLACE, {}))
        elif question["op"] == "configure":
            given = SETTINGS.get(PLACE, {"unsupported": "none"})
            answer({"seq": question["seq"], **given})
        elif asked < 3 and question["type"] == "INT32":
            asked += 1
            act(question)
        else:
            answer({"seq": question["seq"], "unsupported": "no more"})


main()
