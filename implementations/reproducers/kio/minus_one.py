"""The unsigned varint of -1 has to be refused. It is written without an end, until the allowed memory is used up."""

import io
import resource

from kio.serial.writers import write_unsigned_varint

out = io.BytesIO()
write_unsigned_varint(out, 0)
print("0 is written as", out.getvalue().hex(), flush=True)
resource.setrlimit(resource.RLIMIT_AS, (1 << 27, 1 << 27))
write_unsigned_varint(io.BytesIO(), -1)
