"""What people and tools see of a run.

`failure` one verdict explained · `summary` the run in numbers, and implementations compared · `findings` the findings ·
`unasked` what was not asked · `jsonl` the report file · `hexview`, `outline`, `compare` and `valueview` lay out bytes,
structures, two byte strings and two values · `hints` knows common mistakes · `question` what was asked · `labels` how
bytes are called · `background`, `rule` rulings and real bugs · `page`, `text` the rest.

Whatever comes from an implementation is escaped (`text.safe`) before it is shown; colour is styles alone.
"""
