"""2,000 mutations, from a seed, of each file format that the kit reads: each is read, or refused in a paragraph.

Files are changed as they get changed: a byte more, less or other, a piece doubled or gone, a value that breaks what a
reader counts on.
"""

from __future__ import annotations

import io
import random
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from support.thorough import some

from wireproof import catalog_import
from wireproof.cli import group
from wireproof.conformance import vectors
from wireproof.conformance.evidence import known_deviations
from wireproof.conformance.evidence.known_deviations import KnownError
from wireproof.conformance.model import Description, Op, Outcome, Verdict
from wireproof.conformance.report.jsonl import ReportError, ReportWriter, Tally, read_reports
from wireproof.conformance.vectors import VectorError
from wireproof.conformance.vectors.parser import parse as parse_vectors
from wireproof.explain.capture import Capture, NotToldError
from wireproof.explain.hexdump import DumpError, undump
from wireproof.reference import catalog
from wireproof.reference.dialects.kip_82_int import registry
from wireproof.reference.errors import SchemaError
from wireproof.reference.schema import parse as parse_schema

MUTATIONS = 2000
ROOT = Path(vectors.__file__).parents[2]
#: What stands in the place of something else: borders of numbers, marks of each format, text that is no text.
ODD = (
    b"", b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"null", b"-1", b"1e999", b"9" * 5000, b"[" * 3000, b'{"a":' * 3000, b'"',
    b"\\", b"\\ud800", b"\\u0000", b"0-32767", b"4+", b"true", b"[]", b"{}", b'""', b"99999999999999999999", b"NaN",
    b"/*", b"//", b"\n", b"\r", b"\x1b[31m", b"=", b"[[deviation]]\n", b"1979-05-27", b"0x", b",", b":",
)  # fmt: skip
_TOKEN = re.compile(rb'"[^"\n]*"|[\w.+-]+|[^\w\s]')


def mutated(content: bytes, random_: random.Random) -> bytes:
    """One to three changes."""
    data = bytearray(content)
    for _ in range(random_.randint(1, 3)):
        at = random_.randrange(len(data) + 1)
        match random_.randrange(6):
            case 0:
                data[at : at + 1] = bytes([random_.randrange(256)])
            case 1:
                del data[at : at + random_.choice((1, 1, 2, 4, 50))]
            case 2:
                data[at:at] = random_.choice(ODD)
            case 3:
                end = min(len(data), at + random_.randrange(200))
                data[end:end] = data[at:end]
            case 4 if tokens := [*_TOKEN.finditer(bytes(data[at : at + 400]))]:
                token = random_.choice(tokens)
                data[at + token.start() : at + token.end()] = random_.choice(ODD)
            case _:
                del data[at:]
                if random_.random() < 0.8:
                    data += content[at:]
    return bytes(data)


def judge_all(
    content: bytes, read: Callable[[bytes], object], refusals: tuple[type[Exception], ...], one_in: int = 1
) -> None:
    """Each mutation is read or refused, and both happen: else nothing would be shown. CI tries one in `one_in`."""
    refused = 0
    for seed in some(range(MUTATIONS), one_in):
        changed = mutated(content, random.Random(seed))
        try:
            read(changed)
        except refusals as error:
            refused += bool(str(error))
        except Exception as error:
            pytest.fail(f"seed {seed}: {type(error).__name__}: {error}; {changed[:300]!r}")
    assert 0 < refused < MUTATIONS


SCHEMA = b"""// a comment
{"apiKey": 3, "type": "request", "name": "PingRequest", "validVersions": "0-4", "flexibleVersions": "2+",
 "commonStructs": [{"name": "Part", "versions": "0+", "fields": [{"name": "Id", "type": "int32", "versions": "0+"}]}],
 "fields": [
  {"name": "Text", "type": "string", "versions": "0+", "nullableVersions": "1+", "default": "null"},
  {"name": "Parts", "type": "[]Part", "versions": "0+", "about": "what it is"},
  {"name": "Kept", "type": "int64", "versions": "2+", "tag": 0, "taggedVersions": "2+", "default": "-1"},
  {"name": "On", "type": "bool", "versions": "1+", "default": "true", "ignorable": true}]}
"""
KNOWN = b"""[[deviation]]
match = ["kafka/varints/varint-minus-1#encode", "kafka/varints/varlong-*#encode"]
class = "bug"
reason = "VarInt32.encode does not zigzag"
reported = "pending"
versions = "1.*"
expires = 2030-01-01

[[deviation]]
signature = {op = "decode", type = "INT32", verdict = "fail", kind = "wrong-value"}
class = "wont-fix"
reason = "so it is"
url = "https://example.org/1"
"""
REGISTER = b"""# owns 0x00110000-0x0011FFFF
key,name,description,by,notes
0x00110001,trace,"the trace, of all",Me,none
1114114,span,the span,Me,
-5,odd,what is odd,Me,
"""
DUMP = b"""12:00:01.000000 IP 127.0.0.1.50000 > 127.0.0.1.9092: Flags [P.], length 16
\t0x0000:  4500 0038 0001 4000 4006 0000 7f00 0001  E..8..@.@.......
\t0x0010:  7f00 0001 c350 2384 0000 0001 0000 0001  .....P#.........
\t0x0020:  5018 0200 0000 0000 0000 000c 0012 0000  P...............
\t0x0030:  0000 0007 0002 6d65                      ......me
"""


