"""A broker of kip-482-v1: Kafka's, whose requests have one more version, with optional fields."""

from __future__ import annotations

from wireproof.reference.dialects import DIALECTS

#: ApiVersions 0, correlation id 1, no client id.
ASK = "0000000a 0012 0000 00000001 ffff"
#: Metadata 14, the version that Kafka does not have: no optional fields, a topic (no optional fields, no id, its name
#: "t"), two flags.
LIFTED = "00000025 0003 000e 00000007 ffff 00 00000001 00 00000000000000000000000000000000 0001 74 00 00"


def test_each_api_has_one_more_version() -> None:
    sent = DIALECTS["kip-482-v1"].broker(("localhost", 9092), {})().receive(bytes.fromhex(ASK))
    kafka = DIALECTS["kafka"]
    told = {int.from_bytes(sent[at : at + 2]): int.from_bytes(sent[at + 4 : at + 6]) for at in range(14, len(sent), 6)}
    highest = {key: (kafka.api_versions(key) or (0, -1))[1] for key in told}
    assert told == {key: high + 1 for key, high in highest.items()}
    assert len(told) == 10


def test_the_new_version_is_answered_and_the_next_one_is_not() -> None:
    at = DIALECTS["kip-482-v1"].broker(("localhost", 9092), {"t": 1})()
    sent = at.receive(bytes.fromhex(LIFTED))
    assert sent[4:8] == (7).to_bytes(4)
    assert b"\x00\x01t" in sent, "the name has two bytes of length, as before"
    assert not at.closed
    at.receive(bytes.fromhex(LIFTED.replace("000e", "000f")))
    assert at.closed
