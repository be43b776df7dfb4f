"""A program that answers as a module does: `serves.py MODULE`, from the current folder."""

import importlib
import json
import sys
from typing import Any

sys.path.insert(0, "")
MODULE = importlib.import_module(sys.argv[1])
DESCRIBED = {"name": "serves", "ops": ["decode"], "types": MODULE.types}


def answer(question: dict[str, Any]) -> dict[str, Any]:
    if question["op"] == "describe":
        return DESCRIBED
    if question["op"] != "decode" or question["type"] not in MODULE.types[question["dialect"]]:
        return {"seq": question["seq"], "unsupported": question["op"]}
    try:
        value = MODULE.decode(question["type"], bytes.fromhex(question["data"]), dialect=question["dialect"])
    except Exception as error:
        return {"seq": question["seq"], "reject": {"detail": str(error)}}
    return {"seq": question["seq"], "value": value}


for line in sys.stdin:
    sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
    sys.stdout.flush()
