"""The process in which libFuzzer runs. It sends what it finds to its parent, and never returns.

child        the process
messages     its order, and the events that it sends
instrument   shows libFuzzer the branches of Python code
mutator      changes inputs, knowing their structure
input_file   the current input, which the parent can read after a death
"""
