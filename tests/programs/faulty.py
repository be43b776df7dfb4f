"""A program that keeps to the line protocol, but for the one fault that its argument names."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Iterator
from typing import Any

from program import say

FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
TYPES = {"INT32": 4, "INT64": 8, "BYTES": 0}


def questions() -> Iterator[dict[str, Any]]:
    rest = b""
    while chunk := os.read(0, 1 << 20):
        if FAULT == "takes-pieces-for-lines":
            yield from map(json.loads, chunk.splitlines())
            continue
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            if FAULT == "limits-lines" and len(line) > 1 << 16:
                continue
            if FAULT == "parses-by-pattern" and b"describe" not in line:
                found = re.search(rb'"seq":(\d+),"op":"(\w[\w-]*)"', line)
                if found is None:
                    sys.exit("what is that?")
            yield json.loads(line)


def answer(question: dict[str, Any]) -> dict[str, Any]:
    op, kind = question["op"], question.get("type", "")
    if op == "describe":
        return {"name": "faulty", "ops": ["decode", "encode"], "types": {"kafka": dict.fromkeys(TYPES)}}
    if op == "configure":
        return {"error": "unknown op"} if FAULT == "fails-at-settings" else {"ok": True}
    if op not in ("decode", "encode"):
        if FAULT == "dies-at-an-unknown-op":
            raise KeyError(op)
        return {"unsupported": op}
    if kind not in TYPES:
        return {"value": None} if FAULT == "knows-every-type" else {"unsupported": kind}
    if op == "encode":
        value = question["value"]
        if isinstance(value, dict) and FAULT != "reads-numbers-only":
            value = int(value["int"])
        return {"data": (value + 0).to_bytes(TYPES[kind], "big", signed=True).hex()}
    data = bytes.fromhex(question["data"])
    if kind == "BYTES":
        return {"value": {"hex": data[4:].hex()}}
    if len(data) != TYPES[kind]:
        return {"error": "ValueError: 3"} if FAULT == "takes-refusals-for-errors" else {"reject": {}}
    return {"value": int.from_bytes(data, "big", signed=True)}


def main() -> None:
    for question in questions():
        given = answer(question)
        if "seq" in question:
            given["seq"] = question["seq"] + (FAULT == "miscounts")
        say(json.dumps(given))
        if FAULT == "prints" and question["op"] == "decode":
            say("decoded")
        if FAULT == "answers-twice" and question["op"] == "encode":
            say(json.dumps(given))
        if FAULT == "is-noisy":
            sys.stderr.write("noise\n")
    if FAULT == "stays":
        time.sleep(600)


main()
