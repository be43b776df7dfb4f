"""Every command that writes, amid files that are not its own: links, FIFOs, foreign files, a full disk.

A command first runs in an empty place, which shows what it writes. Then something else stands in one of these places
before it runs, or its disk is full. Afterwards all that it did not write is as before, and it has said what is wrong.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import json
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.full_disk import full_disk
from support.page_reports import report, small
from support.paths import ROOT
from support.pytest_run import run as run_pytest
from support.trees import FOREIGN, HAZARDS, outside, put, snapshot

from wireproof import cli
from wireproof.clone import matrix_runs
from wireproof.conformance import writing
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.connection.protocol.transcript import Transcript
from wireproof.conformance.questions.lookup import find
from wireproof.conformance.report.jsonl import ReportWriter
from wireproof.errors import WireproofError
from wireproof.export.package import export
from wireproof.fuzz.campaign.dependencies import dependencies_of
from wireproof.fuzz.campaign.run import describe
from wireproof.fuzz.campaign.store import Kept, Store
from wireproof.fuzz.targets.finding import finding_of
from wireproof.fuzz.targets.inputs import digest

IN_PROCESS = Options(in_process=True)
#: The exit code, and what was said.
Result = tuple[int, str]
MESSAGE = {
    "name": "PingRequest",
    "type": "request",
    "apiKey": 99,
    "validVersions": "0-2",
    "flexibleVersions": "1+",
    "fields": [{"name": "Text", "type": "string", "versions": "0+"}],
}
VARINT = "kafka/varints/varint-minus-1#decode"
#: What is said of something else in a place.
SAID = re.compile(
    r"is a link|is no regular file|is a folder|[Ii]s a directory|is a file|hard link|is no folder|did not write it"
    r"|holds other things|it is no JSON object|a damaged one|no such folder|No such file"
)


@dataclass(frozen=True)
class Command:
    """A command that writes to the place that it is given. `before`: what it does to a place that an earlier, other
    run wrote. `open`: its file grows while it runs."""

    name: str
    do: Callable[[Path], Result]
    before: Callable[[Path], Result] | None = None
    open: bool = False
    overwrites: bool = False
    #: The exit code of the same command over what it wrote.
    again: int = 0


def command(*words: object) -> Result:
    result = CliRunner().invoke(cli.group, [str(word) for word in words])
    return result.exit_code, re.sub(r"\s+", " ", result.output)


def called(function: Callable[[], object]) -> Result:
    """As a command's guard tells it."""
    try:
        function()
    except (OSError, WireproofError) as error:
        return 2, str(error)
    return 0, ""


