"""Implementations that cannot be reached: the message says what was tried, what happened and what to do."""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path

import pytest
from support.paths import TESTS

from wireproof.conformance.connection import ImplementationError, Options, description, open_connection
from wireproof.conformance.model import Case, Op, Status

PROGRAMS = TESTS / "programs"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def write(path: Path, code: str) -> None:
    path.write_text(textwrap.dedent(code))


def text_of(spec: str, *, in_process: bool = True) -> str:
    with pytest.raises(ImplementationError) as caught:
        open_connection(spec, Options(in_process=in_process))
    assert isinstance(caught.value, ValueError)
    return str(caught.value)


# Modules.


def test_no_such_module_is_told_alike_in_process_and_in_a_child(here: Path) -> None:
    inside = text_of("no_such_codec.reader:thing")
    assert inside.startswith("no_such_codec.reader: there is no module 'no_such_codec'.\n")
    assert str(here) in inside
    assert "For a program write exec:COMMAND" in inside
    assert inside == text_of("no_such_codec.reader:thing", in_process=False)


def test_a_module_that_fails_at_import(here: Path) -> None:
    write(
        here / "fails_at_import.py",
        """
        import no_such_dependency
        """,
    )
    inside = text_of("fails_at_import")
    assert inside.startswith("fails_at_import was found, but its import failed:\nTraceback (most recent call last):\n")
    assert f'File "{here}/fails_at_import.py", line 2, in <module>' in inside
    assert "ModuleNotFoundError: No module named 'no_such_dependency'" in inside
    assert "importlib" not in inside, "its own frames only"
    assert "conformance" not in inside
    assert inside == text_of("fails_at_import", in_process=False)


@pytest.mark.parametrize("statement", ["raise SystemExit('not today')", "1 / 0", "def ("])
def test_other_failures_at_import(here: Path, statement: str, request: pytest.FixtureRequest) -> None:
    name = f"broken_{request.node.callspec.indices['statement']}"
    write(here / f"{name}.py", statement)
    assert f"{name} was found, but its import failed" in text_of(name)


def test_a_module_that_ends_its_process_at_import(here: Path) -> None:
    write(here / "aborting.py", "import os; os.abort()")
    text = text_of("aborting", in_process=False)
    assert text.startswith('aborting did not answer {"op":"describe","protocol":1}: the process was ended by SIGABRT\n')


def test_a_module_whose_import_does_not_end(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wireproof.conformance.connection.process.child.START_TIMEOUT", 0.5)
    monkeypatch.setattr("wireproof.conformance.connection.process.child.GRACE", 0.1)
    write(here / "endless.py", "import time; time.sleep(60)")
    text = text_of("endless", in_process=False)
    assert "within 0.5 seconds.\nIts import does not end" in text


def test_a_missing_attribute(here: Path) -> None:
    write(here / "two_codecs.py", "class Strict:\n    pass\nloose = object()\n")
    assert text_of("two_codecs:strict.reader") == (
        "two_codecs:strict.reader: two_codecs was imported, but has no attribute 'strict.reader'.\n"
        "It has: Strict, loose."
    )


def test_none_of_the_functions(here: Path) -> None:
    write(here / "functionless.py", "def read(data): ...\ndef write(value): ...\n")
    text = text_of("functionless")
    assert (
        "none of the eleven functions decode, encode, recode, lookup, convert, consume, produce, serve, interpret, "
        "negotiate, evolve" in text
    )
    assert "Its functions: read, write." in text
    assert "wireproof new wrapper python" in text


def test_a_function_that_cannot_be_called_as_agreed(here: Path) -> None:
    write(here / "misfit.py", "def decode(data): ...\n")
    text = text_of("misfit")
    assert "misfit: decode(data) cannot be called as the contract says: " in text
    assert text.endswith("Expected: decode(type, data, *, dialect, version=None).")


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("version = 1.0", "`version` is 1.0; expected a string, not empty"),
        ("dialects = 'kafka'", "`dialects` is 'kafka'; expected a list of strings, such as [\"kafka\"]"),
        ("types = {'INT32': None}", '`types["INT32"]` is None; expected an object such as types, by dialect'),
        ("types = {'kafka': {'X': 3}}", '`types["kafka"]["X"]` is 3; expected the lowest and the highest version'),
        ("types = {'kafka': {'X': (4, 3)}}", '`types["kafka"]["X"]` is (4, 3); expected'),
        ("types = {'kafka': {'X': {'ops': 'decode'}}}", '`types["kafka"]["X"]["ops"]` is \'decode\'; expected a list'),
        ("types = {'kafka': {'X': {'ops': []}}}", '`types["kafka"]["X"]["ops"]` is []; expected at least one of'),
        (
            "types = {'kafka': {'X': {'ops': ['read']}}}",
            '`types["kafka"]["X"]["ops"]` is [\'read\']; expected names of',
        ),
        (
            "types = {'kafka': {'X': {'ops': ['recode']}}}",
            '`types["kafka"]["X"]["ops"]` is [\'recode\']; expected some of the ops that it offers: decode',
        ),
        ("types = {'kafka': {'X': {'versions': 3}}}", '`types["kafka"]["X"]["versions"]` is 3; expected the lowest'),
        ("types = {'kafka': {'X': {'from': 3}}}", '`types["kafka"]["X"]` is {\'from\': 3}; expected an object such as'),
        ("rebuilds = {'RecordBatch': 'crc'}", "`rebuilds[\"RecordBatch\"]` is 'crc'; expected a list of strings"),
        ("readings = {'R-K-5': True}", '`readings["R-K-5"]` is True; expected the name of a reading'),
        ("rejects = ['ValueError']", "`rejects` is ['ValueError']; expected a tuple of exception classes"),
    ],
)
def test_a_wrong_attribute(here: Path, line: str, text: str, request: pytest.FixtureRequest) -> None:
    name = f"attribute_{request.node.callspec.indices['line']}"
    write(here / f"{name}.py", f"def decode(type, data, *, dialect, version=None): ...\n{line}\n")
    assert text_of(name).startswith(f"{name}: {text}")


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("codec.py", "'codec.py' is the name of a file; write the name of the module: codec"),
        ("./tools/codec.py", "write the name of the module: tools.codec"),
        ("./codec --strict", "For a program write exec:./codec --strict"),
        ("my-codec", "'my-codec' is not the name of a module"),
        ("127.0.0.1:9092", "or tcp://HOST:PORT for a broker"),
        ("codec:", "'codec:' is not the name of a module"),
        ("", "'' is not the name of a module"),
    ],
)
def test_a_spec_that_names_no_module(spec: str, text: str) -> None:
    assert text in text_of(spec)


