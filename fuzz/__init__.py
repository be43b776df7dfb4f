"""Fuzz campaigns: new inputs, generated with the help of coverage, for any implementation. Deviations are findings.

A campaign (the parent process) starts children in which libFuzzer runs, keeps what they find, and restarts those that
end. Each room imports only those below it:

campaign   the parent process: its plan, its folder, the findings it keeps
process    the child process: libFuzzer, instrumented code, the mutator
corpus     the inputs a campaign begins with, and fewer inputs with the same coverage
targets    an input, the questions about it, and the judged answers

`standalone` runs a target without a campaign, for services that have libFuzzer's own way to run. Only `process` and
`standalone` need atheris (the extra `fuzz`).
"""