@pytest.fixture(scope="module")
def commands() -> Iterator[dict[str, Command]]:
    stack = contextlib.ExitStack()
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    folder.chmod(0o755)
    run = report(folder / "run.jsonl", small())
    schemas = folder / "schemas"
    schemas.mkdir()
    (schemas / "PingRequest.json").write_text(json.dumps(MESSAGE))
    other = folder / "other"
    other.mkdir()
    (other / "PingRequest.json").write_text(json.dumps(MESSAGE | {"validVersions": "0-1"}))
    with Store(folder / "campaign") as store:
        store.keep(kept())
    (finding,) = (folder / "campaign" / "findings").iterdir()
    varints = ("--dialect=kip-482-v1", "--area=varints")
    pinged = ("--dialect=kip-482-v1", "--area=tag-ordering")
    repro = ("repro", VARINT, "--impl=reference", "--in-process", "--transcript")
    found = (
        Command("explain --html", lambda at: command("explain", "INT8", "00", "--html", at), again=2),
        Command("report --html", lambda at: command("report", run, "--html", at), again=2),
        Command("repro --transcript", lambda at: command(*repro, at), open=True),
        Command("fuzz promote", lambda at: command("fuzz", "promote", finding, at)),
        Command("fuzz seeds", lambda at: command("fuzz", "seeds", "decode", at, "--type=VARINT")),
        Command("fuzz run", lambda at: called(lambda: campaign(at)), open=True),
        Command("fuzz minimise", minimised, open=True),
        Command(
            "export",
            lambda at: command("export", at, *varints),
            lambda at: command("export", at, *pinged),
        ),
        Command(
            "export --format=c",
            lambda at: command("export", "--format=c", at, *varints),
            lambda at: command("export", "--format=go", at, *pinged),
        ),
        Command("export --archive", lambda at: command("export", "--archive", at, *varints)),
        Command("schema import", lambda at: command("schema", "import", schemas, at)),
        Command(
            "schema import --overwrite",
            lambda at: command("schema", "import", schemas, at, "--overwrite"),
            lambda at: command("schema", "import", other, at),
            overwrites=True,
        ),
        Command("schema lift", lambda at: command("schema", "lift", at, "HeartbeatRequest", "HeartbeatResponse")),
        Command(
            "ledger make",
            lambda at: command("ledger", "make", at, "--impl=reference", "--message=AbortedTxn"),
        ),
        Command("new wrapper", lambda at: command("new", "wrapper", "exec", at)),
        Command("matrix", matrix, open=True),
        Command("pipeline run", lambda at: called(lambda: job(at)), open=True),
        Command("pipeline triage", lambda at: triaged(run, at)),
        Command("pytest --report", lambda at: called(lambda: reported(at)), open=True),
        Command("pytest --transcript", lambda at: called(lambda: transcribed(at)), open=True),
    )
    with stack, pytest.MonkeyPatch.context() as patch:  # so that no process is started, and nothing made twice
        patch.setattr("wireproof.fuzz.campaign.dependencies.dependencies_of", functools.cache(dependencies_of))
        patch.setattr("wireproof.fuzz.targets.session_start.session_of", lambda *_, **__: contextlib.nullcontext())
        patch.setattr("wireproof.fuzz.corpus.minimise.needed", lambda _, raws, __: sorted(raws)[:1])
        patch.setattr("wireproof.fuzz.campaign.run.describe", functools.cache(describe))
        patch.setattr("wireproof.commands.export.make", functools.cache(export))
        patch.setattr("wireproof.commands.ledger.open_connection", lambda spec, _: open_connection(spec, IN_PROCESS))
        yield {one.name: one for one in found}


NAMES = (
    "explain --html",
    "report --html",
    "repro --transcript",
    "fuzz promote",
    "fuzz seeds",
    "fuzz run",
    "fuzz minimise",
    "export",
    "export --format=c",
    "export --archive",
    "schema import",
    "schema import --overwrite",
    "schema lift",
    "ledger make",
    "new wrapper",
    "matrix",
    "pipeline run",
    "pipeline triage",
    "pytest --report",
    "pytest --transcript",
)


@functools.cache
def kept() -> Kept:
    """A finding."""
    with Examiner(open_connection("reference", IN_PROCESS)) as examiner:
        (judged,) = examiner.judge([find("gen/kafka/VARINT/-/x01#decode")])
    return Kept(finding_of(judged, b"VARINT/-\n\x01", "decode"), "impl", "1", "impl", "repro", 1.0, 10, 1)


def campaign(at: Path) -> None:
    """What a campaign writes itself."""
    with Store(at) as store:
        store.log("begin")
        corpus = store.corpus("decode", "kafka")
        store.add("decode", "kafka", b"INT8/-\n\x00")
        assert corpus.is_dir()
        store.keep(kept())
        store.avoid(b"INT8/-\n")
        store.demand_room()


def minimised(at: Path) -> Result:
    raws = [b"INT8/-\n" + bytes([number]) for number in range(3)]
    corpus = at / "corpus" / "decode" / "kafka"
    with contextlib.suppress(OSError):
        if any(path.is_symlink() for path in (at, at / "corpus", corpus.parent, corpus)):
            raise FileExistsError
        corpus.mkdir(parents=True)
        for raw in raws:
            if not os.path.lexists(corpus / digest(raw)):
                (corpus / digest(raw)).write_bytes(raw)
    return command("fuzz", "minimise", at)


