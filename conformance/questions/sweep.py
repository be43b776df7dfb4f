"""Questions about every version of every api that a broker announces, and about versions beside those.

Each is one request, which is harmless (`vectors.requests`), on a connection of its own. Inside of the announced
versions the answer has to be a response of that version, header included, and nothing more; it is what a writer writes
for its value, but for tags at their defaults (R-K-8). Beside them (the next
version above, and the one below) the request is that of the nearest version with the other number in its header, and
the broker closes (R-K-18), or answers ApiVersions in its own way (R-K-17). Apis that are not announced are not asked:
no text says that a broker has to close on what it knows and does not tell.

The ids are enough to ask again: `kafka/messages/<Api>/<version>#serve` and
`kafka/unsupported-versions/<Api>/<version>#serve`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wireproof.conformance.model import MESSAGES, Case, CaseId, Description, Op
from wireproof.conformance.questions.question import Question
from wireproof.conformance.vectors import Also, Vector, VectorKind, requests
from wireproof.reference import catalog
from wireproof.reference.catalog import Catalog

DIALECT = requests.DIALECT
UNSUPPORTED = "unsupported-versions"
AREAS = (MESSAGES, UNSUPPORTED)
_LARGEST = (1 << 15) - 1
#: The place of the version in a request frame: behind its size and the api key.
_VERSION = slice(6, 8)


#: Announced by Kafka 4, for old clients, and refused (KIP-896); older brokers answer them.
ANNOUNCED_OR_SERVED = {("Produce", version) for version in range(3)}


def questions(apis: Mapping[int, tuple[int, int]]) -> Iterator[Question]:
    """The questions for a broker that announces these versions, as far as there are schemas of them."""
    names = _catalog().apis
    for key, (low, high) in sorted(apis.items()):
        name = names.get(key)
        if name is None or low > high:
            continue
        if low > 0:
            yield _question(UNSUPPORTED, name, key, low - 1)
        for version in range(low, high + 1):
            if requests.has_version(name, version):
                yield _question(MESSAGES, name, key, version)
        if high < _LARGEST:
            yield _question(UNSUPPORTED, name, key, high + 1)


def without_schema(apis: Mapping[int, tuple[int, int]]) -> Iterator[str]:
    """The announced versions about which nothing can be asked, because there are no schemas of them."""
    names = _catalog().apis
    for key, (low, high) in sorted(apis.items()):
        name = names.get(key)
        for version in range(low, high + 1):
            if name is None or not requests.has_version(name, version):
                yield f"{name or f'api {key}'} {version}"


def _catalog() -> Catalog:
    return catalog.with_removed(catalog.current())


def find(identifier: str) -> Question:
    """The question with an id of this kind. Raises ValueError."""
    wanted = CaseId.parse(identifier)
    dialect, area, name, number = wanted.path.split("/")
    keys = {api: key for key, api in _catalog().apis.items()}
    if dialect != DIALECT or area not in AREAS or name not in keys or wanted.op not in ("", Op.SERVE):
        raise ValueError(f"{identifier} is no question: {DIALECT}/{MESSAGES}/<Api>/<version>#{Op.SERVE} is expected")
    if not number.isdecimal() or int(number) > _LARGEST:
        raise ValueError(f"{identifier}: {number} is no version")
    version = int(number)
    if area == MESSAGES and not requests.has_version(name, version):
        raise ValueError(f"{identifier}: the catalogue has no version {version} of {name}")
    return _question(area, name, keys[name], version)


def check_offered(question: Question, described: Description) -> None:
    """Raises ValueError, with the reason, for a question that cannot be asked of this broker."""
    _, area, name, number = CaseId.parse(question.case.id).path.split("/")
    key = next(key for key, api in _catalog().apis.items() if api == name)
    low, high = (described.apis or {}).get(key, (0, -1))
    if (low <= int(number) <= high) is not (area == MESSAGES):
        raise ValueError(f"the broker announces {name} {f'{low} to {high}' if low <= high else 'not'}")
    effect = requests.effect(name, int(number))
    if effect not in described.effects:
        raise ValueError(f"{name} {number} is not sent to this broker: {effect.said}")


def _question(area: str, name: str, key: int, version: int) -> Question:
    lowest, highest = _catalog().messages[f"{name}Request"]
    frame = bytearray(requests.frame(name, key, min(max(version, lowest), highest)))
    frame[_VERSION] = version.to_bytes(2)
    answer = {
        "type": f"ResponseFrame:{name}",
        "version": version,
        "strict": True,
        "value": {"header": {"CorrelationId": key + 1}},
    }
    exact, with_defaults = ({**answer, "rewritten": how} for how in ("same", "shorter"))
    inside = area == MESSAGES
    ruling = "R-K-8" if inside else "R-K-18"
    # What a broker sends beside its versions depends on them, so it is computed when it is asked.
    also = [Also((ruling,), None, refuses=False, expected={"sends": ([with_defaults], False)} if inside else {})]
    if inside and (name, version) in ANNOUNCED_OR_SERVED:
        also.append(Also(("R-K-18",), None, refuses=False, expected={"sends": ([], True)}))
    vector = Vector(
        id=f"{name}/{version}",
        dialect=DIALECT,
        area=area,
        about=f"{name} {version}, {'which' if inside else 'beside the versions that'} the broker announces",
        kind=VectorKind.SERVE,
        ops=(Op.SERVE,),
        type=None,
        version=None,
        source="the message schemas of Kafka" if inside else "KIP-35",
        rulings=() if inside else (ruling,),
        also=tuple(also),
        expected=([exact], False) if inside else ([], True),
        args={"chunks": [bytes(frame)]},
        needs=("apis",),
    )
    return Question(vector, Case(f"{vector.path}#{Op.SERVE}", Op.SERVE, DIALECT, args=vector.args))
