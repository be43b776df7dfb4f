"""The type of the bytes in an answer: `convert` answers in another format, every other op in the question's type."""

from __future__ import annotations

from wireproof.conformance.model import Case, Op
from wireproof.conformance.reference_codec import reference_codec
from wireproof.reference.dialects.base import Format


def answered_in(case: Case) -> Format:
    """The type of the bytes that answer a case, and of the value that they mean. For a conversion to a format that its
    dialect does not name it is the question's own type."""
    assert case.type is not None
    asked = Format(case.dialect, case.type, case.version)
    if case.op is not Op.CONVERT:
        return asked
    return reference_codec().dialect(case.dialect).formats.get(case.type, {}).get(case.args["to"], asked)
