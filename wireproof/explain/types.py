"""The types that `wireproof explain` reads: a dialect's, those of --schema, and the names of --register. An unknown
type is refused with similar names as a hint."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from wireproof.conformance.files import read_bytes, read_text
from wireproof.conformance.oracle.codec import own_settings, reference_codec
from wireproof.console import say
from wireproof.reference.dialects import DIALECTS, NamesNumbers
from wireproof.reference.errors import SchemaError
from wireproof.reference.schema import load_json

#: The maximum number of types in a list.
_MANY = 40


def use_registers(files: tuple[str, ...], dialect: str) -> None:
    """Use these registers while the command runs; their problems are written to standard error. Raises
    click.UsageError."""
    types_of(dialect)
    spoken = DIALECTS[dialect]
    if not isinstance(spoken, NamesNumbers):
        raise click.UsageError(f"the dialect {dialect} has no registers; leave --register out")
    texts = {file: _text(Path(file)) for file in files}
    try:
        problems = spoken.register_problems(texts)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    for problem in problems:
        say(str(problem), err=True)
    click.get_current_context().call_on_close(
        lambda: reference_codec().configure(own_settings(dialect), dialect=dialect)
    )
    reference_codec().configure({**own_settings(dialect), "registers": texts}, dialect=dialect)


def _text(path: Path) -> str:
    try:
        return read_text(path)
    except OSError as error:
        raise click.UsageError(f"{path} cannot be read: {error.strerror or error}") from None


def use_schemas(files: Sequence[str], dialect: str) -> None:
    """Use the messages of these schemas while the command runs. Raises click.UsageError."""
    types_of(dialect)
    read = []
    for name in files:
        try:
            read.append(load_json(read_bytes(Path(name))))
        except OSError as error:
            raise click.UsageError(f"{name} cannot be read: {error.strerror or error}") from None
        except SchemaError as error:
            raise click.UsageError(f"{name}: {error.detail}") from None
    click.get_current_context().call_on_close(
        lambda: reference_codec().configure(own_settings(dialect), dialect=dialect)
    )
    try:
        reference_codec().configure({"schemas": read}, dialect=dialect)
    except SchemaError as error:
        raise click.UsageError(error.text) from None
    if reference_codec().dialect(dialect) is DIALECTS[dialect]:
        raise click.UsageError(f"--schema: the messages of {dialect} do not come from schemas")


def types_of(dialect: str) -> Mapping[str, tuple[int, int] | None]:
    """The types of a dialect, and their versions. Raises click.UsageError for an unknown dialect."""
    if dialect not in DIALECTS:
        raise click.UsageError(f"there is no dialect {dialect!r}; there are {', '.join(DIALECTS)}")
    return reference_codec().dialect(dialect).types


def check_type(type_name: str, dialect: str, version: int | None) -> None:
    """Check that the type exists and has this version. Raises click.UsageError with similar names."""
    types = types_of(dialect)
    name = "ARRAY" if type_name.endswith(">") else type_name
    if name not in types or type_name == "ARRAY":
        raise click.UsageError(_unknown(type_name, dialect, types))
    span = types[name]
    if span is None:
        try:
            reference_codec().explain(type_name, b"", dialect=dialect)
        except NotImplementedError:
            raise click.UsageError(_unknown(type_name, dialect, types)) from None
        if version is not None:
            raise click.UsageError(f"{type_name} has no versions; leave --version out")
    elif version is None:
        raise click.UsageError(f"{type_name} has versions: say which with --version, {span[0]} to {span[1]}")


def _unknown(type_name: str, dialect: str, types: Mapping[str, tuple[int, int] | None]) -> str:
    if "ARRAY" in types and ("<" in type_name or type_name == "ARRAY"):
        return (
            f"{type_name!r} is no array type of {dialect}: ARRAY, NULLABLE_ARRAY, COMPACT_ARRAY or "
            "COMPACT_NULLABLE_ARRAY stands before <T>, and T is a primitive or an array, as in ARRAY<STRING>"
        )
    near = _near(type_name, sorted(types))
    meant = f"; near it are {', '.join(near)}" if near else f"; its types are {_listed(types)}"
    return f"the dialect {dialect} has no type {type_name!r}{meant}"


def _listed(types: Mapping[str, tuple[int, int] | None]) -> str:
    """All types; for many messages only their number."""
    names = sorted(types.keys() - {"*"})
    if len(names) <= _MANY:
        return ", ".join(names)
    few = [name for name in names if types[name] is None and ":" not in name]
    return f"{', '.join(few)}, and {len(names) - len(few)} of messages"


def _near(type_name: str, names: Sequence[str]) -> list[str]:
    """Types that may be meant: those of an api with this name, else those with a similar name."""
    wanted = type_name.casefold()
    ends = ("request", "response")
    of_api = [
        name for name in names if name.casefold().removeprefix("responseframe:") in {wanted, *map(wanted.__add__, ends)}
    ]
    if of_api:
        return of_api
    by_lower = {name.casefold(): name for name in names}
    return [by_lower[one] for one in difflib.get_close_matches(wanted, by_lower, n=4, cutoff=0.6)]
