"""A program that writes without end instead of an answer: `floods.py WHEN WHAT`, blank `lines` or one `line` for ever.
WHEN is the op of a question, or `end`: then it does so when its stdin is closed."""

import json
import sys

WHEN, WHAT = sys.argv[1:]
PIECE = {"lines": "\n" * 4096, "line": "0" * 65536}[WHAT]


def flood() -> None:
    while True:
        sys.stdout.write(PIECE)


for line in sys.stdin:
    question = json.loads(line)
    if question["op"] == WHEN:
        flood()
    if question["op"] == "describe":
        answer = {"name": "floods", "ops": ["decode"], "types": {"kafka": {"INT32": None}}}
    else:
        answer = {"seq": question["seq"], "unsupported": "it"}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
if WHEN == "end":
    flood()
