"""The suite of `pytest --impl`: `pytest_wireproof` registers the options, then starts the implementations and
installs the plugins.

Each module but `start` and `options` holds one of the plugins that are registered side by side, and what it needs.

start            starts the implementations, before the modules below are imported
plugin           checks the options, and registers the plugins
options          the options
selection        ids as arguments, and in -k
implementations  the implementations under test, asked ahead of their items
items            the items that pytest collects
failures         failures as text, in the styles of --tb
results          verdicts: pytest's reports, the report file, how far the run is
output           what a run prints, and what makes it fail at its end
signals          signals that end a run
workers          the processes of xdist
"""