class Runner(matrix_runs.Runner):
    """Runs nothing: its pytest writes a report without verdicts."""

    def _call(self, words: list[str]) -> tuple[int, bytes]:
        (path,) = (word.partition("=")[2] for word in words if word.startswith("--report="))
        code, text = called(lambda: ReportWriter(Path(path)).close())
        return 4 if code else 0, text.encode()


def matrix(at: Path) -> Result:
    mine: Any = SimpleNamespace(name="mine", spec="mine")
    ended: list[Any] = []
    result = called(lambda: ended.append(Runner(at, 1, Options())._asked(mine, "0" * 16)))
    return result if not ended or isinstance(ended[0], matrix_runs.Run) else (2, ended[0].why)


def job(at: Path) -> None:
    """What a job writes itself; Spark is played by a line."""
    from wireproof.pipeline.store import AuditRun, Group
    from wireproof.pipeline.store import Store as Tables

    with Tables(at) as store:
        folder = store.clear("cases", "0a")
        folder.mkdir()
        (folder / "part-00000.parquet").write_bytes(b"PAR1")
        store.finished(Group("0a", "cases", 1))
        store.audited(AuditRun(1, (), {}))
        store.empty("reports/1/findings")
        store.write("reports/1/known", b"0" * 20)


def triaged(run: Path, at: Path) -> Result:
    code, text = command("pipeline", "triage", run, "--out", at)
    return {1: 0}.get(code, code), text  # there are findings


def reported(at: Path) -> None:
    with ReportWriter(at) as writer:
        writer._put({"report": 2})


def transcribed(at: Path) -> None:
    transcript = Transcript(at)
    transcript.sent(b'{"op":"describe"}')
    transcript.flush()
    transcript.close()


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what is not the command's."""
    monkeypatch.chdir(tmp_path)
    outside(tmp_path / "outside")
    return tmp_path


def written(one: Command, folder: Path) -> dict[str, object]:
    """What the command writes to an empty place, by its path there; the place itself is the empty path."""
    at = folder / "clean"
    code, text = one.do(at)
    assert code == 0, text
    assert one.do(at)[0] == one.again
    found = {name.partition("/")[2]: seen for name, seen in snapshot(folder).items() if name.split("/")[0] == "clean"}
    (shutil.rmtree if at.is_dir() else os.unlink)(at)
    return found


def some(names: list[str], of: dict[str, object]) -> list[str]:
    """All folders, and of the files in each the first and the last."""
    chosen = [name for name in names if not isinstance(of[name], bytes)]
    for folder in ("", *chosen):
        files = [name for name in names if isinstance(of[name], bytes) and str(Path(name).parent) == (folder or ".")]
        chosen += dict.fromkeys(files[:1] + files[-1:])
    return list(dict.fromkeys(["", *chosen]))


def is_harmless(one: Command, place: str, hazard: str) -> bool:
    """Whether the command works beside it: it is locked, is left to its owner, or is no input."""
    return (
        (place == ".lock" and hazard == "a file")
        or place == "implementation.c"
        or (one.overwrites and hazard in ("a file", "a hard link"))
        or (one.name == "fuzz minimise" and place.startswith("corpus/decode"))
    )


@pytest.mark.parametrize("name", NAMES)
def test_something_else_in_its_place(name: str, commands: dict[str, Command], room: Path) -> None:
    one = commands[name]
    clean = written(one, room)
    at = room / "at"
    for place in some([*clean], clean):
        for hazard in HAZARDS:
            if hazard == "a folder" and not (isinstance(clean[place], bytes)):
                continue  # that is what belongs there
            if place:  # run twice: what it wrote itself is in nobody's way
                assert [one.do(at)[0], one.do(at)[0]] == [0, one.again]
            put(hazard, at / place, room / "outside")
            before = snapshot(room)
            code, text = one.do(at)
            after = snapshot(room)
            about = f"{hazard} in the place of {place or 'all'}: exit code {code}: {text}"
            theirs = str((at / place).relative_to(room))
            for path in before:
                forced = path == theirs and one.overwrites and isinstance(before[path], bytes)
                if path.startswith(("outside", f"{theirs}/")) or (path == theirs and not forced):
                    assert after[path] == before[path], about
            assert {path for path in after if path.startswith("outside")} <= before.keys(), about
            if code == 0:
                assert is_harmless(one, place, hazard), about
            else:
                assert code == 2, about
                assert SAID.search(text), about
            (shutil.rmtree if at.is_dir() and not at.is_symlink() else os.unlink)(at)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", [0, 60, 700])
