"""Fuzz campaigns: new inputs, generated with the help of coverage, for any implementation. Deviations are findings.

`inputs` describes inputs, and `targets` the questions about them. `session` turns inputs into judged questions. `child`
is the process in which libFuzzer runs, and `running` the process that watches it. `store` is the folder of a campaign.
Only `child`, `instrument` and `standalone` need atheris (the extra `fuzz`).
"""
