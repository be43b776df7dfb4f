"""Record batches that are too short for the fields of their format."""

from __future__ import annotations

import pytest

from wireproof.reference import DecodeError, Reference

#: A batch without records: baseOffset, batchLength, and the 49 bytes of the fields behind it. Its CRC is wrong.
BASE_OFFSET = bytes(8)
FIELDS = bytes.fromhex(
    "ffffffff" + "02" + "00000000" + "0000" + "00000000" + "00" * 16 + "ff" * 8 + "ffff" + "ffffffff" + "00000000"
)
#: Where in FIELDS each field ends, from the magic on.
ENDS = (5, 9, 11, 15, 23, 31, 39, 41, 45, 49)


@pytest.mark.parametrize("length", range(5, 49))
def test_a_short_batch_is_truncated_whatever_its_crc(length: int) -> None:
    """The fault is at the first field that does not fit, and not at the CRC before it."""
    assert len(FIELDS) == ENDS[-1]
    data = BASE_OFFSET + length.to_bytes(4) + FIELDS[:length]
    with pytest.raises(DecodeError) as caught:
        Reference().decode("RecordBatch", data, dialect="kafka")
    assert (caught.value.reason, caught.value.offset) == ("truncated", 12 + max(end for end in ENDS if end <= length))


def test_a_batch_of_the_least_size_has_its_crc_read() -> None:
    with pytest.raises(DecodeError) as caught:
        Reference().decode("RecordBatch", BASE_OFFSET + len(FIELDS).to_bytes(4) + FIELDS, dialect="kafka")
    assert (caught.value.reason, caught.value.offset) == ("crc-mismatch", 17)
