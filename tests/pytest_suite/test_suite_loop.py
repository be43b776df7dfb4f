"""The suite runs its items in a loop of its own, in which other plugins lose nothing, and timers do not run."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.pytest_run import SLOW, counted, run

ASKED = ("--area=varints", "--dialect=kafka", "-p", "no:cacheprovider")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "slow.py").write_text(SLOW)
    return tmp_path


HOOKS = {
    "protocol": "@pytest.hookimpl(wrapper=True)\ndef pytest_runtest_protocol(item):\n    note()\n    return (yield)\n",
    "setup": "def pytest_runtest_setup(item):\n    note()\n",
    "logstart": "def pytest_runtest_logstart(nodeid):\n    note()\n",
    "teardown": "def pytest_runtest_logreport(report):\n    if report.when == 'teardown':\n        note()\n",
    "makereport": "@pytest.hookimpl(wrapper=True)\n"
    "def pytest_runtest_makereport(item):\n"
    "    note()\n"
    "    return (yield)\n",
    "loop": "def pytest_runtestloop(session):\n"
    "    for item in session.items:\n"
    "        note()\n"
    "        item.ihook.pytest_runtest_protocol(item=item, nextitem=None)\n"
    "    return True\n",
}


@pytest.mark.parametrize(
    ("hook", "workers"),
    # The workers' loop is xdist's.
    [*((hook, False) for hook in HOOKS), *((hook, True) for hook in HOOKS if hook != "loop")],
)
def test_a_hook_of_another_plugin_is_called_for_each_item(folder: Path, hook: str, workers: bool) -> None:
    (folder / "neighbour.py").write_text(
        f"import pytest\n\ndef note():\n    with open('noted', 'a') as file:\n        file.write('.')\n\n{HOOKS[hook]}"
    )
    done = run("--impl=reference", *ASKED, "-p", "neighbour", *(("-n", "2") if workers else ()), cwd=folder)
    assert done.code == 0, done.text
    noted, items = len((folder / "noted").read_text()), counted(done.text, "passed")
    # What a worker reports is reported again where it is counted.
    assert noted == (2 * items if workers and hook in ("logstart", "teardown") else items), done.text


@pytest.mark.parametrize("option", ["-x", "--maxfail=1"])
def test_the_loop_ends_at_the_first_failure(folder: Path, option: str) -> None:
    done = run("--impl=slow", *ASKED, option, "--tb=line", cwd=folder)
    assert done.code == 1, done.text
    assert counted(done.text, "failed") == 1
    assert "stopping after 1 failures" in done.text


def test_the_loop_ends_when_a_hook_says_so(folder: Path) -> None:
    (folder / "neighbour.py").write_text(
        "def pytest_runtest_logreport(report):\n"
        "    if report.when == 'call' and report.failed:\n"
        "        session.shouldstop = 'enough of it'\n"
        "\n\ndef pytest_sessionstart(session):\n    globals()['session'] = session\n"
    )
    done = run("--impl=slow", *ASKED, "-p", "neighbour", "--tb=line", cwd=folder)
    assert done.code == 2, done.text
    assert "enough of it" in done.text
    assert counted(done.text, "failed") == 1


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "two workers"])
def test_a_project_s_time_limit_of_a_test_is_not_an_item_s(folder: Path, workers: tuple[str, ...]) -> None:
    """A block takes a second and more, all of which the first item waits for."""
    (folder / "pytest.ini").write_text("[pytest]\nfaulthandler_timeout = 0.3\nfaulthandler_exit_on_timeout = true\n")
    done = run("--impl=slow", *ASKED, "--tb=line", *workers, cwd=folder)
    assert done.code == 1, done.text
    assert "Timeout" not in done.text
    assert counted(done.text, "failed") > 1
