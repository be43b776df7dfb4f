"""Reads all zeros wrong, and crashes at -1."""

from typing import Any

types = {"kafka": {"VARINT": None}}


class Bug(Exception):  # noqa: N818
    """What it crashes with."""


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    if data == b"\x01":
        raise Bug
    return 77
