"""The values of the protocol: as JSON, and compared.

encoding           a value as JSON and back; whether two values are the same
undecodable_text   text that is not UTF-8, shown in different ways, is one answer
"""
