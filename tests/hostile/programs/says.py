"""A program that reads INT32 rightly, but answers `ffffffff` with a line that is given to it in hex: `says.py LINE`,
or stands in a file: `says.py @FILE`.
In the line, N stands for the number of the question. With `describe` behind it, the line is its answer to that."""

import json
import sys
from pathlib import Path
from typing import Any

LINE = Path(sys.argv[1][1:]).read_bytes() if sys.argv[1].startswith("@") else bytes.fromhex(sys.argv[1])


def answer(question: dict[str, Any]) -> bytes:
    if question["op"] == "describe":
        return LINE if sys.argv[2:] else b'{"name":"says","ops":["decode"],"types":{"kafka":{"INT32":null}}}'
    if question["op"] != "decode" or question["type"] != "INT32":
        return b'{"seq":%d,"unsupported":"it"}' % question["seq"]
    data = bytes.fromhex(question["data"])
    if data == b"\xff\xff\xff\xff":
        return LINE.replace(b"N", b"%d" % question["seq"])
    if len(data) != 4:
        return b'{"seq":%d,"reject":{}}' % question["seq"]
    return b'{"seq":%d,"value":%d}' % (question["seq"], int.from_bytes(data, signed=True))


for asked in map(json.loads, sys.stdin):
    sys.stdout.buffer.write(answer(asked) + b"\n")
    sys.stdout.buffer.flush()
