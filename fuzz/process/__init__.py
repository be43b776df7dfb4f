"""The process in which libFuzzer runs. It sends what it finds to its parent, and never returns.

child                the process; `messages` are its order and its events
instrument           shows libFuzzer the branches of Python code
mutator              changes inputs, knowing their structure
session              turns inputs into judged questions; `session_start` opens one
targets              the questions about an input
fast_comparison      a quick look without questions and verdicts
lookup_and_convert   the questions of these ops about the bytes of a type
from_bytes           examples of properties, drawn from bytes
shrink               a smaller input with the same deviation
input_file           the current input, which the parent can read after a death
"""
