"""The checks of `wireproof wrapper check`: whether a program keeps to the line protocol.

They do not test whether its answers about Kafka are right. Each check tests one thing, and says what to do when it
fails.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from wireproof.conformance.connection.base import ImplementationError, Options
from wireproof.conformance.connection.live.broker import program_connection
from wireproof.conformance.connection.process.child import (
    LONGEST_LINE,
    START_TIMEOUT,
    ChildConnection,
    Launch,
    program_launch,
)
from wireproof.conformance.connection.process.endings import died, last_words, shorten
from wireproof.conformance.connection.process.pipes import Process
from wireproof.conformance.connection.protocol import lines
from wireproof.conformance.model import Case, Description, Observation, Op, Status

#: The number of questions sent at once; even the shortest answers to them exceed the 64 KiB of a pipe.
MANY = 5000
#: Bytes of the large value.
LARGE = 1 << 20
#: Seconds in which a program has to end after its stdin is closed.
END = 2.0
#: Seconds to wait for a second answer, and between two pieces of a question.
PAUSE = 0.05
#: So many lines on stdout that answer nothing fail a check at once.
MOST_JUNK = 10_000
_ESSENTIAL = 2


class Result(StrEnum):
    """The result of a check."""

    GOOD = "good"
    BAD = "bad"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Check:
    """One check: what it saw and, when it failed, what to do."""

    name: str
    result: Result
    detail: str
    advice: str = ""


class _Bad(Exception):  # noqa: N818 (a result, not an error)
    """A check that failed. The text says what it saw."""


class _NotRun(Exception):  # noqa: N818 (as above)
    """A check that does not apply. The text says why."""


#: Frames with almost no content: the check is about the lines around them.
_APIVERSIONS_REQUEST = bytes.fromhex("00120000000000070000")
_APIVERSIONS_RESPONSE = bytes.fromhex("00000007000000000000")

_PLAIN_ARGUMENTS: Mapping[Op, Mapping[str, Any]] = {
    Op.CONSUME: {"data": b"", "position": 0, "isolation": "read_uncommitted", "aborted": []},
    Op.PRODUCE: {
        "records": [{"timestamp": 0, "key": None, "value": b"", "headers": []}],
        "magic": 2,
        "codec": "none",
        "options": {"producer_id": -1, "producer_epoch": -1, "base_sequence": -1, "transactional": False},
    },
    Op.SERVE: {"chunks": [len(_APIVERSIONS_REQUEST).to_bytes(4) + _APIVERSIONS_REQUEST]},
    Op.INTERPRET: {"request": _APIVERSIONS_REQUEST, "response": _APIVERSIONS_RESPONSE},
    Op.NEGOTIATE: {"api_key": 18, "client": (0, 3), "broker": (0, 4)},
    Op.EVOLVE: {"old": {"name": "A", "fields": []}, "new": {"name": "A", "fields": []}},
}


def typed(op: Op, type_name: str, argument: object, dialect: str = "kafka") -> Case:
    """A case of an op that has a type."""
    name = "value" if op is Op.ENCODE else "data"
    args = {name: argument, **({"key": "k"} if op is Op.LOOKUP else {"to": "magic-1"} if op is Op.CONVERT else {})}
    return Case(f"{type_name}#{op}", op, dialect, type_name, args=args)


class _Talk:
    """A process, each line of which is checked."""

    def __init__(self, launch: Launch, patience: float) -> None:
        self._launch = launch
        self._patience = patience
        self._process: Process | None = None
        self._seq = 0
        #: Lines on stdout that are not answers to a question.
        self.junk: list[bytes] = []

    @property
    def process(self) -> Process:
        """The process, which has described itself; a new one if the last has ended."""
        if self._process is None or self._process.ended:
            self.close()
            self._process = Process(self._launch.command, self._launch.env)
            self._process.send(lines.describe_question())
            if not self._hear(self._process, START_TIMEOUT):
                errors = last_words(self._process.stderr)
                raise _Bad(f"it did not describe itself when it was started again{errors}")
        return self._process

    @staticmethod
    def _hear(process: Process, patience: float) -> list[bytes]:
        """The next lines; empty when it ends, or when none come in time."""
        heard: list[bytes] = []
        deadline = time.monotonic() + patience
        while not heard and not process.ended and (left := deadline - time.monotonic()) > 0:
            heard = process.pump(left)
            if process.half_line_size > LONGEST_LINE:
                raise _Bad(f"a line on stdout does not end: {shorten(process.half_line)}")
        return heard

    def exchange(self, *cases: Case, edit: Callable[[bytes], Sequence[bytes]] | None = None) -> list[Observation]:
        """Ask the cases all at once, and return the answer to each.

        `edit`: turns the line of a question into the pieces that are sent instead. Raises _Bad when the process died,
        or when an answer is malformed or missing.
        """
        process = self.process
        questions: dict[int, Case] = {}
        answers: dict[int, Observation] = {}
        for case in cases:
            self._seq += 1
            questions[self._seq] = case
            line = lines.question(self._seq, case)
            for piece in edit(line) if edit else [line]:
                process.send(piece)
                if edit:
                    self._pause(process, questions, answers)
        while len(answers) < len(questions):
            heard = self._hear(process, self._patience)
            if not heard:
                raise _Bad(self._silence(process, len(questions) - len(answers)))
            for line in heard:
                self._take(line, questions, answers)
            if len(self.junk) > MOST_JUNK:
                raise _Bad(f"{len(self.junk)} lines on stdout without an answer; {self._last_junk()}")
        self._pause(process, questions, answers)  # for a second answer
        return [answers[seq] for seq in questions]

    def _pause(self, process: Process, questions: dict[int, Case], answers: dict[int, Observation]) -> None:
        deadline = time.monotonic() + PAUSE
        while not process.ended and (left := deadline - time.monotonic()) > 0:
            for line in process.pump(left):
                self._take(line, questions, answers)

    def _take(self, line: bytes, questions: dict[int, Case], answers: dict[int, Observation]) -> None:
        try:
            answer = lines.read_answer(line)
        except lines.LineError as error:
            if error.seq is not None:
                raise _Bad(f"a malformed answer, {error}: {shorten(line)}") from None
            self.junk.append(line)
            return
        if answer.seq not in questions or answer.seq in answers:
            self.junk.append(line)
            return
        try:
            answers[answer.seq] = lines.observation(questions[answer.seq], answer)
        except lines.LineError as error:
            raise _Bad(f"a malformed answer, {error}: {shorten(line)}") from None

    def raw(self, message: dict[str, object]) -> bytes:
        """Send a message, with a new `seq`. Returns the line that answers it."""
        process = self.process
        self._seq += 1
        process.send(lines.dumps({"seq": self._seq, **message}))
        heard = self._hear(process, self._patience)
        if not heard:
            raise _Bad(self._silence(process, 1))
        self.junk += heard[1:]
        return heard[0]

    def _silence(self, process: Process, missing: int) -> str:
        answers = f"{missing} answer{'' if missing == 1 else 's'} missing"
        if process.ended:
            happened = f"it ended (exit code {process.wait(0.5)[1]}) with {answers}"
        else:
            happened = f"{answers} after {self._patience:g} seconds"
        if self.junk:
            happened += f"; {self._last_junk()}"
        return happened + last_words(process.stderr)

    def _last_junk(self) -> str:
        return f"the last line on stdout does not answer any question: {shorten(self.junk[-1])}"

    def close(self) -> None:
        """End the process, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process = None


