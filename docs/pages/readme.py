"""The table of findings in README.md."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from pages.markdown import ROOT, Lines, between, table
from wireproof.conformance.evidence import known_deviations
from wireproof.conformance.generation import expectations

_FOUND_BEGIN = "<!-- found: written by `python docs/generate.py` from the files of known deviations -->"
_FOUND_END = "<!-- end of found -->"
_FOUND = """\
A bug here is an entry of the class `bug` in the library's file of known deviations: it has one cause, and the protocol
leaves no choice. A bug that shows in several areas is counted in each of them. A page has
[all of them](docs/reference/findings.md), with the shortest input that shows each.
"""
#: File of known deviations → the tested library.
_LIBRARIES = {
    "aiokafka.known.toml": "aiokafka",
    "aiokafka.python.known.toml": "aiokafka, record codecs in Python",
    "kafka_python.known.toml": "kafka-python",
    "kio.known.toml": "kio",
    "java/wrapper.known.toml": "kafka-clients, generated messages",
    "java/wrapper-schema.known.toml": "kafka-clients, `Schema` and `Struct`",
    "java/broker.known.toml": "Apache Kafka 0.9, on a socket",
    "node/kafkajs/wrapper.known.toml": "kafkajs",
    "node/platformatic/wrapper.known.toml": "@platformatic/kafka",
    "node/kafka-ts/wrapper.known.toml": "kafka-ts",
    "go/franz-go/wrapper.known.toml": "franz-go",
    "go/kafka-go/wrapper.known.toml": "kafka-go",
    "go/kfake/wrapper.known.toml": "kfake",
    "go/kfake/broker.known.toml": "kfake, on a socket",
    "go/sarama/wrapper.known.toml": "sarama",
    "go/sarama/broker.known.toml": "sarama's MockBroker, on a socket",
    "rust/kafka-protocol/wrapper.known.toml": "kafka-protocol",
    "rust/kacrab-protocol/wrapper.known.toml": "kacrab-protocol",
    "rust/kafka-wire-protocol/wrapper.known.toml": "kafka_wire_protocol",
    "c/librdkafka/wrapper.known.toml": "librdkafka",
    "c/librdkafka/broker.known.toml": "librdkafka's mock cluster, on a socket",
    "clients/client_kcat.known.toml": "kcat, which is librdkafka, as a client",
    "clients/client_kcat_reads.known.toml": "kcat, what it prints",
    "clients/client_kafka_console.known.toml": "kafka-console-consumer, what it prints",
    "clients/client_kafka_clients.known.toml": "kafka-clients, as a client",
    "clients/client_kafka_python.known.toml": "kafka-python, as a client",
    "clients/client_franz_go.known.toml": "franz-go, as a client",
    "clients/client_kafka_go.known.toml": "kafka-go, as a client",
    "clients/client_sarama.known.toml": "sarama, as a client",
    "clients/client_rskafka.known.toml": "rskafka, as a client",
    "clients/client_kafkajs.known.toml": "kafkajs, as a client",
    "clients/client_platformatic.known.toml": "@platformatic/kafka, as a client",
    "clients/client_confluent_kafka.known.toml": "confluent-kafka, as a client",
    "clients/live_kafka_python.known.toml": "kafka-python, what an application gets and sends",
    "clients/live_aiokafka.known.toml": "aiokafka, what an application gets and sends",
}


def page() -> Lines:
    """The README with a new table of findings."""
    yield from between((ROOT / "README.md").read_text("utf-8"), _FOUND_BEGIN, _FOUND_END, found_table(), "README.md")


def found_table() -> Lines:
    """The number of known bugs of each tested library, by area."""
    yield from _FOUND.splitlines()
    yield ""
    rows = (_library_row(name, title) for name, title in _LIBRARIES.items())
    yield from table(("library", "version", "bugs", "in the areas"), rows)


def _library_row(name: str, title: str) -> tuple[str, ...]:
    path = ROOT / "implementations" / name
    # An entry about generated cases alone repeats the cause of another one, or is about fuzzing.
    bugs = [
        entry for entry in known_deviations.load(path, None).deviations if entry.kind == "bug" and not entry.generated
    ]
    version = _version(path, bugs)
    bugs = [entry for entry in bugs if entry.concerns(version)]
    areas = Counter(area for entry in bugs for area in {_area(glob) for glob in entry.globs})
    counts = ", ".join(f"{area} {areas[area]}" for area in sorted(areas, key=lambda one: (-areas[one], one)))
    anywhere = sum(not entry.globs for entry in bugs)
    cells = [counts, f"wherever it occurs {anywhere}"] if anywhere else [counts]
    return f"[{title}](implementations/{name})", version, str(len(bugs)), ", ".join(cells)


def _area(glob: str) -> str:
    """The area of the cases that a glob matches: it is in the id of a vector's case, and of its type's in a generated
    one's."""
    parts = glob.split("/")
    return expectations.area(parts[1], parts[2]) if parts[0] == "gen" else parts[1]


def _version(path: Path, entries: Iterable[known_deviations.KnownDeviation]) -> str:
    """The tested release: from the build of the Java wrappers, else the one that all entries name."""
    if path.parent.name == "java" and path.name != "broker.known.toml":
        built = re.search(r"<kafka.version>(.*?)</kafka.version>", (path.parent / "pom.xml").read_text("utf-8"))
        assert built is not None
        return built[1]
    (version,) = {entry.versions for entry in entries}
    return str(version)
