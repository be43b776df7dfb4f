"""`wireproof serve`: the reference as a broker on this machine."""

from __future__ import annotations

import contextlib

import click

from wireproof.conformance.connection.live.server import MOST_CONNECTIONS, Server
from wireproof.console import say
from wireproof.reference.dialects import DIALECTS
from wireproof.reference.peers.topics import MOST_BYTES, MOST_PARTITIONS
from wireproof.stopping import interrupt_on_sigterm, piped_stdin


@click.command(epilog="Exit codes: 0 it was ended, 2 a usage error.")
@click.option(
    "--dialect", type=click.Choice([*DIALECTS]), default="kafka", show_default=True, help="What the broker speaks."
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=9092,
    show_default=True,
    help="Where it listens, at 127.0.0.1; 0 for a port that is free.",
)
@click.option(
    "--advertise",
    type=click.IntRange(1, 65535),
    metavar="PORT",
    help="The port that its answers name in place of its own: that of a proxy before it.",
)
@click.option(
    "--topic",
    "topics",
    multiple=True,
    metavar="NAME[:PARTITIONS]",
    help="A topic that is there from the beginning, where topics have to be made (repeatable).",
)
def serve(dialect: str, port: int, advertise: int | None, topics: tuple[str, ...]) -> None:
    """Run the reference as a broker on this machine, to try a client by hand.

    It keeps in memory what is produced, and forgets it when it ends. Clients of this machine alone can connect. The
    last line that it prints at its start is its address. It ends with Ctrl-C, with SIGTERM, and at the end of its
    standard input if that is a pipe.

    \b
    Examples:
        wireproof serve --topic=test
        wireproof serve --port=0 --topic=test:3
    """  # noqa: D301 (\b is click's sign for text that keeps its lines)
    made = dict(map(_topic, topics))
    with Server(port) as server:
        broker = DIALECTS[dialect].broker(("127.0.0.1", advertise or server.port), made)
        interrupt_on_sigterm()
        say(
            f"{dialect}: at most {MOST_CONNECTIONS} connections, {MOST_PARTITIONS} partitions and "
            f"{MOST_BYTES >> 20} MiB of records, kept in memory"
        )
        say(f"127.0.0.1:{server.port}")
        with contextlib.suppress(KeyboardInterrupt):
            server.run(broker, piped_stdin())


def _topic(text: str) -> tuple[str, int]:
    name, colon, partitions = text.partition(":")
    if not name or (colon and not (partitions.isdecimal() and 0 < int(partitions) <= MOST_PARTITIONS)):
        raise click.UsageError(f"--topic={text!r}: NAME or NAME:PARTITIONS is expected, such as test:3")
    return name, int(partitions or 1)
