#!/usr/bin/env python3
"""A codec behind Wireproof's line protocol: each line of stdin is a question in JSON, and gets a line on stdout."""

import json
import sys
from typing import Any

HEAD = {"INT32": 4, "STRING": 2, "BYTES": 4}  # the types, and the size of the number at their beginning
ABOUT = {"name": "my-codec", "ops": ["decode", "encode", "recode"], "types": {"kafka": dict.fromkeys(HEAD)}}


def decode(kind: str, data: bytes) -> Any:
    """Your library's reader goes here: bytes to a JSON value, or an exception when it refuses them."""
    number, rest = int.from_bytes(data[: HEAD[kind]], "big", signed=True), data[HEAD[kind] :]
    size = 0 if kind == "INT32" else number
    if len(data) < HEAD[kind] or len(rest) < size:
        raise ValueError("truncated")
    if size < 0 or len(rest) > size:
        raise ValueError("trailing-bytes" if size >= 0 else "null-not-allowed" if size == -1 else "negative-length")
    return number if kind == "INT32" else rest.decode() if kind == "STRING" else {"hex": rest.hex()}


def encode(kind: str, value: Any) -> bytes:
    """Your library's writer goes here: a JSON value to bytes, or an exception when it refuses it."""
    if value is None:
        raise ValueError("null-not-allowed")
    body = b"" if kind == "INT32" else bytes.fromhex(value["hex"]) if kind == "BYTES" else value.encode()
    return (value if kind == "INT32" else len(body)).to_bytes(HEAD[kind], "big", signed=True) + body


for asked in map(json.loads, sys.stdin):
    op, kind, answer = asked["op"], asked.get("type"), {"seq": asked.get("seq")}
    try:
        if op in ABOUT["ops"] and kind in HEAD:
            value = asked["value"] if op == "encode" else decode(kind, bytes.fromhex(asked["data"]))
            answer |= {"value": value} if op == "decode" else {"data": encode(kind, value).hex()}
        else:
            answer = ABOUT if op == "describe" else {**answer, "unsupported": f"{op} of {kind}"}
    except (ValueError, OverflowError) as error:  # the refusals of the codec above; list those of your library
        answer["reject"] = {"reason": str(error)}
    except Exception as error:  # every other exception is a crash
        answer["error"] = repr(error)
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
