"""The line protocol, without pipes and processes.

lines          cases and observations as JSON lines, strict both ways
shapes         the permitted answers of each op
simple_value   the value encoding of most values in one pass
conversation   which question is to blame when a process dies or is silent
transcript     the record of a conversation
check          whether a program keeps to the protocol
"""
