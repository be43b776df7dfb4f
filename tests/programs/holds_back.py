"""Never flushes its stdout: nothing comes before its stdin closes."""

import json
import sys

for line in sys.stdin:
    if json.loads(line)["op"] == "describe":
        sys.stdout.write(json.dumps({"name": "holds-back", "ops": ["decode"]}) + "\n")
