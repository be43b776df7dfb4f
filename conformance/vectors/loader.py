"""All vectors: the kit's own, and those of users' folders."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from wireproof.conformance.vectors.kit_files import dialects, file_settings, load_file
from wireproof.conformance.vectors.model import AREAS, Vector, VectorFile
from wireproof.conformance.vectors.user_folders import added_files


def files(wanted: Iterable[str] | None = None, areas: Iterable[str] | None = None) -> tuple[VectorFile, ...]:
    """All files of these dialects and areas (None: all), in a fixed order; those of added folders last."""
    wanted, areas = (None if one is None else tuple(one) for one in (wanted, areas))
    chosen = dialects() if wanted is None else tuple(wanted)
    pairs = itertools.product(chosen, AREAS if areas is None else tuple(areas))
    own = (file for file in itertools.starmap(load_file, pairs) if file is not None)
    return (*own, *added_files(wanted, areas))


def load(
    wanted: Iterable[str] | None = None,
    areas: Iterable[str] | None = None,
) -> tuple[Vector, ...]:
    """All vectors of these dialects and areas."""
    return tuple(vector for file in files(wanted, areas) for vector in file.vectors)


def settings(dialect: str) -> dict[str, Any]:
    """The settings for `configure` before the first case of a dialect: those of all its files, added ones too. Vectors
    are not read for it. Raises VectorError when two files disagree."""
    merged = file_settings(dialect)
    for file in added_files([dialect]):
        merged |= file.settings
    return merged
