"""The reference codec as the kit asks it: one for the whole process, with the schemas of the vectors.

codec     the shared codec
ask       its answer to a case
types     all types of a dialect; the type of an answer
produced  what a producer has written, as it is compared
"""
