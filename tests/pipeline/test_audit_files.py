"""The paths given to an audit: what is found in them, and what is refused in one clear line."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="the extra `pipeline` is not installed")

from support.log_segments import BASES, NAME, batch, clean, entries, told, write

from wireproof.pipeline.audit.files import find, find_captures, find_logs, open_bytes
from wireproof.pipeline.errors import PipelineError


def test_a_folder_of_partitions(tmp_path: Path) -> None:
    write(tmp_path, clean().data)
    write(tmp_path, batch(200), "00000000000000000200.log")
    write(tmp_path, batch(0), "00000000000000000000.log", "my-topic-12")
    write(tmp_path, b"", "00000000000000000000.log", "gone-3.0123456789abcdef0123456789abcdef-delete")
    write(tmp_path, b"x" * 80, "00000000000000000000.index")
    write(tmp_path, b"a text", "server.log", "logs")
    (tmp_path / "a.pcap").write_bytes(b"")
    logs, captures = find([str(tmp_path)])
    assert [(one.path, one.size, one.streams) for one in captures] == [(f"{tmp_path}/a.pcap", 0, {})]
    assert [(one.topic, one.partition, one.first, one.below, one.size) for one in logs] == [
        ("gone", 3, 0, None, 0),
        ("my-topic", 12, 0, None, len(batch(0))),
        ("orders", 0, 100, 200, len(clean().data)),
        ("orders", 0, 200, None, len(batch(0))),
    ]


def test_a_glob_and_a_file_of_another_name(tmp_path: Path) -> None:
    write(tmp_path, clean().data)
    other = tmp_path / "saved"
    other.write_bytes(clean().data)
    (found,) = find_logs([f"{tmp_path}/*/*.log"])
    assert found.path == f"{tmp_path}/orders-0/{NAME}"
    (found,) = find_logs([str(other)])
    assert (found.topic, found.first) == (None, 0)
    (found,) = find_logs([f"file://{other}"])
    assert found.path == str(other)


def test_a_file_is_found_once(tmp_path: Path) -> None:
    path = write(tmp_path, clean().data)
    assert len(find_logs([str(tmp_path), str(path)])) == 1


def refusals(folder: Path) -> dict[str, tuple[str, str]]:
    """Name → the path, and a part of what is said of it."""
    (folder / "empty").mkdir()
    (folder / "text.log").write_text("2026-01-01 INFO started\n" * 50)
    (folder / "short.bin").write_bytes(b"abc")
    index = write(folder, bytes(80), "00000000000000000000.index")
    times = write(folder, bytes(80), "00000000000000000000.timeindex")
    return {
        "not there": (str(folder / "nothing"), "there is no such file or folder"),
        "no match": (f"{folder}/*.nothing", "no file or folder matches"),
        "an empty folder": (str(folder / "empty"), "has no log segment"),
        "a text": (str(folder / "text.log"), "is no log segment: no record batch begins in it"),
        "three bytes": (str(folder / "short.bin"), "is no log segment"),
        "an index": (str(index), "is an index of offsets, no log segment"),
        "a time index": (str(times), "is an index of timestamps"),
        "no address": ("nowhere://x/y", "is no address that can be read"),
    }


@pytest.mark.parametrize(
    "name",
    ["not there", "no match", "an empty folder", "a text", "three bytes", "an index", "a time index", "no address"],
)
def test_bad_paths(name: str, tmp_path: Path) -> None:
    path, said = refusals(tmp_path)[name]
    with pytest.raises(PipelineError, match=said) as caught:
        find([path])
    assert "\n" not in str(caught.value)
    assert Path(path).name.strip("*") in str(caught.value)


def test_nothing_named() -> None:
    with pytest.raises(PipelineError, match="nothing to audit"):
        find([])


def test_segments_where_captures_are_wanted(tmp_path: Path) -> None:
    path = write(tmp_path, clean().data)
    with pytest.raises(PipelineError, match="no capture, only log segments"):
        find_captures([str(path)])
    (tmp_path / "a.pcap").write_bytes(b"")
    with pytest.raises(PipelineError, match="no log segment, only captures"):
        find_logs([f"{tmp_path}/a.pcap"])


def test_a_segment_of_garbage_is_audited(tmp_path: Path) -> None:
    """Its name says that it was one: that nothing is left of it is a finding."""
    path = write(tmp_path, b"\xde\xad\xbe\xef" * 100)
    assert len(find_logs([str(path)])) == 1


@pytest.mark.parametrize("size", [10, 5000, 50_000])
def test_slices_of_a_file(size: int, tmp_path: Path) -> None:
    content = bytes(number * 7 % 251 for number in range(size))
    path = tmp_path / "file"
    path.write_bytes(content)
    with open_bytes(str(path)) as data:
        assert len(data) == size
        for start in (0, 1, 7, 4090, 4096, size - 3, size, size + 5, 2):
            for count in (0, 1, 17, 4096, 9000):
                assert data[start : start + count] == content[start : start + count]


def test_a_file_that_becomes_shorter(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(100_000))
    with open_bytes(str(path)) as data:
        path.write_bytes(b"")
        with pytest.raises(PipelineError, match="became shorter"):
            data[0:100]


def test_a_file_is_judged_as_bytes_are(tmp_path: Path) -> None:
    segment = clean()
    segment.flip(2, 57)
    path = write(tmp_path, segment.data)
    with open_bytes(str(path)) as data:
        assert told(entries(data, first=BASES[0])) == told(entries(segment.data, first=BASES[0]))
