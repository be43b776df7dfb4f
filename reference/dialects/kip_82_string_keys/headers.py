"""The class Headers: a multimap of header keys, in the order in which they were added.

The page's interface is `get`, `add`, `keys`, `asBytes` and two constructors, without and with bytes. Values are bytes;
the application serialises them. This is the proposal's text as code: what has bytes is asked with the types of
`messages`, and the kit does not use the class. Source: KIP-82 with string keys, Public Interfaces; R-82s-6, R-82s-9.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wireproof.reference.cursor import Reader, Writer
from wireproof.reference.dialects.kip_82_string_keys.messages import Header, append_headers, read_headers, value_bytes
from wireproof.reference.records.fields import key_bytes
from wireproof.reference.rules import Rules


class Headers:
    """Headers in order. A key may stand more than once, and all its values are kept."""

    def __init__(self, header_bytes: bytes = b"", rules: Rules | None = None) -> None:
        """No headers, or those in `header_bytes`: one after another, without a count. Raises DecodeError."""
        self._rules = rules or Rules()
        self._headers = read_headers(Reader(header_bytes, self._rules))

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, bytes]], rules: Rules | None = None) -> Headers:
        """Headers with these keys and values. Raises EncodeError as `add` does."""
        made = cls(rules=rules)
        for key, value in pairs:
            made.add(key, value)
        return made

    def get(self, key: str) -> list[bytes]:
        """All values of a key, in order; none for an unknown one."""
        return [value for name, value in self._headers if name == key]

    def add(self, key: str, value: bytes) -> None:
        """Add a header at the end. Raises EncodeError for null, and for text with a lone surrogate."""
        key_bytes(key, "key")
        self._headers.append((key, value_bytes(value, "value")))

    def keys(self) -> list[str]:
        """Each key once, by first occurrence."""
        return [*dict.fromkeys(key for key, _ in self._headers)]

    def as_bytes(self) -> bytes:
        """`asBytes`: the headers one after another, as they stand at the end of a message."""
        writer = Writer(self._rules)
        append_headers(writer, self._headers)
        return bytes(writer.out)

    def __iter__(self) -> Iterator[Header]:
        """Keys and values, in order."""
        return iter([*self._headers])

    def __len__(self) -> int:
        return len(self._headers)

    def __eq__(self, other: object) -> bool:
        """The same headers in the same order."""
        return self._headers == other._headers if isinstance(other, Headers) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # headers can be added

    def __repr__(self) -> str:
        return f"Headers.of({self._headers!r})"
