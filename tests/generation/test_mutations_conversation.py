"""Mutations of conversations: what stays a conversation, and which changes there are."""

from __future__ import annotations

from random import Random

import pytest

from wireproof.conformance.generation.arguments import arguments_of, parts_of, parts_seed
from wireproof.conformance.generation.mutations.conversation import mutate_conversation
from wireproof.conformance.model import Op

#: Two requests for brokers of kip-35-v7, with the correlation ids 7 and 8.
ONE = bytes.fromhex("00000019 0011 0000 00000007 0003 6b6974 00000002 00000001 00000003")
TWO = bytes.fromhex("00000015 0011 0000 00000008 0003 6b6974 00000001 00000002")
#: Of kafka: ApiVersions version 0, and its response with one key.
REQUEST = bytes.fromhex("0000000d 0012 0000 00000007 0003 6b6974")
RESPONSE = bytes.fromhex("00000010 00000007 0000 00000001 0012 0000 0004")


def streams(count: int = 2000) -> list[bytes]:
    random = Random(1)
    found = []
    for _ in range(count):
        seed = mutate_conversation(Op.SERVE, parts_seed([ONE[:9], ONE[9:] + TWO]), "kip-35-v7", random)
        assert seed is not None
        found.append(b"".join(parts_of(seed)))
    return found


def test_frames_are_repeated_dropped_and_swapped() -> None:
    found = set(streams())
    assert {ONE + ONE + TWO, ONE + TWO + TWO, ONE, TWO, TWO + ONE} <= found


def test_a_frame_is_changed_by_its_structure() -> None:
    found = set(streams())
    doubled = bytes.fromhex("0000001d 0011 0000 00000007 0003 6b6974 00000003 00000001 00000001 00000003")
    assert doubled + TWO in found
    assert bytes.fromhex("00000015 0011 0000 00000007 0003 6b6974 00000001 00000003") + TWO in found


def test_the_bytes_are_cut_anew() -> None:
    random = Random(1)
    made = [mutate_conversation(Op.SERVE, parts_seed([ONE]), "kip-35-v7", random) for _ in range(200)]
    counts = {len(parts_of(one)) for one in made if one is not None}
    assert (min(counts), max(counts)) == (1, 5)


def test_either_side_of_an_interpretation_is_changed() -> None:
    random = Random(1)
    seed = parts_seed([REQUEST, RESPONSE])
    pairs = set()
    for _ in range(500):
        made = mutate_conversation(Op.INTERPRET, seed, "kafka", random)
        assert made is not None
        args = arguments_of(Op.INTERPRET, made)
        pairs.add((args["request"], args["response"]))
    assert any(request == REQUEST and response != RESPONSE for request, response in pairs)
    assert any(request != REQUEST and response == RESPONSE for request, response in pairs)
    without = RESPONSE[:3] + b"\x0a" + RESPONSE[4:13] + b"\x00"
    assert (REQUEST, without) in pairs  # the key is left out, with the count and the size mended


@pytest.mark.parametrize(
    ("op", "seed"), [(Op.SERVE, b"\0"), (Op.SERVE, b""), (Op.INTERPRET, b""), (Op.NEGOTIATE, parts_seed([ONE]))]
)
def test_what_is_no_conversation_is_left_alone(op: Op, seed: bytes) -> None:
    assert mutate_conversation(op, seed, "kip-35-v7", Random(1)) is None


@pytest.mark.parametrize("dialect", ["kafka", "kip-35-v7", "wire-format", "kip-82-int-keys", "kip-482-v1"])
def test_any_bytes_are_taken(dialect: str) -> None:
    random = Random(1)
    for _ in range(500):
        parts = [random.randbytes(random.randrange(20)) for _ in range(random.randrange(4))]
        for op in (Op.SERVE, Op.INTERPRET):
            mutate_conversation(op, parts_seed(parts), dialect, random)