def test_a_full_disk(name: str, size: int, commands: dict[str, Command], room: Path) -> None:
    """A file is written whole or not at all, and the same command works as soon as there is room."""
    one = commands[name]
    clean = written(one, room)
    at = room / "at"
    earlier: dict[str, object] = {}
    if one.before is not None:
        assert one.before(at)[0] == 0
        earlier = snapshot(at)
    with full_disk(size):
        code, text = one.do(at)
    assert code in (0, 2), text
    assert code == 0 or "File too large" in text
    for path, seen in (snapshot(at) if at.is_dir() else {"": at.read_bytes()} if at.exists() else {}).items():
        assert one.open or not isinstance(seen, bytes) or seen in (clean.get(path), earlier.get(path)) or begun(seen)
        assert ".wireproof" not in path
    if not os.path.lexists(at) or one.again == 0:
        code, text = one.do(at)
        assert code == 0, text
        found = snapshot(at) if at.is_dir() else {"": at.read_bytes()}
        for path, seen in clean.items():
            assert one.open or not path or found[path] == seen, path


def begun(content: bytes) -> bool:
    """Whether it is the manifest of an export that did not end."""
    return b'"earlier": {' in content


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("place", ["x" * 300, "file/at", "closed/at"])
def test_no_place_at_all(name: str, place: str, commands: dict[str, Command], room: Path) -> None:
    (room / "file").touch()
    (room / "closed").mkdir(mode=0o555)
    written(commands[name], room)  # imports what it needs
    before = snapshot(room)
    with as_nobody():
        code, text = commands[name].do(room / place)
    assert code == 2
    assert re.search(r"File name too long|ot a directory|Permission denied|no folder|no such folder", text), text
    assert snapshot(room) == before


