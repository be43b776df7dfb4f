"""From an observation to a verdict, and from many deviations to findings.

judge          the verdict on one observation
alternatives   whether other readings, declared or named, explain an answer
rulings        which ruling decides that a case is refused
location       the place in a type where a deviation is
findings       deviations that probably have one cause
"""
