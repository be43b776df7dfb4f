"""The judge and everything around it, in the order in which a question goes. A room imports only rooms above it here.

model, files, garbage   the main types; files read within bounds; Python's garbage collector
writing                 all that the kit writes on a disk
decoding                JSON and TOML that others wrote
values                  values as JSON, compared, shown
oracle                  the reference as the kit asks it
connection              implementations in processes
vectors                 written cases with their expectations
ledger                  a few cases for every version of every message
generation              generated cases
questions               what an implementation is asked, and what is left out
judging                 from an observation to a verdict
evidence                who agrees; known deviations
asking                  questions are asked, answers judged
report, properties      pages for people and the report file; cases by hypothesis
pytest_suite            the plugin of `pytest --impl`
"""
