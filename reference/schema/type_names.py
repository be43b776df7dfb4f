"""Type names of the contract → nodes: primitives, arrays of any depth, TAG_BUFFER."""

from __future__ import annotations

from wireproof.reference.primitives import PRIMITIVES, Primitive
from wireproof.reference.schema.plan import Array, Node, TagBuffer

#: array type → (compact, nullable)
ARRAYS = {
    "ARRAY": (False, False),
    "NULLABLE_ARRAY": (False, True),
    "COMPACT_ARRAY": (True, False),
    "COMPACT_NULLABLE_ARRAY": (True, True),
}
#: The maximum depth of nested arrays: reading recurses along them.
MAX_DEPTH = 16


def node(name: str) -> Node | None:
    """The node of PRIMITIVE, ARRAY<T>, … or TAG_BUFFER; None when the name is none of them."""
    if name == "TAG_BUFFER":
        return TagBuffer()
    wrappers: list[str] = []
    while name.endswith(">"):
        outer, _, inner = name.partition("<")
        if outer not in ARRAYS or len(wrappers) == MAX_DEPTH:
            return None
        wrappers.append(outer)
        name = inner[:-1]
    element: Node | None = PRIMITIVES.get(name)
    for wrapper in reversed(wrappers):
        if element is not None:
            element = Array(element, *ARRAYS[wrapper])
    return element


def area(name: str) -> str | None:
    """The area of the cases of such a type; None when the name is none of them."""
    match node(name):
        case TagBuffer():
            return "tag-ordering"
        case Array():
            return "null-encodings"
        case Primitive():
            if "VAR" in name:
                return "varints"
            return "null-encodings" if name.endswith(("STRING", "BYTES")) else "framing"
    return None
