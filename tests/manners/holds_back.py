"""Never flushes its stdout: nothing comes before its stdin closes."""

import json
import sys

for line in sys.stdin:
    if json.loads(line)["op"] == "describe":
        print(json.dumps({"name": "holds-back", "ops": ["decode"]}))
