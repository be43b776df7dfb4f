"""A small client: `client.py NAME ADDRESS`. It asks for the versions, then twice for the metadata, and then the same
of the second broker, if the metadata names one; it ends with 0 if all were answered. NAME says what is wrong with it,
or odd; "conforming" is neither. Some fetch twice, too, and some log in.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Iterator
from pathlib import Path

NAME, ADDRESS = sys.argv[1:]
FETCH, METADATA, SASL_HANDSHAKE, API_VERSIONS, SASL_AUTHENTICATE = 1, 3, 17, 18, 36
#: Seconds for which an answer is awaited; how often it tries, and the seconds between two tries.
WAITS, TRIES, PAUSE = 1.0, 3, 0.05
Ranges = dict[int, tuple[int, int]]

if NAME == "patient":
    TRIES, PAUSE = 2, 0.6
if NAME == "eager":
    TRIES, PAUSE = 6, 0.02
if NAME == "impatient":
    WAITS, TRIES = 0.4, 6
if NAME in ("spins", "never_falls_back", "asks_version_0_for_ever", "only_connects", "spins_on_null_records"):
    TRIES = 1 << 30
if NAME in ("spins", "only_connects"):
    PAUSE = 0.0
if NAME == "waits_for_ever":
    WAITS = 1 << 20
if NAME == "drops_what_is_behind_an_answer":
    TRIES = 1
if NAME == "tries_a_failed_login_for_ever":
    TRIES, PAUSE = 1 << 30, 0.0
LOGS_IN = NAME in (
    "logs_in",
    "logs_in_with_handshake_0",
    "logs_in_with_a_wrong_password",
    "asks_before_the_login",
    "goes_on_after_a_failed_login",
    "tries_a_failed_login_for_ever",
)
TOKEN = b"\0kit\0" + (b"other" if NAME == "logs_in_with_a_wrong_password" else b"secret")
PIPELINES = NAME in ("pipelines_and_fetches", "drops_what_is_behind_an_answer")
FETCHES = PIPELINES or NAME in ("ignores_throttle_times", "spins_on_null_records", "dies_of_null_records")


class FailedError(Exception):
    """It cannot go on with this connection."""


class UnsupportedError(Exception):
    """It has no version in common with the broker."""


class Connection:
    """One connection, which numbers its requests."""

    def __init__(self, address: str = ADDRESS) -> None:
        host, _, port = address.rpartition(":")
        try:
            self._socket = socket.create_connection((host, int(port)), WAITS)
        except OSError as error:
            raise FailedError(error) from None
        self._correlation = self._answered = 0
        #: When the broker's throttle time is over.
        self._free = 0.0

    def ask(self, api: int, version: int, body: bytes = b"") -> bytes:
        """The answer to a request, behind the correlation id."""
        self.send(api, version, body)
        return self.answer()

    def throttled(self, milliseconds: int) -> None:
        """Ask nothing more for so long."""
        if NAME != "ignores_throttle_times":
            self._free = max(self._free, time.monotonic() + milliseconds / 1000)

    def answers_within(self, seconds: float) -> bool:
        """Whether bytes come in so many seconds."""
        return bool(select.select([self._socket], [], [], seconds)[0])

    def send(self, api: int, version: int, body: bytes = b"") -> None:
        """Send a request."""
        time.sleep(max(0.0, self._free - time.monotonic()))
        self._correlation += 1
        client_id = b"\xff\xfe" if NAME == "client_id_is_no_text" else b"c"
        header = struct.pack(">hhih", api, version, self._correlation, len(client_id)) + client_id
        if api == API_VERSIONS and version >= 3 and NAME != "leaves_out_header_tags":
            header += b"\0"
        if NAME == "sends_more_than_the_body" and api == METADATA:
            body += b"\0\0"
        content = header + body
        try:
            self._socket.sendall(struct.pack(">i", len(content)) + content)
        except OSError as error:
            raise FailedError(error) from None

    def answer(self) -> bytes:
        """The next answer, behind the correlation id."""
        self._answered += 1
        try:
            if NAME == "reads_one_packet":
                return self._socket.recv(1 << 16)[8:]
            size = struct.unpack(">i", self._take(4))[0]
            if NAME == "aborts_on_a_wrong_size" and not 0 < size < 1 << 20:
                os.kill(os.getpid(), signal.SIGABRT)
            if NAME == "allocates_by_size" and size > 0:
                bytearray(size)
            if not 4 <= size < 1 << 24:
                raise FailedError(f"a frame of {size} bytes")
            answer = self._take(size)
            if NAME == "drops_what_is_behind_an_answer":
                self._socket.setblocking(False)
                with contextlib.suppress(BlockingIOError):
                    self._socket.recv(1 << 16)
                self._socket.settimeout(WAITS)
        except OSError as error:
            raise FailedError(error) from None
        if answer[:4] != struct.pack(">i", self._answered) and NAME != "ignores_correlation_ids":
            raise FailedError("a wrong correlation id")
        return answer[4:]

    def give(self, token: bytes) -> None:
        """Send a token without a request, and take the answer."""
        try:
            self._socket.sendall(len(token).to_bytes(4, "big") + token)
            self._take(int.from_bytes(self._take(4), "big"))
        except OSError as error:
            raise FailedError(error) from None

    def _take(self, count: int) -> bytes:
        taken = b""
        while len(taken) < count:
            piece = self._socket.recv(count - len(taken))
            if not piece:
                raise FailedError("the connection was closed")
            taken += piece
        return taken

    def close(self) -> None:
        self._socket.close()


def varint(data: bytes, at: int) -> tuple[int, int]:
    """An unsigned varint, and where it ends."""
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        at += 1
        if not data[at - 1] & 0x80:
            return value, at
        shift += 7


def tags(data: bytes, at: int) -> int:
    """Where the tags end that begin there."""
    count, at = varint(data, at)
    if count and NAME == "refuses_unknown_tags":
        raise FailedError("an unknown tag")
    for _ in range(count):
        _, at = varint(data, at)
        size, at = varint(data, at)
        at += size
    return at


def ranges(answer: bytes, version: int) -> tuple[int, Ranges, int]:
    """The error, the ranges and the throttle time in an answer to ApiVersions."""
    throttle_time = 0
    try:
        error = struct.unpack_from(">h", answer)[0]
        if version >= 3 and not error:
            count, at = varint(answer, 2)
            found = {}
            for _ in range(count - 1):
                key, low, high = struct.unpack_from(">hhh", answer, at)
                found[key] = (low, high)
                at = tags(answer, at + 6)
            throttle_time = struct.unpack_from(">i", answer, at)[0]
            tags(answer, at + 4)
        else:
            count = struct.unpack_from(">i", answer, 2)[0]
            if not 0 <= count <= len(answer) // 6:
                raise FailedError("a wrong count")
            found = {}
            for at in range(count):
                key, low, high = struct.unpack_from(">hhh", answer, 6 + 6 * at)
                found[key] = (low, high)
            if version >= 2 and not error:
                throttle_time = struct.unpack_from(">i", answer, 6 + 6 * count)[0]
    except (struct.error, IndexError) as problem:
        raise FailedError(problem) from None
    if NAME == "refuses_unknown_keys" and any(key > 100 for key in found):
        raise FailedError("an unknown api")
    return error, found, throttle_time


def address_of(node: int, brokers: bytes, version: int) -> str:
    """The address of a broker in an answer to Metadata, from its list of brokers on; empty if it is not there."""
    try:
        at = 4
        for _ in range(struct.unpack_from(">i", brokers)[0]):
            found, size = struct.unpack_from(">ih", brokers, at)
            host = brokers[at + 6 : at + 6 + size]
            at += 6 + size
            port = struct.unpack_from(">i", brokers, at)[0]
            at += 4
            if version >= 1:
                at += 2 + max(0, struct.unpack_from(">h", brokers, at)[0])
            if found == node:
                return f"{host.decode()}:{port}"
    except (struct.error, UnicodeDecodeError):
        raise FailedError("half an answer") from None
    return ""


#: The version of ApiVersions that it asks first.
NEWEST = 3 if NAME in ("leaves_out_header_tags", "refuses_unknown_tags", "speaks_version_3") else 2
API_VERSIONS_3 = b"\x02c\x021\x00"


class Client:
    """The client between two connections."""

    def __init__(self) -> None:
        self._asks = 0 if NAME == "speaks_only_the_oldest" else NEWEST
        self._first: Ranges | None = None

    def run(self) -> None:
        """One try."""
        connection = Connection()
        if NAME == "only_connects":
            connection.close()
            raise FailedError("next")
        try:
            if NAME == "asks_no_versions":
                self._metadata(connection, 0)
                return
            known = self._log_in(connection) if LOGS_IN else {}
            if not known or NAME == "logs_in":
                known = self._versions(connection)
            if NAME == "keeps_the_first_ranges":
                self._first = known = self._first or known
            if NAME == "one_connection_each":
                connection.close()
                connection = Connection()
            second = self._metadata(connection, self._chosen(known))
            if second:
                connection.close()
                connection = Connection(second)
                known = self._of_second(connection, known)
                self._metadata(connection, self._chosen(known))
            if FETCHES:
                self._fetch(connection, known)
        finally:
            connection.close()

    def _of_second(self, connection: Connection, of_first: Ranges) -> Ranges:
        """The ranges of the second broker."""
        if NAME == "asks_the_second_broker_no_versions":
            return of_first
        self._asks = NEWEST
        found = self._log_in(connection) if LOGS_IN else self._versions(connection)
        return of_first if NAME == "uses_the_first_brokers_ranges" else found

    def _versions(self, connection: Connection) -> Ranges:
        asked = self._asks
        try:
            answer = connection.ask(API_VERSIONS, asked, API_VERSIONS_3 if asked >= 3 else b"")
        except FailedError:
            if NAME == "asks_version_0_for_ever":
                self._asks = 0
            raise
        error, found, throttle_time = ranges(answer, asked)
        connection.throttled(throttle_time)
        if error != 35:
            if error:
                raise FailedError(f"error {error}")
            return found
        if NAME in ("never_falls_back", "spins"):
            raise FailedError("error 35")
        if NAME == "takes_the_table_of_error_35":
            return found
        low, high = found.get(API_VERSIONS, (0, 0))
        if NAME == "falls_back_to_too_much":
            low, high = 0, high + 1
        self._asks = min(2, high) if NAME != "falls_back_to_too_much" else high
        if asked == 0 or low > self._asks or (self._asks >= asked and NAME != "falls_back_to_too_much"):
            raise UnsupportedError("ApiVersions")
        return self._versions(connection)

    def _log_in(self, connection: Connection) -> Ranges:
        """Log in; the ranges from before."""
        known = self._versions(connection)
        if NAME == "asks_before_the_login":
            self._metadata(connection, self._chosen(known))
        low, high = known.get(SASL_HANDSHAKE, (1, 0))
        if low > min(1, high):
            raise UnsupportedError("SaslHandshake")
        version = 0 if NAME == "logs_in_with_handshake_0" else min(1, high)
        self._accepted(connection.ask(SASL_HANDSHAKE, version, b"\0\5PLAIN"))
        if version == 0:
            connection.give(TOKEN)
            return known
        low, high = known.get(SASL_AUTHENTICATE, (1, 0))
        if low > min(1, high):
            raise UnsupportedError("SaslAuthenticate")
        self._accepted(connection.ask(SASL_AUTHENTICATE, min(1, high), len(TOKEN).to_bytes(4, "big") + TOKEN))
        return known

    def _accepted(self, answer: bytes) -> None:
        """Look at the error of an answer to a request of the login."""
        if answer[:2] == b"\0\0" or NAME == "goes_on_after_a_failed_login":
            return
        raise FailedError("the login") if NAME == "tries_a_failed_login_for_ever" else UnsupportedError("the login")

    def _chosen(self, known: Ranges) -> int:
        newest = 0 if NAME == "speaks_only_the_oldest" else 7
        if NAME == "uses_its_newest":
            return newest
        low, high = known.get(METADATA, (1, 0))
        if NAME == "looks_at_the_highest_alone":
            return max(0, min(newest, high))
        if low > high or low > newest or high < 0:
            raise UnsupportedError("Metadata")
        return min(newest, high)

    def _metadata(self, connection: Connection, version: int) -> str:
        """Ask for it; the address of the second broker, if there is one."""
        second = ""
        body = struct.pack(">i", 1 if NAME == "counts_one_topic_too_many" else -1 if version else 0)
        if version >= 4:
            body += b"\0"
        if NAME == "asks_a_key_of_its_own":
            connection.ask(999, 0)
        for answer in self._twice(connection, METADATA, version, body):
            if len(answer) < 4 or not 0 <= (first := struct.unpack_from(">i", answer)[0]) < 1000:
                raise FailedError("a wrong count, or throttle time")
            if version >= 6:
                connection.throttled(first)
            second = address_of(1, answer[4 if version >= 3 else 0 :], version)
        return second

    def _twice(self, connection: Connection, api: int, version: int, body: bytes) -> Iterator[bytes]:
        """The answers to a request that is asked twice."""
        connection.send(api, version, body)
        early = PIPELINES and not connection.answers_within(0.25)
        if early:
            connection.send(api, version, body)
        yield connection.answer()
        if not early:
            connection.send(api, version, body)
        yield connection.answer()

    def _fetch(self, connection: Connection, known: Ranges) -> None:
        low, high = known.get(FETCH, (1, 0))
        if not low <= 8 <= high:
            raise UnsupportedError("Fetch")
        body = struct.pack(">iiiibiiih4siiqqii", -1, 0, 0, 1 << 20, 0, 0, -1, 1, 4, b"test", 1, 0, 0, -1, 1 << 20, 0)
        for _ in range(TRIES):
            read = [self._read_fetch(connection, answer) for answer in self._twice(connection, FETCH, 8, body)]
            if not any(error for error, _ in read):
                return
            if NAME != "spins_on_null_records" or not any(null for _, null in read):
                time.sleep(PAUSE)
        raise FailedError("an error of Fetch")

    def _read_fetch(self, connection: Connection, answer: bytes) -> tuple[int, bool]:
        """The error of the partition, and whether its records are null."""
        try:
            throttle_time, error = struct.unpack_from(">i24xh", answer)
            aborted = struct.unpack_from(">i", answer, 54)[0]
            size = struct.unpack_from(">i", answer, 58 + 16 * max(0, aborted))[0]
        except struct.error as problem:
            raise FailedError(problem) from None
        connection.throttled(throttle_time)
        if size < 0 and NAME == "dies_of_null_records":
            raise UnsupportedError("null")
        return error, size < 0


def late_once() -> bool:
    """Whether this is the first run of the script `usual`, which the file PROGRAMS_MARK remembers."""
    mark = Path(os.environ["PROGRAMS_MARK"])
    if os.environ["WIREPROOF_SCRIPT"] != "usual" or mark.exists():
        return False
    mark.touch()
    return True


def main() -> int:
    """The exit code."""
    client = Client()
    if NAME == "late_once" and late_once():
        Connection().close()
        return 1
    if NAME == "writes_without_end":
        while True:
            sys.stdout.write("x" * 79 + "\n")
    for _ in range(TRIES):
        try:
            client.run()
        except UnsupportedError as error:
            sys.stderr.write(f"no common version of {error}\n")
            return 0 if NAME == "ends_with_0" else 1
        except FailedError as error:
            problem = error
            time.sleep(PAUSE)
        else:
            return 0
    sys.stderr.write(f"{problem}\n")
    return 0 if NAME == "ends_with_0" else 1


if __name__ == "__main__":
    sys.exit(main())
