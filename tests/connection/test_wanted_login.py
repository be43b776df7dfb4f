"""The login that the kit's broker wants of a client: frames by hand, without sockets and clocks."""

from __future__ import annotations

from typing import cast

import pytest

from wireproof.conformance.connection.live.wanted_login import APIS, WantedLogin
from wireproof.reference.dialects import DIALECTS
from wireproof.reference.peers.broker import Broker

TOKEN = b"\0kit\0secret"
#: The contents of frames: ApiVersions 0, Metadata 0, SaslHandshake 0 and 1 of PLAIN, each without a client id.
ASK, METADATA = bytes.fromhex("0012 0000 00000001 ffff"), bytes.fromhex("0003 0000 00000001 ffff 00000000")
HANDSHAKES = [bytes.fromhex(f"0011 000{version} 00000001 ffff 0005 504c41494e") for version in (0, 1)]
OTHER = bytes.fromhex("0011 0001 00000001 ffff 0005 504c41494f")


def authenticate(token: bytes, version: int = 1) -> bytes:
    """SaslAuthenticate 0 or 1."""
    return bytes.fromhex(f"0024 000{version} 00000001 ffff") + len(token).to_bytes(4) + token


class Peer:
    """A broker with its login."""

    def __init__(self, before: dict[int, tuple[int, int]] | None = None) -> None:
        self.broker = cast(Broker, DIALECTS["kafka"].broker(("127.0.0.1", 9092), {"test": 1})())
        self.broker.apis = {**self.broker.apis, **APIS}
        self.login = WantedLogin(self.broker, TOKEN, before or {})

    def error(self, frame: bytes) -> int:
        """The error of the answer to a request of the login."""
        assert self.login.admits(frame)
        answer = self.broker.answer(frame, 0.0)
        assert isinstance(answer, bytes)
        self.login.sent(frame, answer)
        return int.from_bytes(answer[8:10])


def test_before_the_login_only_its_own_requests_are_answered() -> None:
    peer = Peer()
    assert [peer.login.admits(one) for one in (ASK, HANDSHAKES[0], authenticate(TOKEN), METADATA)] == [
        True,
        True,
        False,
        False,
    ]
    assert peer.error(HANDSHAKES[1]) == peer.error(authenticate(TOKEN)) == 0
    assert peer.login.done
    assert peer.login.admits(METADATA)


@pytest.mark.parametrize(
    ("token", "answer"),
    [
        (TOKEN, bytes(4)),
        (b"kit" + TOKEN, bytes(4)),
        (b"other" + TOKEN, None),
        (b"\0kit\0", None),
        (TOKEN + b"\0", None),
        (b"", None),
    ],
)
def test_behind_handshake_0_the_token_comes_alone(token: bytes, answer: bytes | None) -> None:
    peer = Peer()
    assert peer.error(HANDSHAKES[0]) == 0
    assert peer.login.awaits_token
    assert peer.login.take(token) == answer
    assert (peer.login.done, peer.login.awaits_token) == (answer is not None, False)


def test_a_login_that_failed_answers_nothing_more() -> None:
    peer = Peer()
    assert peer.error(OTHER) == 33
    assert not peer.login.admits(authenticate(TOKEN))
    assert peer.error(HANDSHAKES[1]) == 0
    assert peer.error(authenticate(b"\0kit\0")) == 58
    assert not any(map(peer.login.admits, (ASK, METADATA, HANDSHAKES[1])))


@pytest.mark.parametrize("answer", [b"", bytes.fromhex("00000010 00000001 003a ffff 00000000")])
def test_what_is_sent_decides_and_not_what_the_broker_had_answered(answer: bytes) -> None:
    peer = Peer()
    assert peer.error(HANDSHAKES[1]) == 0
    peer.broker.answer(authenticate(TOKEN), 0.0)
    peer.login.sent(authenticate(TOKEN), answer)
    assert not peer.login.done
    assert not peer.login.admits(ASK)


def test_what_is_listed_before_the_login_is_forgotten_behind_it() -> None:
    peer = Peer({3: (0, -1), 0: (0, 1)})
    assert (peer.broker.apis.get(3), peer.broker.apis[0]) == (None, (0, 1))
    assert peer.error(HANDSHAKES[1]) == peer.error(authenticate(TOKEN)) == 0
    assert (peer.broker.apis[3], peer.broker.apis[0]) == ((0, 13), (0, 13))


def test_a_password_is_hidden_and_all_else_is_kept() -> None:
    login = Peer().login
    assert login.hidden(authenticate(TOKEN)) == authenticate(b"\0kit\0******")
    assert login.hidden(authenticate(b"\0kit\0other")) == authenticate(b"\0kit\0other")
    assert login.hidden(METADATA + b"secret") == METADATA + b"secret"
