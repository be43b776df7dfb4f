"""A smaller input that shows the same: fewer bytes first, then simpler ones, then a lower version."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from conformance.asking import Judged
from fuzz.inputs import Form, Forms

#: So many inputs are tried at most.
TRIES = 300

Same = Callable[[Form, bytes], Judged | None]


class _Spent(Exception):  # noqa: N818 (how a search ends)
    pass


class _Search:
    def __init__(self, form: Form, data: bytes, same: Same, tries: int) -> None:
        self.form, self.data = form, data
        self._same = same
        self._left = tries
        self._tried: set[tuple[bytes, bytes]] = {(form.head, data)}

    def better(self, form: Form, data: bytes) -> bool:
        """Take this one, if it shows the same."""
        if (form.head, data) in self._tried:
            return False
        self._tried.add((form.head, data))
        if self._left == 0:
            raise _Spent
        self._left -= 1
        if self._same(form, data) is None:
            return False
        self.form, self.data = form, data
        return True

    def cut(self) -> bool:
        """Leave out bytes: long runs first, from the end on."""
        found = False
        size = max(1, len(self.data) // 2)
        while size:
            at = len(self.data) - size
            while at >= 0:
                if self.better(self.form, self.data[:at] + self.data[at + size :]):
                    found = True
                at -= size
                at = min(at, len(self.data) - size)
            size //= 2
        return found

    def simplify(self) -> bool:
        """Zero what need not be anything else; else make it smaller."""
        found = False
        for at, byte in enumerate(self.data):
            for simpler in _simpler(byte):
                if self.better(self.form, self.data[:at] + bytes([simpler]) + self.data[at + 1 :]):
                    found = True
                    break
        return found

    def lower(self, forms: Forms) -> bool:
        """The lowest version of the type that shows the same for the same bytes."""
        version = self.form.version
        if version is None:
            return False
        of_type = (one for one in forms.values() if one.type == self.form.type)
        lower = sorted((one.version, one.head) for one in of_type if one.version is not None and one.version < version)
        return any(self.better(forms[head], self.data) for _, head in lower)


def _simpler(byte: int) -> Iterator[int]:
    yield from sorted({0, 1, byte & 0x80, byte >> 1} - {byte} & set(range(byte)))


def smaller(form: Form, data: bytes, forms: Forms, same: Same, tries: int = TRIES) -> tuple[Form, bytes] | None:
    """The smallest input that was found to show the same; None where there is none but this. `same` tells whether an
    input does."""
    search = _Search(form, data, same, tries)
    try:
        while search.cut() | search.simplify():
            pass
        search.lower(forms)
    except _Spent:
        pass
    return None if (search.form, search.data) == (form, data) else (search.form, search.data)
