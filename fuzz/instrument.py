"""What tells libFuzzer which branches an input took: modules are instrumented as they are imported, and code that they
generate as it is executed, which an import hook cannot see.

Everything stays as it is in any other process: this module is only used in a child of a campaign.
"""

from __future__ import annotations

import builtins
import sys
from collections import deque
from collections.abc import Iterable
from types import CodeType, FunctionType
from typing import Any

import atheris

#: So many generated functions are instrumented at once, as they are made. Each takes some ten milliseconds, and the
#: messages have hundreds: the others follow one by one.
AT_ONCE = 40


def install(packages: Iterable[str]) -> Generated:
    """From now on modules of these packages are instrumented when they are imported. What is imported already stays as
    it is. Functions that they make with `exec` are instrumented, too; see `Generated`."""
    names = frozenset(packages)
    if names:
        # Not the loaders of other tools: theirs need not be instrumented. It is never left: modules are imported late.
        hook = atheris.instrument_imports(include=sorted(names), enable_loader_override=False)
        hook.__enter__()
    made = Generated(builtins.exec, names)
    builtins.exec = made
    return made


class Generated:
    """`exec`, but functions that are made up by an instrumented module are instrumented: the first ones at once, the
    others one whenever `one_more` is called."""

    def __init__(self, usual: Any, packages: frozenset[str]) -> None:
        self._usual = usual
        self._packages = packages
        self._made = 0
        self._waiting: deque[FunctionType] = deque()

    def __call__(self, source: Any, names: dict[str, Any] | None = None, inner: Any = None, /, **named: Any) -> None:
        caller = sys._getframe(1)  # noqa: SLF001 (whose code it is; exec's own defaults are the caller's, too)
        if names is None:
            names = caller.f_globals
            inner = caller.f_locals if inner is None else inner
        within = names if inner is None else inner
        package = str(caller.f_globals.get("__name__", "")).partition(".")[0]
        if package not in self._packages or not isinstance(source, str | CodeType):
            self._usual(source, names, within, **named)
            return
        code = compile(source, "<string>", "exec", dont_inherit=True) if isinstance(source, str) else source
        self._usual(code, names, within, **named)
        if code.co_filename.startswith("<"):
            inside = {id(constant) for constant in code.co_consts}
            for item in [*within.values()]:
                if isinstance(item, FunctionType) and id(item.__code__) in inside:
                    self._waiting.append(item)
                    self._made += 1
                    if self._made <= AT_ONCE:
                        self.one_more()

    def one_more(self) -> None:
        """Instrument one of the functions that wait for it."""
        if self._waiting:
            function = self._waiting.popleft()
            function.__code__ = atheris.patch_code(function.__code__, trace_dataflow=True)
