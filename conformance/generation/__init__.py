"""Generated cases: their ids, their inputs, and the expectations that the reference computes for them.

case_ids        ids of generated cases, which hold all their arguments
arguments       the arguments of a case as bytes
expectations    the reference's answer to a generated case, as a vector
random_values   values of every type from a seed
whole_values    whether a value may be asked about
edge_values     values at the borders of types
further_ops     the questions of lookup, convert, consume and produce about the bytes of a type
generated_cases the case of a number
mutations       inputs with one structural change
"""
