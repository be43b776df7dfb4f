"""Fuzz campaigns: inputs that no vector holds, against any implementation, found by coverage and kept as findings.

Read `inputs` for what an input is, `targets` for what is asked of it, `session` for how an input becomes judged
questions, `child` for the process in which libFuzzer runs, `running` for the one that watches it, `store` for the
folder in which everything is kept. Only `child` and `instrument` need atheris (the extra `fuzz`).
"""