def test_a_program_does_not_run_in_process() -> None:
    assert "only a Python module can run inside this process" in text_of("exec:./codec")


def test_other_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wireproof.conformance.connection.process.start.sys.platform", "win32")
    assert "on Linux and macOS only; this is win32" in text_of("codec", in_process=False)


@pytest.mark.parametrize("in_process", [True, False])
def test_a_transcript_that_cannot_be_written(here: Path, in_process: bool) -> None:
    write(here / "codec.py", "def decode(type, data, *, dialect, version=None): ...")
    with pytest.raises(ImplementationError, match="the transcript no/where cannot be written: there is no such folder"):
        open_connection("codec", Options(in_process=in_process, transcript=Path("no/where")))


@pytest.mark.parametrize(("options", "text"), [({"timeout": 0}, "more than 0"), ({"memory": -1}, "-1 MiB")])
def test_options_out_of_range(options: dict[str, int], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        Options(**options)  # type: ignore[arg-type]


def test_a_description_in_full(here: Path) -> None:
    write(
        here / "full.py",
        """
        name, version, dialects = "Full", "2.1", ["kafka", "kip-35-v7"]
        types = {"kafka": {"INT32": None, "ApiVersionsRequest": [0, 3]}}
        rebuilds = {"RecordBatch": ["crc"]}
        readings = {"R-K-5": "other"}

        def decode(type, data, *, dialect, version=None): ...
        def encode(type, value, *, dialect, version=None): ...
        def negotiate(api_key, client, broker, *, dialect): ...
        """,
    )
    for in_process in (True, False):
        with open_connection("full", Options(in_process=in_process)) as connection:
            said = connection.description
        assert (said.name, said.version, said.language, said.dialects) == (
            "Full",
            "2.1",
            "python",
            ("kafka", "kip-35-v7"),
        )
        assert said.ops == {Op.DECODE, Op.ENCODE, Op.RECODE, Op.NEGOTIATE}
        assert said.types == {"kafka": {"INT32": None, "ApiVersionsRequest": (0, 3)}}
        assert (said.rebuilds, said.readings) == ({"RecordBatch": ("crc",)}, {"R-K-5": "other"})


def test_a_type_may_say_which_ops_it_has(here: Path) -> None:
    """The long form of `types`, in a module and in a program; the short one stands beside it."""
    listed = {
        "INT32": None,
        "INT16": {"versions": None},
        "ApiVersionsRequest": {"versions": [0, 3], "ops": ["recode"]},
        "HeartbeatRequest": {"versions": [0, 4]},
        "ARRAY": {"ops": ["decode"]},
    }
    write(
        here / "long.py",
        f"""
        types = {{"kafka": {listed}}}

        def decode(type, data, *, dialect, version=None): ...
        def recode(type, data, *, dialect, version=None): ...
        """,
    )
    program = {"name": "long", "ops": ["decode", "recode"], "types": {"kafka": listed}}
    write(here / "says.py", f"print({json.dumps(program)!r}, flush=True)\ninput()\ninput()\n")
    for spec in ("long", f"exec:{sys.executable} says.py"):
        with open_connection(spec, Options()) as connection:
            said = connection.description
        assert said.types == {
            "kafka": {
                "INT32": None,
                "INT16": None,
                "ApiVersionsRequest": (0, 3),
                "HeartbeatRequest": (0, 4),
                "ARRAY": None,
            }
        }
        assert said.type_ops == {
            "kafka": {"ApiVersionsRequest": frozenset({Op.RECODE}), "ARRAY": frozenset({Op.DECODE})}
        }
        both = {Op.DECODE, Op.RECODE}
        for name, version, ops in (
            ("INT32", None, both),
            ("INT16", None, both),
            ("ApiVersionsRequest", 3, {Op.RECODE}),
            ("HeartbeatRequest", 4, both),
            ("ARRAY<INT8>", None, {Op.DECODE}),
            ("ApiVersionsRequest", 4, set()),
        ):
            assert {op for op in Op if said.offers(Case("", op, "kafka", name, version))} == ops
        assert description.parse(description.to_json(said)) == said


def test_a_folder_of_the_users_does_not_stand_in_for_the_kits(here: Path) -> None:
    (here / "conformance").mkdir()
    write(here / "conformance" / "__init__.py", "raise RuntimeError")
    write(here / "small.py", "def decode(type, data, *, dialect, version=None): return len(data)")
    with open_connection("small") as connection:
        (observation,) = connection.ask([Case("x", Op.DECODE, "kafka", "INT32", args={"data": b"abc"})])
    assert (observation.status, observation.answer) == (Status.ANSWER, 3)


# Programs.


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("exec:", "names no program"),
        ("exec:./no 'such", "No closing quotation. Quote the command as in a shell."),
        ("exec:no-such-program --flag", "there is no program 'no-such-program' (looked on PATH)"),
        ("exec:./no-such-program", "there is no program './no-such-program' (looked from "),
        ("exec:./folder", "./folder is a folder"),
        ("exec:./plain.py", "not executable. `chmod +x ./plain.py`, or name its interpreter: exec:python3 ./plain.py"),
        ("exec:plain.py", "For the one in this folder write exec:./plain.py"),
    ],
)
def test_no_such_program(here: Path, spec: str, text: str) -> None:
    (here / "folder").mkdir()
    (here / "plain.py").touch()
    assert text in text_of(spec, in_process=False)


