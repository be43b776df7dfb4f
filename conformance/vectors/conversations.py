"""The conversations with a broker, `vectors/conversations.json`, and those beside clients that misbehave,
`vectors/faults.json`: read and checked when they are first needed.

Those of the dialect kafka are of the versions that the broker announces. Other dialects have one version of each
request, which is a frame's type."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from typing import Any, Literal

import msgspec

from wireproof.conformance.model import CONVERSATIONS, FAULTS
from wireproof.conformance.values.encoding import from_json
from wireproof.conformance.vectors import patterns, records, requests
from wireproof.conformance.vectors.model import ABSENT, VectorError
from wireproof.conformance.vectors.short_forms import ShortForms
from wireproof.errors import WireproofError
from wireproof.reference.schema.plan import Array, Node, Struct

DIALECT = requests.DIALECT
#: The bounds of clients that misbehave: how many stay, how many come and go, and the bytes that all of them send.
MOST_HELD, MOST_DROPPED, MOST_BYTES = 100, 10_000, 1 << 24


class Topic(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """A topic that is made for a conversation. `configs`: its settings by name."""

    partitions: int = 1
    configs: dict[str, str] = {}


class Needs(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """What a broker must have. `topics`: name → topic; the marks NAME and NAME-id have its name and its id there.
    `sasl`: a login with SASL PLAIN, which the steps do themselves. `writes`: the steps make or change something beside
    these topics. `load`: other clients load the broker."""

    topics: dict[str, Topic] = {}
    sasl: bool = False
    writes: bool = False
    load: bool = False


class Clients(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """Clients that misbehave beside the connections of the steps.

    Each of `count` sends `send`, `times` times: at once, or with `byte_every` seconds between two bytes. `ends`: how
    each ends when it has sent all; None: it stays to the end. `reads`: whether it reads what comes. The next step comes
    when all have sent everything, after `seconds` at most.
    """

    count: int
    send: list[list[str]] = []
    times: int = 1
    byte_every: float = 0.0
    ends: Literal["close", "reset"] | None = None
    reads: bool = True
    seconds: float = 1.0

    @property
    def data(self) -> bytes:
        """The bytes that each sends."""
        return _bytes(self.send) * self.times


class Step(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """One step, on the connection named by `on`.

    `pause`: seconds until it begins. `ask`: the api of a request, with its `value`. `version`: a number; the greatest
    announced one in a pair of lowest and highest; or "each", that for which the conversation is held, or of another api
    all announced ones in turn, from the lowest to the highest of `versions`. Without it: the greatest announced one.
    `send`: bytes. `token`: that of SASL PLAIN, as a frame. Then, or alone, `answer`: the pattern of the body of the
    oldest answer that is still to come; without it a later step awaits that. `receives`: the bytes of the next frame.
    `answered`: False if no answer is to come. `times`: so often. `until`: ask again until the answer matches.
    `precondition`: without this answer the broker may do without the rest, and is not asked it. `waits`: least and most
    seconds until the answer. `closes`: the broker closes the connection; `silent`: nothing comes. `reads`: whether what
    comes is read from now on. `clients`: other clients that misbehave from now on; the step does nothing else.
    """

    on: str = "a"
    pause: float = 0.0
    ask: str | None = None
    version: int | tuple[int, int] | Literal["each"] | None = None
    versions: tuple[int, int] = (0, 32767)
    value: Any = {}
    send: list[list[str]] | None = None
    receives: list[list[str]] | None = None
    token: bool = False
    answer: Any = ABSENT
    answered: bool = True
    times: int = 1
    until: bool = False
    precondition: bool = False
    waits: tuple[float, float] | None = None
    closes: bool = False
    silent: bool = False
    reads: bool = True
    clients: Clients | None = None

    @property
    def data(self) -> bytes:
        """The bytes of `send`."""
        return _bytes(self.send)

    @property
    def frame(self) -> bytes | None:
        """The bytes of `receives`."""
        return None if self.receives is None else _bytes(self.receives)

    @property
    def is_secret(self) -> bool:
        """Whether it sends the token."""
        return self.token or "token" in _found(self.value, "marked")

    @property
    def sends(self) -> bool:
        """Whether it sends anything."""
        return self.ask is not None or self.send is not None or self.token

    @property
    def awaits(self) -> bool:
        """Whether it waits for anything."""
        return self.answer is not ABSENT or self.receives is not None or self.closes or self.silent


def _bytes(pieces: list[list[str]] | None) -> bytes:
    return b"".join(bytes.fromhex(piece[0]) for piece in pieces or ())


class Conversation(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """One conversation. `rulings`: those on which it rests. `each`: the api for each of whose announced versions, from
    the lowest to the highest of `versions`, it is held once."""

    id: str
    about: str
    source: str
    steps: list[Step]
    dialect: str = DIALECT
    rulings: list[str] = []
    each: str | None = None
    versions: tuple[int, int] = (0, 32767)
    needs: Needs = Needs()

    @property
    def area(self) -> str:
        """The area of its questions."""
        return FAULTS if self.needs.load else CONVERSATIONS


class _File(msgspec.Struct, forbid_unknown_fields=True):
    format: Literal[1]
    vectors: list[dict[str, Any]]
    named: dict[str, Any] = {}
    sources: dict[str, str] = {}


@functools.cache
def load() -> Mapping[str, Conversation]:
    """All conversations by id, the faults last. Raises VectorError for a file that is wrong."""
    found: dict[str, Conversation] = {}
    for area in (CONVERSATIONS, FAULTS):
        for name, one in parse((resources.files("wireproof.vectors") / f"{area}.json").read_bytes(), area).items():
            if name in found:
                raise VectorError(f"vectors/{area}.json: the id {name} stands twice")
            found[name] = one
    return found


def parse(content: bytes, area: str) -> Mapping[str, Conversation]:
    """The conversations in the file of an area, by id. Raises VectorError."""
    found: dict[str, Conversation] = {}
    where = ""
    try:
        file = msgspec.json.decode(content, type=_File)
        forms = ShortForms(file.named)
        for raw in file.vectors:
            where = f", vector {raw.get('id')!r}"
            one = msgspec.convert(forms.written_out(raw), Conversation)
            if one.id in found:
                raise VectorError("the id stands twice")
            if one.area != area:
                raise VectorError(f"its area is {one.area}: `load` says so")
            _check(one)
            found[one.id] = msgspec.structs.replace(one, source=file.sources.get(one.source, one.source))
    except (msgspec.MsgspecError, ValueError, WireproofError) as error:
        raise VectorError(f"vectors/{area}.json{where}: {error}") from None
    return found


def _check(conversation: Conversation) -> None:
    """Raises VectorError, or ValueError, for steps that cannot be held."""
    marked = {mark for topic in conversation.needs.topics for mark in (topic, f"{topic}-id")} | {"token", "name"}
    if conversation.each is not None:
        requests.plans(conversation.each)
    asked: dict[str, list[str]] = {}
    for number, step in enumerate(conversation.steps, 1):
        try:
            _check_step(step, asked.setdefault(step.on, []), marked, conversation.dialect)
        except (ValueError, WireproofError) as error:
            raise VectorError(f"step {number}: {error}") from None
    if any(asked.values()):
        raise VectorError(f"nothing awaits the answers to {', '.join(api for apis in asked.values() for api in apis)}")


def _check_step(step: Step, asked: list[str], marked: set[str], dialect: str) -> None:
    """`asked`: the apis whose answers are still to come."""
    if step.clients is not None:
        _check_clients(step.clients)
    elif step.ask is not None:
        _check_fields(step.value, step.ask, "Request", dialect)
        for batches in _found(step.value, "batches"):
            records.check(batches)
        _check_marks(step.value, marked)
        from_json(step.value)
        if step.answered:
            asked += [step.ask] * step.times
    elif not (step.sends or step.awaits):
        raise VectorError("it does nothing: ask, send, token, answer, receives, closes or silent is expected")
    if step.answer is ABSENT:
        return
    if len(asked) < step.times:
        raise VectorError("no answer is to come")
    apis = {*asked[: step.times]}
    del asked[: step.times]
    for api in apis:
        _check_fields(step.answer, api, "Response", dialect)
    _check_marks(step.answer, marked)
    marked.update(name for key, name in patterns.marks_of(step.answer) if key == "mark")


def _check_fields(value: Any, api: str, which: str, dialect: str) -> None:
    """A request's value, or the pattern of a response. Only Kafka's have plans."""
    unknown = sorted({*_unknown(value, requests.plans(api, which))}) if dialect == DIALECT else []
    if unknown:
        raise VectorError(f"{api}{which} has no field {', '.join(unknown)}")


def _check_clients(clients: Clients) -> None:
    most = MOST_DROPPED if clients.ends else MOST_HELD
    if not 0 < clients.count <= most or len(clients.data) * clients.count > MOST_BYTES:
        raise VectorError(f"too many clients, or bytes: {most} clients and {MOST_BYTES} bytes are allowed")


_FORMS = patterns.FORMS | {"batches"}


def _unknown(value: Any, nodes: Sequence[Node]) -> Iterator[str]:
    """The names in a value, or in a pattern, that are no field of any of these nodes, whatever their depth."""
    match value:
        case {"contains": inner, **rest} if not rest:
            yield from _unknown([inner], nodes)
        case {"either": choices, **rest} | {"none_of": choices, **rest} if not rest:
            for one in choices:
                yield from _unknown(one, nodes)
        case dict() if not (value and value.keys() <= _FORMS | _JSON_FORMS):
            fields = [field for node in nodes if isinstance(node, Struct) for field in node.fields]
            for name, item in value.items():
                found = [field.node for field in fields if field.name == name]
                yield from _unknown(item, found) if found else (name,)
        case list():
            elements = [node.element for node in nodes if isinstance(node, Array)]
            for item in value:
                yield from _unknown(item, elements)


def _check_marks(value: Any, marked: set[str]) -> None:
    unknown = sorted({*_found(value, "marked")} - marked)
    if unknown:
        raise VectorError(f"nothing before it is marked {', '.join(unknown)}")


def _found(value: Any, form: str) -> Iterator[Any]:
    """What stands in this form, at any depth."""
    match value:
        case dict():
            if value.keys() == {form}:
                yield value[form]
            for item in value.values():
                yield from _found(item, form)
        case list():
            for item in value:
                yield from _found(item, form)


def filled(value: Any, marks: Mapping[str, Any]) -> Any:
    """The value, with what is marked in place of the names, and the bytes of batches. Values are not JSON any more."""
    match value:
        case {"marked": str(name), **rest} if not rest:
            return marks[name]
        case {"batches": list(batches), **rest} if not rest:
            return records.written(filled(batches, marks))
        case dict():
            inner = {name: filled(item, marks) for name, item in value.items()}
            return from_json(inner) if len(inner) == 1 and next(iter(inner)) in _JSON_FORMS else inner
        case list():
            return [filled(item, marks) for item in value]
    return value


_JSON_FORMS = frozenset({"hex", "uuid", "int"})


def of_version(pattern: Any, plan: Node) -> Any:
    """A pattern with only the fields that a version has."""
    match plan, pattern:
        case Array(), {"contains": inner, **rest} if not rest:
            return {"contains": of_version(inner, plan.element)}
        case _, ({"either": choices, **rest} | {"none_of": choices, **rest}) if not rest:
            return {next(iter(pattern)): [of_version(one, plan) for one in choices]}
        case Struct(), dict() if not pattern.keys() <= patterns.FORMS:
            fields = {field.name: field.node for field in plan.fields}
            return {name: of_version(item, fields[name]) for name, item in pattern.items() if name in fields}
        case Array(), list():
            return [of_version(item, plan.element) for item in pattern]
    return pattern
