"""Generated cases by hypothesis: everything that needs it is here.

properties        what holds for every type, over generated cases
strategies        values of every type, as hypothesis draws them
deterministic     the same examples in every run
invalid_values    values with one wrong part
byte_corruption   small faults in valid bytes
"""
