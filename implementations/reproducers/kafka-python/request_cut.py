"""A request that is cut has to be refused as one. Instead an IndexError comes out of the generated decoder."""

from kafka.protocol.metadata import ApiVersionsRequest

valid = ApiVersionsRequest.decode(bytes.fromhex("@twin@"), version=3)
print(f"the valid request is read: software_name={valid.client_software_name!r}", flush=True)
ApiVersionsRequest.decode(bytes.fromhex("@bytes@"), version=3)
