"""`wireproof capture`: a proxy before a broker that alters nothing, judges what passes, and writes it as a pcap."""

from __future__ import annotations

import contextlib
import ipaddress
import multiprocessing
import os
import select
import signal
import socket
import sys
import time
from collections import Counter
from pathlib import Path
from typing import NoReturn

import click
from rich.table import Table

from wireproof.cli_errors import guarded
from wireproof.cli_options import overwrite_option
from wireproof.conformance.connection.live.proxy import MOST_CONNECTIONS, Address, Proxy
from wireproof.conformance.report.text import safe
from wireproof.conformance.writing import open_stream
from wireproof.console import ProgressLine, say, show
from wireproof.pipeline.audit.captures.exchange import Frame
from wireproof.pipeline.audit.captures.following import Follower, shown
from wireproof.pipeline.audit.captures.recording import Recording, RecordingReader
from wireproof.pipeline.audit.findings import Verdict
from wireproof.stopping import interrupt_on_sigterm, piped_stdin

#: So many findings are shown.
_MOST_SHOWN = 50
#: Seconds for what is not judged yet when the capture ends, and between two looks for more bytes.
_AT_THE_END, _PAUSE = 10.0, 0.1
_PIECE = 1 << 20
#: Verdicts that are told frame by frame.
_TOLD = (Verdict.FAIL, Verdict.CONTESTED, Verdict.UNREADABLE)
_UNJUDGED = "not judged in time"


@click.command(
    epilog="Exit codes: 0 all was judged and nothing is malformed, 1 something is malformed, 2 a usage error, or "
    "something was not judged or not written."
)
@click.option(
    "--listen", required=True, metavar="HOST:PORT", help="Where clients connect; port 0 for one that is free."
)
@click.option("--to", required=True, metavar="HOST:PORT", help="The broker.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default="capture.pcap",
    show_default=True,
    metavar="FILE",
    help="The capture that is written.",
)
@click.option("--allow-remote", is_flag=True, help="Listen for other machines, or pass on to one.")
@overwrite_option
def capture(listen: str, to: str, out: Path, allow_remote: bool, overwrite: bool) -> None:
    """Stand before a broker as a proxy that alters nothing, and judge what passes.

    Bytes are passed on first, whatever they are, then written, then judged by another process, as `wireproof pipeline
    audit` judges captures. What it has no time to judge is told at the end, and stands in the capture. The last line
    that is printed at the start is the address for clients. It ends with Ctrl-C, with SIGTERM, and at the end of its
    standard input if that is a pipe.

    Clients go on to the addresses that a broker's answers name, so a broker has to advertise the address of this proxy.

    \b
    Examples:
        wireproof capture --listen=127.0.0.1:9092 --to=127.0.0.1:19092
        wireproof capture --listen=127.0.0.1:0 --to=127.0.0.1:9092 --out=client.pcap
    """  # noqa: D301 (\b is click's sign for text that keeps its lines)
    near, far = (_address(*one, allow_remote) for one in (("--listen", listen), ("--to", to)))
    with open_stream(out, overwrite=overwrite) as file, Proxy(near, far) as proxy:
        recording = Recording(file, proxy.address)
        say(f"passes on to {shown(far)}, at most {MOST_CONNECTIONS} connections, and writes {out}")
        say(shown(proxy.address))
        judge, told_to_end = _start_judge(proxy, out)
        interrupt_on_sigterm()
        with contextlib.suppress(KeyboardInterrupt):
            proxy.run(recording.tell, piped_stdin())
        proxy.close()
        os.close(told_to_end)
        try:
            judge.join()
        except KeyboardInterrupt:
            judge.kill()
            judge.join()
            say("the judge was interrupted", err=True)
    if recording.failure is not None:
        why = recording.failure.strerror or recording.failure
        say(f"{recording.lost_bytes:,} bytes passed, but were neither written nor judged: {out}: {why}", err=True)
    code = judge.exitcode or 0
    sys.exit(max(code, 0) or (2 if code or recording.failure else 0))


