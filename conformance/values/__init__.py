"""The values of the protocol: as JSON, compared, and as text.

encoding           a value as JSON and back
compare            whether two values are the same, and where they first differ
show               a value as text for people
undecodable_text   text that is not UTF-8, shown in different ways, is one answer
"""
