"""For workers of Spark: objects that stay are left out of collections of garbage.

A worker holds some hundred thousand objects that it never frees: schemas, plans, vectors. Spark has it collect garbage
after each task, which goes through all of them and takes as long as to judge 700 cases.
"""

from __future__ import annotations

import gc


def keep_loaded() -> None:
    """Leave out all objects that are alive. Called at the beginning of a task, when there is no garbage: it was just
    collected."""
    gc.freeze()
