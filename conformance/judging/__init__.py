"""From an observation to a verdict, and from many deviations to findings.

judge          the verdict on one observation
comparison     an answer compared with the expected one, for each op
mismatch       what is different
client_runs    the frames of a client that runs, and what it did
alternatives   whether other readings, listed or declared, explain an answer
rulings        which ruling decides that a case is refused
unread_fields  a field that is not read, if that explains all that is done
location       the place in a type where a deviation is
checksums      what a wrong CRC is in truth
clusters       deviations that probably have one cause
"""
