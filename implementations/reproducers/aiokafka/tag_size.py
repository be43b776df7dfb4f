"""A tagged field is a tag, a size, and bytes: tag 1 with the bytes aabb is 01 01 02 aa bb. The size is left out."""

from aiokafka.protocol.types import TaggedFields

print("tag 1 with the bytes aabb is written as", TaggedFields.encode({1: b"\xaa\xbb"}).hex())
