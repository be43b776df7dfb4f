"""The conversation with a child process, without its pipes. It keeps the open questions, matches answers to them, and
decides which question is to blame when the process dies, hangs or breaks the protocol."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec

from wireproof.conformance.connection.process.endings import Ending, shorten
from wireproof.conformance.connection.protocol import lines
from wireproof.conformance.connection.quarantine import Quarantine
from wireproof.conformance.model import Case, Observation, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

#: The maximum number of open questions, and of their bytes (a single larger question is sent alone).
WINDOW = 256
WINDOW_BYTES = 1 << 20
#: The maximum number of open questions after the end of a process that answers in order, and one more with each answer:
#: if the next process ends soon too, all that were open have to be sent once more.
FEWEST = 8
#: After this many brief silences that a slow question explains, several questions get the whole limit.
SLOW = 3


@dataclass
class _Repetition:
    """The process died with several questions open: they are asked again, one at a time, until one repeats the death.

    The question that was answered last comes first, because the process may have died after that answer. `brief`: the
    process did not die, but was silent for a brief wait; now each question gets its whole time limit. Questions are
    given by the index of their case.
    """

    queue: deque[int]
    ending: Ending
    #: The questions that were open, oldest first.
    opened: list[int]
    #: The question that was answered last before the death.
    before: int | None
    brief: bool
    #: The question that was asked again last.
    last: int | None = None
    #: One of the questions, asked alone, took longer than a brief wait.
    slow: bool = False


class Conversation:
    """Questions and answers of one implementation, over all its processes.

    `ordered`: answers come in the order of the questions, each written at once. Our own worker does so; the oldest open
    question is then to blame for whatever happens. Other programs may answer in any order, or buffer their answers.
    After their death with several questions open, these are asked again one at a time to find the cause. The same is
    done after a brief silence; then each question gets its whole time limit, so a hang costs this limit only once. If
    none hangs and none was slow, the silence came of several questions together: they are asked so again.

    The cases of one `begin` … `finish` are known by their index. On the wire each line has its own number (`seq`),
    which is never used twice.
    """

    def __init__(self, *, ordered: bool) -> None:
        self._ordered = ordered
        self._quarantine = Quarantine()
        #: Whether the case of an id is known to hang.
        self._hangs: Callable[[str], bool] = _none_hangs
        self._seq = 0
        #: The maximum number of open questions now.
        self._width = WINDOW
        #: It was silent for a brief wait, but no question hung: from now on several questions get the whole limit.
        self._slow = False
        #: How often one slow question explained such a silence.
        self._explained = 0
        #: The open question is on probation: no other is sent beside it.
        self._alone = False
        #: The cases of the previous block, by `seq`.
        self._earlier: dict[int, Case] = {}
        #: Numbers of questions that have been judged as violations, and whose answer may still come …
        self._spent: set[int] = set()
        #: … and of those that have been overtaken by a later answer.
        self._late: set[int] = set()
        #: What came while nothing was open: for the next case.
        self._pending: Ending | None = None
        #: The case that was answered last in the blocks before.
        self._last_case: Case | None = None
        self._index: dict[int, int] = {}
        self._cases: Sequence[Case] = ()
        self._last_answered: int | None = None
        self._reset(())

    def _reset(self, cases: Sequence[Case]) -> None:
        if self._index:
            self._earlier = {seq: self._cases[index] for seq, index in self._index.items()}
            if self._last_answered is not None:
                self._last_case = self._cases[self._last_answered]
        self._cases = cases
        self._results: list[Observation | None] = [None] * len(cases)
        #: So many of them have been returned by `certain`.
        self._returned = 0
        self._missing = len(cases)
        self._todo = deque(range(len(cases)))
        self._index = {}
        #: Numbers of the open questions, oldest first, with the length of their lines.
        self._open: dict[int, int] = {}
        self._open_bytes = 0
        self._answered: set[int] = set()
        self._last_answered = None
        self._trial: _Repetition | None = None

    def expect_hangs(self, hangs: Callable[[str], bool]) -> None:
        """Set which cases are known to hang, by their ids."""
        self._hangs = hangs

    def begin(self, cases: Sequence[Case]) -> None:
        """Begin a block of cases."""
        self._reset(cases)

    @property
    def done(self) -> bool:
        """Whether every case has its observation."""
        return self._missing == 0 and self._trial is None

    @property
    def waiting(self) -> bool:
        """Whether questions are open."""
        return bool(self._open)

    @property
    def brief(self) -> bool:
        """Whether to wait only briefly. After a longer silence the caller kills the process and calls `silent`."""
        if self._ordered or len(self._open) == 1:
            return bool(self._open) and self._on_probation(self._index[next(iter(self._open))])
        return bool(self._open) and not self._slow

    @property
    def known_to_hang(self) -> bool:
        """Whether the process works on a case that is known to hang: after a brief silence it hangs again."""
        if not self._open or not (self._ordered or len(self._open) == 1):
            return False
        return self._hangs(self._cases[self._index[next(iter(self._open))]].id)

    def _asked_alone(self, index: int) -> bool:
        """Whether no question is sent beside this one: whose silence or death it is has to be clear at once."""
        if self._ordered:
            return False
        case = self._cases[index]
        if self._hangs(case.id) or self._quarantine.deadly(case):
            return True
        return self._on_probation(index) and (self._slow or self._quarantine.was_without_answer(index, case))

    def _on_probation(self, index: int) -> bool:
        return self._quarantine.on_probation(index, self._cases[index])

    @property
    def at_work(self) -> int:
        """The number of bytes of the questions on which the process may be working now."""
        return next(iter(self._open.values()), 0) if self._ordered else self._open_bytes

    @property
    def doubtful(self) -> bool:
        """Whether the process may still die of the question that it has just answered: the caller has to wait."""
        trial = self._trial
        return trial is not None and not self._open and trial.last is not None and trial.last == trial.before

    def next_seq(self) -> int:
        """A new number for a line."""
        self._seq += 1
        return self._seq

    # Questions.

    def data_to_send(self) -> bytes:
        """The questions to send now, as lines; empty when enough are open or all have been sent."""
        if self._trial is None and len(self._open) > self._width // 2:
            return b""  # a few large writes are faster than many small ones
        taken = []
        calm = self._trial is None and self._pending is None and self._quarantine.calm and self._hangs is _none_hangs
        following = self._next_of_many if calm else self._next
        while (index := following()) is not None:
            self._seq = seq = self._seq + 1
            line = lines.question(seq, self._cases[index])
            self._index[seq] = index
            self._open[seq] = len(line)
            self._open_bytes += len(line)
            taken.append(line)
        return b"".join(taken)

    def _next_of_many(self) -> int | None:
        """A fast `_next`, while nothing has gone wrong."""
        if not self._todo or (self._open and (len(self._open) >= self._width or self._open_bytes >= WINDOW_BYTES)):
            return None
        return self._todo.popleft()

    def _next(self) -> int | None:
        """The index of the next case to ask; None if none may be asked now."""
        while not (self._open and self._enough()):
            index = self._pop()
            if index is None:
                return None
            spared = self._spared(index)
            if spared is None:
                self._alone = self._asked_alone(index)
                return index
            self._put(index, spared)
        return None

    def _enough(self) -> bool:
        """Whether the open questions are enough for now."""
        if self._trial or self._alone or len(self._open) >= self._width or self._open_bytes >= WINDOW_BYTES:
            return True
        return bool(self._todo) and self._asked_alone(self._todo[0])

    def _pop(self) -> int | None:
        """The index of the next case in the queue."""
        if self._trial is not None:
            if self._trial.queue:
                self._trial.last = self._trial.queue.popleft()
                return self._trial.last
            self._not_repeated(self._trial)
        return self._todo.popleft() if self._todo else None

    def _spared(self, index: int) -> Observation | None:
        """The observation of a case that will not be asked; None for a case to ask."""
        if self._pending is not None:
            ending, self._pending = self._pending, None
            return _blame(self._cases[index], _with(ending, _BETWEEN))
        return self._quarantine.spares(index, self._cases[index])

    def _put(self, index: int, observation: Observation) -> None:
        self._missing -= self._results[index] is None
        self._results[index] = observation
        self._quarantine.note(index, observation)

    # Lines from the process.

    def hear(self, line: bytes) -> bool:
        """Process a line from stdout. Returns whether it answers an open question, so that there is progress."""
        try:
            answer = lines.read_answer(line)
        except lines.LineError as error:
            if error.seq is not None and error.seq in self._open:
                index = self._close(error.seq)
                self._put(index, _malformed(self._cases[index], error, line))
                return True
            self._junk("garbage", f"a line on stdout is no answer, {error}: {shorten(line)}")
            return False
        if answer.seq in self._open:
            index = self._close(answer.seq)
            if self._results[index] is None:  # else it was asked again only to see whether it ends the process
                case = self._cases[index]
                try:
                    observation = lines.observation(case, answer)
                except lines.LineError as error:
                    observation = _malformed(case, error, line)
                self._put(index, observation)
            return True
        if answer.seq in self._spent or answer.seq in self._late:
            self._spent.discard(answer.seq)
            self._late.discard(answer.seq)
            self._answered.add(answer.seq)
            return True
        self._unasked(answer.seq, line)
        return False

    def _close(self, seq: int) -> int:
        """An open question is answered. Returns the index of its case."""
        if self._width < WINDOW:
            self._width += 1
        self._open_bytes -= self._open.pop(seq)
        self._answered.add(seq)
        if self._spent:
            overtaken = {spent for spent in self._spent if spent < seq}
            self._spent -= overtaken
            self._late |= overtaken
        index = self._index[seq]
        if self._results[index] is None:
            self._last_answered = index
        return index

    def _unasked(self, seq: int, line: bytes) -> None:
        if seq in self._answered and seq in self._index:
            index = self._index[seq]
            first = self._results[index]
            if index < self._returned:
                self._junk_of_earlier(self._cases[index], line)
            elif first is not None and first.status is not Status.VIOLATION:
                text = f"a second answer came to the same question: {shorten(line)}"
                self._put(index, Observation(self._cases[index], Status.VIOLATION, error="answered twice", detail=text))
        elif 0 < seq <= self._seq:
            self._junk_of_earlier(self._earlier.get(seq), line)
        else:
            self._junk("unasked answer", f"an answer came to a question that nobody asked, seq {seq}: {shorten(line)}")

    def _junk_of_earlier(self, case: Case | None, line: bytes) -> None:
        which = "" if case is None else f", {case.id}"
        self._junk("answered twice", f"a second answer came to an earlier question{which}: {shorten(line)}")

    def _junk(self, error: str, text: str) -> None:
        """Something on stdout that answers no open question."""
        if self._spent:
            return  # more of a violation that has its observation already
        ending = Ending(Status.VIOLATION, error, text)
        if not self._open:
            self._pending = self._pending or ending
            return
        seq = next(iter(self._open))
        self._open_bytes -= self._open.pop(seq)
        self._spent.add(seq)
        index = self._index[seq]
        self._put(index, _blame(self._cases[index], ending))

    def answered_slowly(self) -> None:
        """The answer that is heard next took longer than a brief wait."""
        if self._trial is not None:
            self._trial.slow = True

    # The end of a process.

    def ended(self, ending: Ending) -> None:
        """The process ended, or was killed. Decide which question is to blame."""
        opened = [self._index[seq] for seq in self._open]
        spent = sorted(self._spent)
        self.forget()
        if spent:  # this question is a violation already; the ending is added to it
            self._add_to_violation(spent[0], ending)
            self._end_trial()
            self._again(opened)
        elif self._trial is not None:
            self._repeated(self._trial, ending, still_open=bool(opened))
        elif not opened:
            self._pending = self._pending or ending
        elif self._ordered or len(opened) == 1:
            self._put(opened[0], _blame(self._cases[opened[0]], ending))
            self._again(opened[1:])
        else:
            self._try(opened, ending, brief=False)

    def silent(self, ending: Ending) -> None:
        """The process was killed after a brief wait, which is too short for a hang. Decide which question caused it."""
        opened = [self._index[seq] for seq in self._open]
        if self._spent:  # a question that is a violation already
            self.ended(ending)
            return
        self.forget()
        if not opened:  # the last answers came just before the kill
            return
        first, *rest = opened
        if self._on_probation(first) and (self._ordered or not rest):
            if self._results[first] is None:
                self._put(first, self._quarantine.silent(first, self._cases[first], ending))
                self._end_trial()
            self._again(rest)
        elif self._ordered or self._trial is not None:
            self._again(opened)
        else:
            self._try(opened, ending, brief=True)

    def _try(self, opened: list[int], ending: Ending, *, brief: bool) -> None:
        before = self._last_answered
        if before is not None and before < self._returned:
            before = None
        queue = deque(opened if before is None else [before, *opened])
        self._trial = _Repetition(queue, ending, opened, before, brief)

    def forget(self) -> None:
        """The process is gone: no question is open any more, and no late answer can come."""
        if self._ordered:
            self._width = FEWEST
        self._open.clear()
        self._open_bytes = 0
        self._spent.clear()
        self._late.clear()

    def _add_to_violation(self, seq: int, ending: Ending) -> None:
        index = self._index.get(seq)
        observation = None if index is None else self._results[index]
        if index is None or observation is None:
            return
        detail = f"{observation.detail}\nthen: {ending.detail}"
        if observation.error == "garbage" and ending.status is Status.OOM:
            # A runtime without memory may say so on stdout, as Java's does: that is how it ends, not a wrong answer.
            self._results[index] = _blame(self._cases[index], replace(ending, detail=detail))
        else:
            self._results[index] = msgspec.structs.replace(observation, detail=detail)

    def _again(self, indices: Iterable[int]) -> None:
        """These questions were not answered: ask the next process these first."""
        self._todo.extendleft(reversed([index for index in indices if self._results[index] is None]))

    def _end_trial(self) -> None:
        trial, self._trial = self._trial, None
        if trial is not None:
            self._again(trial.queue)

    def _repeated(self, trial: _Repetition, ending: Ending, *, still_open: bool) -> None:
        self._end_trial()
        if not still_open and trial.last is not None:
            ending = replace(ending, detail=f"{ending.detail}\nit had answered the question before it ended")
        index = trial.opened[0] if trial.last is None else trial.last
        self._put(index, _blame(self._cases[index], ending))

    def _not_repeated(self, trial: _Repetition) -> None:
        self._trial = None
        if trial.brief and trial.slow:
            self._explained += 1
            self._slow = self._slow or self._explained >= SLOW
            return
        if trial.brief:
            self._slow = True
            for index in trial.opened:  # asked again, all together, with the whole time limit
                self._missing += self._results[index] is not None
                self._results[index] = None
            self._again(trial.opened)
            return
        text = "several questions were open, and none of them repeats this when asked alone; this was the oldest"
        ending = replace(trial.ending, detail=f"{trial.ending.detail}\n{text}")
        self._put(trial.opened[0], _blame(self._cases[trial.opened[0]], ending))

    # No process.

    def not_started(self, ending: Ending) -> None:
        """A restart failed. This is added to the case that ended the last process, else to the next case."""
        trial = self._trial
        if trial is not None:
            first = ending if trial.brief else trial.ending
            both = replace(first, detail=f"{trial.ending.detail}\nthen: {ending.detail}")
            self._put(trial.opened[0], _blame(self._cases[trial.opened[0]], both))
            self._end_trial()
        elif self._todo:
            index = self._todo.popleft()
            self._put(index, _blame(self._cases[index], ending))

    def give_up(self, why: str) -> None:
        """The implementation can't be started any more: the remaining questions are not asked."""
        for index in self._todo:
            if self._results[index] is None:
                self._put(index, Observation(self._cases[index], Status.NOT_ASKED, detail=why))
        self._todo.clear()

    def after_the_last(self) -> Observation | None:
        """What came after the last answer of all, told of its case. None if nothing came, or nothing was answered."""
        ending, self._pending = self._pending, None
        return None if ending is None or self._last_case is None else _blame(self._last_case, _with(ending, _AFTER))

    def certain(self, *, settled: bool) -> list[Observation]:
        """The observations of the next cases, in their order, that will not change any more. `settled`: nothing can
        come of the last answer either. Whatever comes of a case after it was returned is told of the oldest open one,
        as after the end of a block."""
        if self._trial is not None or self._spent:
            return []
        end = self._returned
        while end < len(self._cases) and self._results[end] is not None and (settled or end != self._last_answered):
            end += 1
        return self._settle(end)

    def finish(self) -> list[Observation]:
        """The observations that `certain` has not returned, in the order of the cases."""
        settled = self._settle(len(self._cases))
        self._reset(())
        return settled

    def _settle(self, end: int) -> list[Observation]:
        """The final observations of the next cases, up to this one."""
        begin, self._returned = self._returned, end
        return self._quarantine.settle(self._results[begin:end], self._results[end:], begin)


def _none_hangs(_identifier: str) -> bool:
    return False


def _malformed(case: Case, error: lines.LineError, line: bytes) -> Observation:
    return Observation(case, Status.VIOLATION, error="wrong form", detail=f"{error}: {shorten(line)}")


def _blame(case: Case, ending: Ending) -> Observation:
    return Observation(case, ending.status, error=ending.error, frame=ending.frame, detail=ending.detail)


_BETWEEN = "this happened while no question was open, after the question before this one had been answered"
_AFTER = "this happened after the last question of all had been answered, which was this one"


def _with(ending: Ending, text: str) -> Ending:
    return replace(ending, detail=f"{ending.detail}\n{text}")
