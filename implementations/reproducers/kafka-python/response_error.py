"""ApiVersionsResponse version 3 keeps its layout with every error code but 35. With 42 it is read as version 0."""

from kafka.protocol.metadata import ApiVersionsResponse

ApiVersionsResponse.decode(bytes.fromhex("@bytes@"), version=3)
