"""The reference's answer to a case, as an observation."""

from __future__ import annotations

from typing import Any

from wireproof import reference
from wireproof.conformance.model import Case, Observation, Status


def ask(implementation: reference.Reference, case: Case) -> Observation:
    """The reference's answer to a case, as an observation. It holds no conversations, and runs no scripts."""
    if "script" in case.args:
        return Observation(case, Status.UNSUPPORTED, detail="the reference holds no conversations and runs no scripts")
    arguments: dict[str, Any] = {**case.args, "dialect": case.dialect}
    if case.type is not None:
        arguments |= {"type": case.type, "version": case.version}
    method = getattr(implementation, case.op, None)
    if method is None:
        return Observation(case, Status.UNSUPPORTED, detail=f"the reference has no {case.op}")
    try:
        return Observation(case, Status.ANSWER, method(**arguments))
    except reference.WireError as error:
        return refusal(case, error)
    except NotImplementedError as error:
        return Observation(case, Status.UNSUPPORTED, detail=str(error))


def refusal(case: Case, error: reference.WireError) -> Observation:
    """The reference's refusal of a case."""
    offset = error.offset if isinstance(error, reference.DecodeError) else None
    return Observation(case, Status.REJECT, reason=error.reason, offset=offset, half=error.half, detail=error.detail)
