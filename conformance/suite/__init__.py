"""The suite behind `pytest --impl`: `pytest_wireproof` registers the options and hands over to `install`.

settings  the options
chosen    ids as arguments, and in -k
items     what pytest collects
styles    failures as --tb wants them
ahead     asking ahead of the items that run
neighbours what other plugins are told
pages     which failures are shown on a page
scopes    items that a worker of xdist's is given as a whole
scheduling how xdist shares them out
protocol  an item's run, without what it does not need
progress  how far the run came
recording the report, written as verdicts come
stopping  signals that end a run in order
garbage   Python's garbage collection during a run
ending    the end of a run: what is printed, and what fails it beside its verdicts
plugin    pytest's hooks: start, verdicts, and what they hand over
"""

from conformance.suite.plugin import install

__all__ = ["install"]