@contextlib.contextmanager
def as_nobody() -> Iterator[None]:
    """Without the rights of root, if this is root."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.mark.parametrize("option", ["--report", "--write-known", "--transcript"])
@pytest.mark.parametrize("hazard", ["a link to a file", "a FIFO", "a file"])
def test_options_of_pytest(option: str, hazard: str, room: Path) -> None:
    put(hazard, room / "wrapper.py", room / "outside")
    before = snapshot(room)
    ended = run_pytest("--impl=reference", "--area=framing", f"{option}=wrapper.py", "-p", "no:cacheprovider", cwd=room)
    assert ended.code == pytest.ExitCode.USAGE_ERROR, ended.text
    assert SAID.search(re.sub(r"\s+", " ", ended.text)), ended.text
    assert snapshot(room) == before


@pytest.mark.parametrize("option", ["--report", "--write-known"])
def test_what_overwrite_is_for(option: str, room: Path) -> None:
    put("a file", room / "mine", room / "outside")
    words = ("--impl=reference", "--dialect=kip-482-v1", "--area=framing", f"{option}=mine", "--overwrite")
    ended = run_pytest(*words, "-p", "no:cacheprovider", cwd=room)
    assert ended.code == pytest.ExitCode.OK, ended.text
    assert (room / "mine").read_bytes() != FOREIGN


def test_two_runs_into_one_report(room: Path) -> None:
    with ReportWriter(room / "run.jsonl"):
        words = ("--impl=reference", "--dialect=kip-482-v1", "--area=framing", "--report=run.jsonl")
        ended = run_pytest(*words, "-p", "no:cacheprovider", cwd=room)
    assert ended.code == pytest.ExitCode.USAGE_ERROR
    assert "another run is writing it" in ended.text
    assert (room / "run.jsonl").read_bytes() == b""


def test_what_no_campaign_wrote_is_left_and_told(room: Path) -> None:
    assert minimised(room / "out")[0] == 0
    notes = room / "out" / "corpus" / "decode" / "kafka" / "notes.md"
    notes.write_bytes(FOREIGN)
    code, text = command("fuzz", "minimise", "out")
    assert code == 0
    assert "left as it is: out/corpus/decode/kafka/notes.md" in text
    assert notes.read_bytes() == FOREIGN


def test_a_changed_file_of_an_earlier_export_is_left_and_told(commands: dict[str, Command], room: Path) -> None:
    one = commands["export"]
    assert one.before is not None
    assert one.before(room / "at")[0] == 0
    changed = room / "at" / "kip-482-v1" / "tag-ordering.jsonl"
    changed.write_bytes(FOREIGN)
    code, text = one.do(room / "at")
    assert code == 0
    assert "was changed since an earlier export: kip-482-v1/tag-ordering.jsonl" in text
    assert changed.read_bytes() == FOREIGN


def test_a_manifest_that_names_what_is_not_its_own(commands: dict[str, Command], room: Path) -> None:
    """The digests are right: only the place is wrong."""
    one = commands["export"]
    assert one.before is not None
    assert one.before(room / "at")[0] == 0
    path = room / "at" / "manifest.json"
    manifest = json.loads(path.read_bytes())
    for name in ("../outside/precious", str(room / "outside" / "precious"), "linked/precious", "a\0b", "", "."):
        manifest["files"][name] = {"sha256": hashlib.sha256(FOREIGN).hexdigest()}
    path.write_text(json.dumps(manifest))
    (room / "at" / "linked").symlink_to(room / "outside")
    before = snapshot(room / "outside")
    code, text = one.do(room / "at")
    assert code == 0, text
    assert snapshot(room / "outside") == before


def test_a_folder_of_a_group_with_something_else_in_it(room: Path) -> None:
    """It has the form of what a job writes, and another name."""
    job(room / "at")
    mine = room / "at" / "cases" / "0a" / "mine.parquet"
    mine.write_bytes(b"PAR1")
    before = snapshot(room)
    code, text = called(lambda: job(room / "at"))
    assert code == 2
    assert "mine.parquet: Wireproof did not write it" in text
    assert snapshot(room) == before


@pytest.mark.parametrize(("name", "last"), [("schema import", "index.json"), ("schema lift", "HeartbeatResponse.json")])
def test_nothing_is_written_if_one_file_is_refused(
    name: str, last: str, commands: dict[str, Command], room: Path
) -> None:
    (room / "at").mkdir()
    (room / "at" / last).write_bytes(FOREIGN)
    before = snapshot(room)
    assert commands[name].do(room / "at")[0] == 2
    assert snapshot(room) == before


def test_a_file_keeps_its_mode(commands: dict[str, Command], room: Path) -> None:
    one = commands["schema import --overwrite"]
    assert one.before is not None
    assert one.before(room / "at")[0] == 0
    path = room / "at" / "PingRequest.json"
    path.chmod(0o640)
    assert one.do(room / "at")[0] == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_read_only_file_stays(commands: dict[str, Command], room: Path) -> None:
    assert command("explain", "INT8", "00", "--html", room / "page.html")[0] == 0  # imports what it needs
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "page.html"
        path.write_bytes(FOREIGN)
        path.chmod(0o444)
        Path(name).chmod(0o777)
        with as_nobody():
            code, text = command("explain", "INT8", "00", "--html", path, "--overwrite")
        assert (code, path.read_bytes()) == (2, FOREIGN)
        assert "Permission denied" in text


@pytest.mark.parametrize("of", [writing.open_stream, writing.open_log])
def test_a_link_is_named_and_one_that_comes_between_is_refused(
    of: Callable[[Path, writing.Ours], IO[bytes]], room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its place is looked at, and then opened."""
    precious, at = room / "outside" / "precious", room / "at"
    at.symlink_to(precious)
    before = snapshot(room / "outside")
    with pytest.raises(OSError, match="it is a link, and nothing is written through a link"):
        of(at, writing.nothing)
    at.unlink()
    look = writing._Place.status

    def status(place: writing._Place) -> os.stat_result | None:
        found = look(place)
        at.symlink_to(precious)
        return found

    monkeypatch.setattr(writing._Place, "check", lambda *_, **__: None)
    monkeypatch.setattr(writing._Place, "status", status)
    with pytest.raises(OSError, match="Too many levels of symbolic links"):
        of(at, writing.nothing)
    assert snapshot(room / "outside") == before


