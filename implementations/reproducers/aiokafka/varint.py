"""The varint -1 is the byte 01 (zigzag). It is written as five bytes that are another number."""

import io

from aiokafka.protocol.types import VarInt32

written = VarInt32.encode(-1)
print("-1 is written as", written.hex(), "and read back as", VarInt32.decode(io.BytesIO(written)))