def test_a_program_without_its_interpreter(here: Path) -> None:
    program = here / "program"
    write(program, "#!/no/such/interpreter\n")
    program.chmod(0o755)
    text = text_of("exec:./program", in_process=False)
    assert 'exec:./program did not answer {"op":"describe","protocol":1}: the process ended with exit code 12' in text
    assert "./program: " in text, "what the shell says of it"


def manner(name: str) -> str:
    return f"exec:{sys.executable} {PROGRAMS / name}.py"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("holds_back", "It answered when its stdin was closed: its output is buffered. Flush stdout"),
        ("says_nothing", "It has to read its stdin line by line"),
    ],
)
def test_a_program_that_does_not_describe_itself(name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    monkeypatch.setattr("wireproof.conformance.connection.process.child.START_TIMEOUT", 0.3)
    monkeypatch.setattr("wireproof.conformance.connection.process.child.GRACE", 0.3)
    message = text_of(manner(name), in_process=False)
    assert 'no answer to {"op":"describe","protocol":1} within 0.3 seconds.\n' in message
    assert text in message


def test_a_program_that_greets() -> None:
    assert "'Codec 1.0, ready'" in text_of(manner("greets"), in_process=False)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("[]", "the description is []; an object was expected"),
        ("{}", "the description lacks `name`, a string"),
        ('{"name":"x"}', "the description lacks `ops`, a list of some of decode, encode"),
        ('{"name":"x","ops":[]}', "`ops` is []; expected at least one of decode"),
        ('{"name":"x","ops":["decode","parse"]}', "expected names of these only: decode"),
        ('{"name":"x","ops":["decode"],"dialect":["kafka"]}', "has a member 'dialect'; did you mean `dialects`?"),
        ('{"name":"x","ops":["decode"],"colour":1}', "has a member 'colour'; it may have name, version"),
        ('{"name":"x","ops":["decode"],"protocol":2}', "`protocol` is 2; this kit speaks 1"),
        ('{"error":"no licence"}', "no licence"),
        ("nothing", "not JSON"),
    ],
)
def test_a_malformed_description(here: Path, answer: str, text: str) -> None:
    write(here / "program.sh", f"read line; echo '{answer}'; read line")
    message = text_of("exec:sh program.sh", in_process=False)
    assert message.startswith("exec:sh program.sh: its answer to describe is malformed: ")
    assert text in message
    assert "logs go to stderr" in message