# --- Random trees -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
@given(drawn=st.data())
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_random_trees(name: str, drawn: st.DataObject, commands: dict[str, Command], room: Path) -> None:
    """Whatever stands around and in the place of a command, all that it did not write stays as it is."""
    one = commands[name]
    folder = Path(tempfile.mkdtemp(dir=room))
    out, at = folder / "outside", folder / "at"
    outside(out)
    clean = written(one, folder)
    if drawn.draw(st.booleans()):
        assert one.do(at)[0] == 0
    names = st.sampled_from([*clean, *ODD]) if len(clean) > 1 else st.just("")
    theirs: set[str] = set()
    for place, hazard in drawn.draw(st.lists(st.tuples(names, st.sampled_from(HAZARDS)), max_size=4)):
        with contextlib.suppress(FileExistsError, NotADirectoryError):  # what is above it is no folder
            if not any(above.is_symlink() for above in (at / place).parents):
                put(hazard, at / place, out)
                theirs.add(str((at / place).relative_to(folder)))
    before = snapshot(folder)
    code, text = one.do(at)
    after = snapshot(folder)
    assert code in (0, 2), text
    for path in before:
        forced = one.overwrites and isinstance(before[path], bytes) and path.partition("/")[2] in clean
        if path.startswith("outside") or (path in theirs and not forced):
            assert after[path] == before[path], f"{path}: exit code {code}: {text}"
    assert {path for path in after if path.startswith("outside")} <= before.keys()


#: Names that no command gives.
ODD = ("notes.md", "-rf", "a b\n", "\udcff", ".hidden", "corpus/decode/kafka/notes.md", "findings/x.json", "0" * 40)


# --- One module -------------------------------------------------------------------------------------------------------

#: What writes besides, with the reason.
WRITERS = {
    "conformance/writing.py": "it is the one",
    "fuzz/process/input_file.py": "it maps a file into memory that `writing` made",
    "pipeline/parts.py": "workers of Spark write, into folders that the job made new",
}
_WRITES = re.compile(
    r"\b(write_text|write_bytes|unlink|rmtree|rmdir|mkdir|makedirs|rename|renames|touch|chmod|truncate|mkstemp|mkfifo"
    r"|symlink_to|hardlink_to|copyfile|copytree|copy2|NamedTemporaryFile)$"
)
#: Calls of that name that write nothing on a disk: of the module itself, or of a file that it opened.
_HARMLESS = ("self._files.rename", "file.truncate")


def test_only_one_module_writes() -> None:
    found = []
    for path in sorted(
        one
        for room in ("conformance", "fuzz", "pipeline", "wireproof", "pytest_wireproof", "reference")
        for one in (ROOT / room).rglob("*.py")
    ):
        name = str(path.relative_to(ROOT))
        if "templates" in path.parts or name in WRITERS or path.is_symlink():
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and writes(node):
                found.append(f"{name}:{node.lineno}: {ast.unparse(node)}")
    assert found == []


def writes(call: ast.Call) -> bool:
    """Whether a call writes, makes or deletes a file by its path."""
    function = ast.unparse(call.func)
    if any(one.arg == "fileobj" for one in call.keywords):  # an archive in memory
        return False
    if re.search(r"(^|\.)open$", function):
        words = [ast.unparse(word) for word in (*call.args, *(one.value for one in call.keywords))]
        return (
            any(
                re.fullmatch(r"'[rbt]*[wax+][rwaxbt+]*'", word) or re.search(r"O_(WRONLY|RDWR|CREAT)", word)
                for word in words
            )
            and "devnull" not in " ".join(words) + function
        )
    return _WRITES.search(function) is not None and function not in _HARMLESS
