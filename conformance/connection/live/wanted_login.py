"""The login with SASL PLAIN that the kit's broker wants of a client: a layer around the broker's side of a connection,
sans IO. It says which requests are answered before the login is done, and follows it by the answers that are sent, for
a script may give others than the broker would.

    SaslHandshake 1, SaslAuthenticate; or SaslHandshake 0, and behind it the token alone with its size

Source: KIP-43, KIP-152; Kafka protocol guide, SASL Authentication Sequence; RFC 4616.
"""

from __future__ import annotations

from collections.abc import Mapping

from wireproof.reference.peers.answers import Body, Facts
from wireproof.reference.peers.broker import Broker
from wireproof.reference.peers.framing import API_VERSIONS

SASL_HANDSHAKE, SASL_AUTHENTICATE = 17, 36
#: What a broker that wants a login lists beside its other apis.
APIS: Mapping[int, tuple[int, int]] = {SASL_HANDSHAKE: (0, 1), SASL_AUTHENTICATE: (0, 2)}
UNSUPPORTED_SASL_MECHANISM, SASL_AUTHENTICATION_FAILED = 33, 58
MECHANISM = "PLAIN"
#: The first version of SaslAuthenticate whose answer has tags in its header, before the error.
_FLEXIBLE = 2


class WantedLogin:
    """The login of one connection. `done`: the broker has accepted it; `awaits_token`: what comes next is the token
    alone, and no request."""

    def __init__(self, broker: Broker, token: bytes, before: Mapping[int, tuple[int, int]]) -> None:
        """`before`: ranges that the broker lists before the login, in the place of its own."""
        self.done = self.awaits_token = False
        _, *self._user_and_password = token.split(b"\0", 2)
        self._broker = broker
        self._after = broker.apis
        broker.apis = {key: span for key, span in {**broker.apis, **before}.items() if span != (0, -1)}
        answers = {SASL_HANDSHAKE: self._handshake, SASL_AUTHENTICATE: self._authenticate}
        broker.responses = {**broker.responses, **answers}
        #: Whether the client has named the mechanism, whether the last token was right, and whether the login failed.
        self._named = self._right = self._failed = False

    def admits(self, frame: bytes) -> bool:
        """Whether a request is answered; if not, the broker closes."""
        api = int.from_bytes(frame[:2])
        if self._failed or (api == SASL_AUTHENTICATE and not self._named):
            return False
        return self.done or api in (API_VERSIONS, *APIS)

    def take(self, token: bytes) -> bytes | None:
        """The answer to a token without a request: an empty one; None: it is wrong, and the broker closes."""
        self.awaits_token = False
        if not self._is_right(token):
            return None
        self._is_done()
        return bytes(4)

    def sent(self, frame: bytes, answer: bytes) -> None:
        """What an answer to a request makes of the login."""
        api, version = (int.from_bytes(frame[at : at + 2]) for at in (0, 2))
        at = 9 if api == SASL_AUTHENTICATE and version >= _FLEXIBLE else 8
        accepted = answer[at : at + 2] == bytes(2)
        if api == SASL_HANDSHAKE:
            self._named = self._named and accepted
            self.awaits_token = self._named and version == 0
        elif api == SASL_AUTHENTICATE and accepted and self._right:
            self._is_done()
        elif api == SASL_AUTHENTICATE:
            self._failed = True

    def hidden(self, frame: bytes) -> bytes:
        """A request as it is recorded: without the password."""
        password = self._user_and_password[1]
        if int.from_bytes(frame[:2]) != SASL_AUTHENTICATE or not password:
            return frame
        before, found, behind = frame.rpartition(password)
        return before + b"*" * len(found) + behind

    def _is_right(self, token: bytes) -> bool:
        """Whether a token is that of the user, who may say as whom to act: as nobody else."""
        acts_as, *said = token.split(b"\0", 2)
        return said == self._user_and_password and acts_as in (b"", said[0])

    def _is_done(self) -> None:
        self.done = True
        self._broker.apis = self._after

    def _handshake(self, facts: Facts, request: Body, version: int) -> Body:  # noqa: ARG002 (all versions alike)
        self._named = request["Mechanism"] == MECHANISM
        return {"ErrorCode": 0 if self._named else UNSUPPORTED_SASL_MECHANISM, "Mechanisms": [MECHANISM]}

    def _authenticate(self, facts: Facts, request: Body, version: int) -> Body:  # noqa: ARG002 (all versions alike)
        self._right = self._is_right(request["AuthBytes"])
        error, text = (0, None) if self._right else (SASL_AUTHENTICATION_FAILED, "the user or the password is wrong")
        return {"ErrorCode": error, "ErrorMessage": text, "AuthBytes": b"", "SessionLifetimeMs": 0}
