"""A wrapper of the reference that breaks one convention on values, or none: what its argument names."""

import json
import re
import sys
from collections.abc import Mapping
from typing import Any

from wireproof import reference
from wireproof.conformance.values.encoding import to_json

TYPES = {"MetadataResponse": [9, 9], "ProduceRequest": [9, 9], "ConsumerProtocolSubscription": [0, 0]}


def snake(value: Any) -> Any:
    if isinstance(value, list):
        return [snake(one) for one in value]
    if isinstance(value, dict):
        return {re.sub(r"(?<!^)([A-Z])", r"_\1", key).lower(): snake(one) for key, one in value.items()}
    return value


def decode(fault: str, name: str, data: bytes, version: int | None) -> Any:
    if fault == "reads-the-version" and name.startswith("ConsumerProtocol"):
        if data[:2] != b"\0\0":
            raise ValueError("no version")
        data = data[2:]
    value = reference.decode(name, data, dialect="kafka", version=version)
    if fault == "spells-otherwise" and name == "MetadataResponse":
        return snake(value)
    if fault == "parses-records" and name == "ProduceRequest":
        for topic in value["TopicData"]:
            for part in topic["PartitionData"]:
                part["Records"] = reference.decode("RecordSet", part["Records"], dialect="kafka")
    return value


def answer(fault: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    if asked["op"] == "describe":
        return {"name": "conventions", "ops": ["decode"], "dialects": ["kafka"], "types": {"kafka": TYPES}}
    if asked["op"] != "decode" or asked.get("type") not in TYPES:
        return {"seq": asked["seq"], "unsupported": "not here"}
    try:
        value = decode(fault, asked["type"], bytes.fromhex(asked["data"]), asked.get("version"))
    except ValueError as error:
        return {"seq": asked["seq"], "reject": {"detail": str(error)}}
    return {"seq": asked["seq"], "value": to_json(value)}


for line in sys.stdin:
    sys.stdout.write(f"{json.dumps(answer(sys.argv[1], json.loads(line)))}\n")
    sys.stdout.flush()
