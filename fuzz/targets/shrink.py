"""Searches for a smaller input with the same deviation: first fewer bytes, then simpler bytes, then a lower version."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from wireproof.conformance.asking.examiner import Judged
from wireproof.fuzz.targets.inputs import Form, Forms

#: The maximum number of inputs to try.
TRIES = 300

Same = Callable[[Form, bytes], Judged | None]


class _Spent(Exception):  # noqa: N818 (it ends a search, and is no error)
    pass


class _Search:
    def __init__(self, form: Form, data: bytes, same: Same, tries: int) -> None:
        self.form, self.data = form, data
        self._same = same
        self._left = tries
        self._tried: set[tuple[bytes, bytes]] = {(form.head, data)}

    def better(self, form: Form, data: bytes) -> bool:
        """Use this input from now on, if it shows the same deviation. True if it does."""
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
        """Remove bytes: long runs first, from the end to the start. True if any were removed."""
        shorter = False
        size = max(1, len(self.data) // 2)
        while size:
            at = len(self.data) - size
            while at >= 0:
                if self.better(self.form, self.data[:at] + self.data[at + size :]):
                    shorter = True
                at -= size
                at = min(at, len(self.data) - size)
            size //= 2
        return shorter

    def simplify(self) -> bool:
        """Replace bytes by zero or by smaller ones. True if any were replaced."""
        changed = False
        for at, byte in enumerate(self.data):
            for simpler in _simpler(byte):
                if self.better(self.form, self.data[:at] + bytes([simpler]) + self.data[at + 1 :]):
                    changed = True
                    break
        return changed

    def lower(self, forms: Forms) -> bool:
        """Use the lowest version of the type with the same deviation for the same bytes. True if there is one."""
        version = self.form.version
        if version is None:
            return False
        of_type = (one for one in forms.values() if one.type == self.form.type)
        lower = sorted((one.version, one.head) for one in of_type if one.version is not None and one.version < version)
        return any(self.better(forms[head], self.data) for _, head in lower)


def _simpler(byte: int) -> Iterator[int]:
    yield from sorted({0, 1, byte & 0x80, byte >> 1} - {byte} & set(range(byte)))


def smaller(form: Form, data: bytes, forms: Forms, same: Same, tries: int = TRIES) -> tuple[Form, bytes] | None:
    """The smallest input found with the same deviation; None if there is no smaller one. `same` judges an input, and
    returns None if it does not show that deviation."""
    search = _Search(form, data, same, tries)
    try:
        while search.cut() | search.simplify():
            pass
        search.lower(forms)
    except _Spent:
        pass
    return None if (search.form, search.data) == (form, data) else (search.form, search.data)
