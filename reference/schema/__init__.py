"""Message schemas: Kafka's JSON form → Schema, Field.

`parsing` reads a message, with the help of `text` (JSON with comments), `parts` (the parts of the JSON) and `defaults`;
`model` has the results, Schema and Field. `plan` has the fields of one version with their encodings; `type_names` reads
the contract's names of types; `shapes` describes the values of types without a plan.
"""

from wireproof.reference.schema.defaults import default_of
from wireproof.reference.schema.model import (
    ALL,
    AMBIGUOUS_NAMES,
    MAX_VERSION,
    NONE,
    SCALARS,
    Field,
    Schema,
    Versions,
    filled,
    first_without,
)
from wireproof.reference.schema.parsing import MAX_DEPTH, MAX_FIELDS, from_json, parse
from wireproof.reference.schema.parts import (
    check_keys,
    check_name,
    flag,
    listing,
    mapping,
    name_of,
    number,
    version_range,
)
from wireproof.reference.schema.text import load_json

__all__ = [
    "ALL",
    "AMBIGUOUS_NAMES",
    "MAX_DEPTH",
    "MAX_FIELDS",
    "MAX_VERSION",
    "NONE",
    "SCALARS",
    "Field",
    "Schema",
    "Versions",
    "check_keys",
    "check_name",
    "default_of",
    "filled",
    "first_without",
    "flag",
    "from_json",
    "listing",
    "load_json",
    "mapping",
    "name_of",
    "number",
    "parse",
    "version_range",
]