def _address(option: str, text: str, remote: bool) -> Address:
    """The IP address and port of HOST:PORT. Raises click.UsageError."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or not 0 <= int(port) < 1 << 16:
        raise click.UsageError(f"{option}={text!r}: HOST:PORT is expected, such as 127.0.0.1:9092")
    try:
        *_, found = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        raise click.UsageError(f"{option}={text!r}: the host {host} is not found") from None
    ip = str(found[0])
    if not remote and not ipaddress.ip_address(ip.partition("%")[0]).is_loopback:
        raise click.UsageError(
            f"{option}={text!r} is {ip}, not this machine alone. If everyone may pass who reaches it, and the owner of "
            "the broker agreed, say --allow-remote."
        )
    return ip, int(port)


# --- The judge, in a process of its own, so that it never holds up what passes ----------------------------------------


def _start_judge(proxy: Proxy, path: Path) -> tuple[multiprocessing.context.ForkProcess, int]:
    """The process, and a descriptor that tells it to end when it is closed."""
    ended, told_to_end = os.pipe()

    def judge() -> NoReturn:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the proxy, whose end is this one's
        os.close(told_to_end)
        broker = proxy.address
        proxy.close()
        os.nice(19)
        sys.exit(guarded(lambda: _judge(path, broker, ended)))

    process = multiprocessing.get_context("fork").Process(target=judge, daemon=True)
    process.start()
    os.close(ended)
    return process, told_to_end


def _judge(path: Path, broker: Address, ended: int) -> int:
    """Judge a recording until it has ended, and show what was found. Returns the exit code."""
    follower, reader, line = Follower(shown(broker)), RecordingReader(broker), ProgressLine(on_terminal=0.5)
    limit: float | None = None
    told = 0
    with path.open("rb", buffering=0) as file:
        while limit is None or time.monotonic() < limit:
            content = file.read(_PIECE)
            for recorded in reader.add(content):
                for frame in follower.add(recorded):
                    told += _tell(frame, told, line)
            behind = os.fstat(file.fileno()).st_size - file.tell()
            line(f"{_sum(follower)}; {behind >> 20:,} MiB behind")
            if limit is None and select.select([ended], [], [], 0 if content else _PAUSE)[0]:
                limit = time.monotonic() + _AT_THE_END
            elif not content and limit is not None:
                break
        behind = os.fstat(file.fileno()).st_size - file.tell()
    if behind:
        follower.unjudged_bytes[_UNJUDGED] += behind
    for frame in follower.end():
        told += _tell(frame, told, line)
    line.end()
    malformed = _count(follower, Verdict.FAIL)
    _show(follower, path, told)
    return 1 if malformed else 2 if follower.unjudged_bytes else 0


def _tell(frame: Frame, told: int, line: ProgressLine) -> bool:
    """Tell what is wrong with a frame. Returns whether something is."""
    if frame.trouble is None or frame.verdict not in _TOLD:
        return False
    if told < _MOST_SHOWN:
        line.end()
        what = f"{frame.direction} {frame.api or f'of api {frame.api_key}'} {frame.version}"
        place = f"correlation id {frame.correlation_id}, byte {frame.trouble.offset} of its direction"
        trouble = f"{frame.verdict}: {frame.trouble.reason}: {frame.trouble.detail}"
        say(f"{frame.connection}: {what}, {place}: {trouble}")
    return True


def _count(follower: Follower, verdict: Verdict) -> int:
    return sum(count for (*_, one), count in follower.counts.items() if one is verdict)


def _sum(follower: Follower) -> str:
    frames = sum(follower.counts.values())
    told = f"connections: {follower.connections:,}, frames: {frames:,} ({follower.judged_bytes / (1 << 20):,.1f} MiB)"
    return f"{told}, malformed: {_count(follower, Verdict.FAIL):,}, unmatched: {_count(follower, Verdict.UNMATCHED):,}"


def _show(follower: Follower, path: Path, told: int) -> None:
    table = Table(box=None, pad_edge=False)
    for name in ("api", "version", "verdict"):
        table.add_column(name)
    for name in ("requests", "responses"):
        table.add_column(name, justify="right")
    rows: dict[tuple[str, int, str], Counter[str]] = {}
    for (api, version, direction, verdict), count in follower.counts.items():
        row = api or "", -1 if version is None else version, str(verdict)
        rows.setdefault(row, Counter())[direction] += count
    for (name, number, word), counts in sorted(rows.items()):
        table.add_row(
            safe(name), "" if number < 0 else str(number), word, f"{counts['request']:,}", f"{counts['response']:,}"
        )
    show(table)
    if told > _MOST_SHOWN:
        say(f"… and {told - _MOST_SHOWN:,} more findings: `wireproof pipeline audit {path}` lists them")
    for why, size in sorted(follower.unjudged_bytes.items()):
        say(f"not judged: {size:,} bytes {why}")
    say(_sum(follower))
