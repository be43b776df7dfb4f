"""The lines by which our worker and the kit speak about the copies of the worker that answer (see `worker`).

A module of its own: the worker does not need what `process` imports, and starts faster without it.
"""

from __future__ import annotations

#: From the worker: a copy with this process id has begun; the copy has ended with this exit code.
BEGAN, ENDED = b'{"began":%d}\n', b'{"ended":%d}\n'
#: To the worker: start the next copy. The line feed at its beginning ends a question that was sent in part.
RESUME = b'\n{"op":"resume"}\n'
