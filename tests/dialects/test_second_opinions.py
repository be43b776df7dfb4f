"""Every proposal has a second opinion, and none of them imports anything of the kit."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import pytest
import second_opinion
from support import opinions

from wireproof import reference

OPINIONS = sorted(found.name for found in pkgutil.iter_modules(second_opinion.__path__))
#: Not a codec, but Kafka's bytes laid out anew.
LIFTED = "lifted"
#: What an opinion may stand on besides Python's own library: a parser of declared grammars, and codecs of others.
LIBRARIES = {"construct", "cramjam", "crc32c", "lz4", "xxhash"}


def test_every_proposal_has_one() -> None:
    proposals = {dialect for dialect in reference.dialects if dialect != "kafka"}
    packages = {reference.dialect_named(dialect).__module__.rpartition(".")[2] for dialect in proposals}
    assert set(OPINIONS) == {*packages, LIFTED}


@pytest.mark.parametrize("name", OPINIONS)
def test_it_imports_nothing_of_the_kit(name: str) -> None:
    imported = opinions.imported(importlib.import_module(f"second_opinion.{name}"))
    assert ("construct" in imported) is (name != LIFTED)
    assert imported <= LIBRARIES | sys.stdlib_module_names