class Inspection:
    """All checks of one program. `run` yields each when it is done."""

    def __init__(self, spec: str, options: Options) -> None:
        """Raises ImplementationError when there is no such program."""
        self._launch = program_launch(spec, options.memory)
        self._options = options
        self._talk = _Talk(self._launch, options.timeout)
        self._description: Description | None = None

    def run(self) -> Iterator[Check]:
        """The checks, in order. When one of the first two fails, the others are not run."""
        dumb = ""
        first, *others = self._checks()
        try:
            yield (described := self._one(*first))
            if self._description is not None and self._description.listens is not None:
                yield from (self._one(*check) for check in self._checks_of_broker())
                return
            if self._description is not None and self._description.bootstrap:
                yield from (self._one(*check) for check in self._checks_of_client())
                return
            if described.result is Result.BAD:
                dumb = "it did not describe itself"
            for number, (name, check, advice) in enumerate(others, 1):
                done = Check(name, Result.NOT_RUN, dumb) if dumb else self._one(name, check, advice)
                if done.result is Result.BAD and number < _ESSENTIAL:
                    dumb = "it does not answer"
                yield done
        finally:
            self._talk.close()

    def _one(self, name: str, check: Callable[[], str], advice: str) -> Check:
        try:
            return Check(name, Result.GOOD, check())
        except _NotRun as why:
            return Check(name, Result.NOT_RUN, str(why))
        except _Bad as failure:
            self._talk.close()  # its late lines could be taken for answers to other questions
            return Check(name, Result.BAD, str(failure), advice)

    def _checks(self) -> list[tuple[str, Callable[[], str], str]]:
        return [
            (
                "describes itself",
                self._describe,
                'Answer {"op":"describe","protocol":1} with one line: name, version, language, dialects, ops, types.',
            ),
            (
                "an answer carries its question's seq",
                self._seqs,
                "Copy `seq` from the question to its answer, and flush stdout after each answer.",
            ),
            (
                f"{MANY} questions at once",
                self._many,
                "Answer questions as they come, each once: do not wait for the end of stdin.",
            ),
            (
                "a question in two pieces",
                self._pieces,
                "Read whole lines: what one read returns may end in the middle of a question.",
            ),
            (
                "JSON written in another way",
                self._other_json,
                r"Use a JSON parser: spaces, the order of members and escapes such as \u0061 may vary.",
            ),
            (
                "large and small numbers",
                self._numbers,
                'Read integers as numbers and as {"int": "<digits>"}; beyond ±(2^53−1) only the second is sent.',
            ),
            (
                "a large value",
                self._large,
                "Do not limit the length of a line, and write all of a long answer before the next one.",
            ),
            (
                "an unknown type is unsupported",
                self._unknown_type,
                'Answer {"seq":…,"unsupported":"why"} for a type that the library does not have.',
            ),
            (
                "an unknown op does no harm",
                self._unknown_op,
                'Answer {"seq":…,"unsupported":"why"} for an op that you do not know: later kits ask more.',
            ),
            (
                "a refusal is a reject",
                self._refusal,
                'Catch the exception by which the library refuses; answer {"seq":…,"reject":{"reason":…,"offset":…}}.',
            ),
            (
                "settings are taken, or unsupported",
                self._configure,
                'Answer {"op":"configure",…} with {"seq":…,"ok":true}, or with {"seq":…,"unsupported":"why"}.',
            ),
            (
                "nothing else on stdout",
                self._stdout,
                "Write only answers to stdout, one for each question; everything else goes to stderr.",
            ),
            ("noise on stderr", self._stderr, ""),
            (
                "ends when stdin closes",
                self._end,
                "End when stdin ends, with exit code 0 and nothing more on stdout: leave the loop, and stop threads "
                "that keep the process alive.",
            ),
        ]

    def _checks_of_broker(self) -> list[tuple[str, Callable[[], str], str]]:
        """Of a program that listens: it is asked over sockets."""
        return [
            (
                "listens, and announces versions",
                self._listens,
                "Listen at the address that `listens` names, on this machine, and answer ApiVersions 0.",
            ),
            (
                "ends when stdin closes",
                self._end,
                "Read stdin to its end, then end with exit code 0, and with it the broker.",
            ),
        ]

    def _checks_of_client(self) -> list[tuple[str, Callable[[], str], str]]:
        """Of the wrapper of a client that runs: each question has a broker."""
        return [
            (
                "talks to the broker",
                self._talks,
                "Make a new client for each question, with the address in `bootstrap` and a limit in seconds; "
                "answer once it has sent the records, or once no more come.",
            ),
            (
                "ends when stdin closes",
                self._end,
                "Read stdin to its end, then end with exit code 0, and with it all clients.",
            ),
        ]

    def _talks(self) -> str:
        # Imported here: it brings the reference.
        from wireproof.conformance.connection.live.wrapper import WrapperConnection

        cases = [Case(str(op), op, self._dialect(), args=_PLAIN_ARGUMENTS[op]) for op in sorted(self._ops())]
        with WrapperConnection(ChildConnection(self._launch, self._options)) as client:
            answers = client.ask(cases)
        wrong = [one for one in answers if one.status not in (Status.ANSWER, Status.UNSUPPORTED)]
        if wrong:
            raise _Bad(f"{_answer_text(wrong[0])} to {wrong[0].case.op}")
        return ", ".join(f"{one.case.op}: {one.status}" for one in answers)

    def _listens(self) -> str:
        try:
            child = ChildConnection(self._launch, self._options)
            with program_connection(self._launch.spec, child, self._options) as broker:
                apis = broker.description.apis
        except ImplementationError as error:
            raise _Bad(str(error).removeprefix(f"{self._launch.spec}: ")) from None
        return f"at {broker.description.listens}, {len(apis or ())} apis"

    # One method for each check. It returns what it saw, or raises an exception.

    def _describe(self) -> str:
        try:
            with ChildConnection(self._launch, self._options) as connection:
                self._description = connection.description
        except ImplementationError as error:
            raise _Bad(str(error).removeprefix(f"{self._launch.spec}: ")) from None
        said = self._description
        types = sum(map(len, said.types.values())) if said.types is not None else 0
        offered = f"{types} type{'' if types == 1 else 's'}" if said.types is not None else "every type"
        return f"{said.name} {said.version or ''}".strip() + f": {', '.join(sorted(said.ops))}; {offered}"

    def _ops(self) -> frozenset[Op]:
        assert self._description is not None
        return self._description.ops

    def _typed(self, name: str, *ops: Op) -> Op:
        """The first of the ops that the program offers for a type of the dialect kafka."""
        assert self._description is not None
        for op in ops:
            if self._description.offers(Case("", op, "kafka", name)):
                return op
        raise _NotRun(f"{' or '.join(ops)} of {name} is not offered")

    def _small(self) -> Case:
        """A small question that the program offers to answer."""
        for op, argument in ((Op.DECODE, bytes(4)), (Op.RECODE, bytes(4)), (Op.ENCODE, 0)):
            try:
                self._typed("INT32", op)
            except _NotRun:
                continue
            return typed(op, "INT32", argument)
        for op in Op:
            if op in self._ops() and op in _PLAIN_ARGUMENTS:
                return Case(op, op, self._dialect(), args=_PLAIN_ARGUMENTS[op])
        return self._any_type()

    def _any_type(self) -> Case:
        assert self._description is not None
        for dialect, types in (self._description.types or {}).items():
            for name, span in types.items():
                version = span[1] if span else None
                offered = (op for op in Op if self._description.offers(Case("", op, dialect, name, version)))
                for op in offered:
                    case = typed(op, name, None if op is Op.ENCODE else b"", dialect)
                    return Case(case.id, op, dialect, name, version, case.args)
        op = next(op for op in Op if op in self._ops())
        return typed(op, "INT32", 0 if op is Op.ENCODE else bytes(4), self._dialect())

    def _dialect(self) -> str:
        assert self._description is not None
        return next(iter(self._description.dialects), "kafka")

    def _seqs(self) -> str:
        observations = self._talk.exchange(*[self._small()] * 3)
        return f"{self._small().id}: {_statuses(observations)}"

    def _many(self) -> str:
        started = time.monotonic()
        self._talk.exchange(*[self._small()] * MANY)
        seconds = time.monotonic() - started
        return f"all answered, {MANY / seconds:,.0f} a second"

    def _pieces(self) -> str:
        middle = lambda line: [line[: len(line) // 2], line[len(line) // 2 :]]  # noqa: E731
        return _statuses(self._talk.exchange(self._small(), edit=middle))

    def _other_json(self) -> str:
        (plain,) = self._talk.exchange(self._small())
        (other,) = self._talk.exchange(self._small(), edit=lambda line: [_rewrite(line)])
        if (plain.status, plain.answer) != (other.status, other.answer):
            answers = f"{_answer_text(plain)} to the plain question, {_answer_text(other)} to the same one"
            raise _Bad(f"{answers} written in another way")
        return _answer_text(plain)

    def _numbers(self) -> str:
        op = self._typed("INT64", Op.ENCODE)
        numbers = (0, -(2**53), 2**63 - 1)
        return _statuses(self._talk.exchange(*[typed(op, "INT64", number) for number in numbers]))

    def _large(self) -> str:
        op = self._typed("BYTES", Op.DECODE, Op.RECODE)
        (large,) = self._talk.exchange(typed(op, "BYTES", LARGE.to_bytes(4) + bytes(LARGE)))
        return f"{LARGE >> 10} KiB: {large.status}"

    def _unknown_type(self) -> str:
        op = self._typed("INT32", Op.DECODE, Op.RECODE, Op.ENCODE)
        (answer,) = self._talk.exchange(typed(op, "NO_SUCH_TYPE", 0 if op is Op.ENCODE else b""))
        if answer.status is not Status.UNSUPPORTED:
            raise _Bad(f"{_answer_text(answer)} for the type NO_SUCH_TYPE")
        return answer.detail or "unsupported"

    def _unknown_op(self) -> str:
        line = self._talk.raw({"op": "no-such-op", "dialect": self._dialect()})
        try:
            answer = lines.read_answer(line)
        except lines.LineError as error:
            raise _Bad(f"{error}: {shorten(line)}") from None
        if answer.kind not in ("unsupported", "error"):
            raise _Bad(f"`{answer.kind}` for the op no-such-op: {shorten(line)}")
        return answer.kind

    def _refusal(self) -> str:
        op = self._typed("INT32", Op.DECODE, Op.RECODE)
        (answer,) = self._talk.exchange(typed(op, "INT32", bytes(3)))
        if answer.status not in (Status.REJECT, Status.UNSUPPORTED):
            raise _Bad(f"{_answer_text(answer)} to INT32 cut off after three bytes")
        return answer.status if answer.reason is None else f"{answer.status}, {answer.reason}"

    def _configure(self) -> str:
        line = self._talk.raw({"op": "configure", "dialect": self._dialect(), "settings": {}})
        try:
            return "taken" if lines.read_configured(lines.read_answer(line)) else "unsupported"
        except lines.LineError as error:
            raise _Bad(f"{error}: {shorten(line)}") from None

    def _stdout(self) -> str:
        junk = self._talk.junk
        if junk:
            raise _Bad(f"{len(junk)} lines that are not answers; the first is {shorten(junk[0])}")
        return "only answers"

    def _stderr(self) -> str:
        size = self._talk.process.stderr_size
        return f"{size} bytes, kept for reports" if size else "none"

    def _end(self) -> str:
        process = self._talk.process
        process.close_stdin()
        started = time.monotonic()
        last, code = process.wait(END)
        if code:
            raise _Bad(died(code, process.stderr, process.half_line).detail)
        last += [process.half_line] if process.half_line else []
        if last:
            raise _Bad(f"after its last answer it wrote to stdout: {shorten(last[0])}")
        if code is None:
            raise _Bad(f"it still runs after {END:g} seconds")
        return f"exit code 0 after {time.monotonic() - started:.2f} seconds"


def _answer_text(observation: Observation) -> str:
    if observation.status is Status.ANSWER:
        return f"the answer {shorten(str(observation.answer).encode())}"
    return (
        f"{observation.status} ({observation.error or observation.detail or observation.reason or 'without a reason'})"
    )


def _statuses(observations: Sequence[Observation]) -> str:
    return ", ".join(observation.status for observation in observations)


def _rewrite(line: bytes) -> bytes:
    """The same question as different JSON: members in reverse order, spaces between them, letters as escapes."""
    message = lines.loads(line)
    members = [f"{_escaped(key)} : {_escaped(item)}" for key, item in reversed(message.items())]
    return f"  {{ {' , '.join(members)} }}\n".encode()


def _escaped(item: object) -> str:
    if isinstance(item, str):
        return '"' + "".join(f"\\u{ord(letter):04x}" for letter in item) + '"'
    return lines.dumps({"x": item}).decode().strip().removeprefix('{"x":').removesuffix("}")