def test_vectors() -> None:
    content = (ROOT / "vectors" / "kafka" / "varints.json").read_bytes()
    small = _first_vectors(content, 6)
    judge_all(small, lambda data: parse_vectors(data, "varints.json"), (VectorError,))


def _first_vectors(content: bytes, count: int) -> bytes:
    raw = msgspec.json.decode(content)
    raw["vectors"] = raw["vectors"][:count]
    return msgspec.json.format(msgspec.json.encode(raw), indent=2)


def test_schemas() -> None:
    judge_all(SCHEMA, parse_schema, (SchemaError,))


def test_known_deviations(tmp_path: Path) -> None:
    file = tmp_path / "mine.known.toml"

    def read(content: bytes) -> None:
        file.write_bytes(content)
        known_deviations.load(file, "1.0")

    judge_all(KNOWN, read, (KnownError,))


def test_registers() -> None:
    def read(content: bytes) -> None:
        registry.load({"mine.csv": content.decode()})

    judge_all(REGISTER, read, (registry.RegisterError, UnicodeDecodeError))


def test_dumps() -> None:
    judge_all(DUMP, lambda content: undump(content.decode("latin-1")), (DumpError,))


def test_reports(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    verdicts = [
        Verdict(f"kafka/varints/v{number}#decode", "kafka", "varints", "VARINT", None, Op.DECODE, Outcome.PASS)
        for number in range(3)
    ]
    with ReportWriter(path) as writer:
        writer.implementation(Description("mine", "1.0", "python", ("kafka",), frozenset({Op.DECODE}), None), "all")
        for verdict in verdicts:
            writer.verdict(verdict, "again")
        writer.summary(Tally.of(*verdicts))
    judge_all(path.read_bytes(), lambda content: read_reports(content.splitlines(keepends=True)), (ReportError,))


def test_catalogues(tmp_path: Path) -> None:
    index = b"""{"made_by": "kafka-clients 4.4.0",
"apis": {"3": "Ping", "18": "ApiVersions"},
"messages": {"PingRequest": [0, 4], "PingResponse": [0, 4]}}
"""
    (tmp_path / "PingRequest.json").write_bytes(SCHEMA)

    def read(content: bytes) -> None:
        (tmp_path / "index.json").write_bytes(content)
        found = catalog.Catalog(tmp_path)
        assert all(isinstance(key, int) for key in found.apis)
        for name in [*found.messages, found.made_by]:
            found.load(name)

    judge_all(index, read, (SchemaError,))


@pytest.mark.parametrize("how", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
def test_jars(how: int, tmp_path: Path) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", how) as jar:
        jar.writestr("common/message/PingRequest.json", SCHEMA)
    path = tmp_path / "kafka-clients-9.9.9.jar"

    def read(content: bytes) -> None:
        path.write_bytes(content)
        catalog_import.make(path, tmp_path / "made")

    judge_all(made.getvalue(), read, (SchemaError,))


def test_captures() -> None:
    requests = bytes.fromhex(
        "0000000c00120000000000070002 6d65 00000016 0003 0009 00000002 ffff 00 02 00000000000000000000".replace(" ", "")
    )
    answers = bytes.fromhex("0000000a0000000700000000 0000 0000000d 00000002 00 000000000101ffff".replace(" ", ""))

    def read(content: bytes) -> None:
        asked = Capture(requests, "kafka")
        for frames in (Capture(content, "kafka").requests(), Capture(answers, "kafka").responses(asked)):
            assert all(frame.end >= frame.start for frame in frames)

    judge_all(requests, read, (NotToldError,), 4)


@pytest.mark.parametrize("seed", range(40))
def test_through_the_commands(seed: int, tmp_path: Path) -> None:
    """A few of the same through the whole command: 0, 1 or 2, and never a traceback."""
    chosen = random.Random(seed)
    schema, register, jar = tmp_path / "Ping.json", tmp_path / "r.csv", tmp_path / "a.jar"
    schema.write_bytes(mutated(SCHEMA, chosen))
    register.write_bytes(mutated(REGISTER, chosen))
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("common/message/PingRequest.json", SCHEMA)
    jar.write_bytes(mutated(made.getvalue(), chosen))
    for arguments in (
        ("schema", "diff", str(schema), str(schema)),
        ("schema", "import", str(jar), str(tmp_path / "made")),
        ("explain", "--dialect=kip-82-int-keys", "--register", str(register), "HEADERS", "0011000100000000"),
        ("explain", "--dialect=kip-482-v1", "--schema", str(schema), "PingRequest", "--version=0", "00"),
        ("explain", "-"),
    ):
        result = CliRunner().invoke(group, arguments, input=mutated(DUMP, chosen))
        assert result.exit_code in (0, 1, 2), result.output
