"""The suite behind `pytest --impl`: `wireproof.pytest_plugin` registers the options and hands over to `install`.

settings  the options
items     what pytest collects
ahead     asking ahead of the items that run
plugin    pytest's hooks: start, verdicts, the end of a run
"""

from conformance.suite.plugin import install

__all__ = ["install"]
