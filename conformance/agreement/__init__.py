"""Answers that have to agree: with their question, and with each other. Each may be well-formed by itself.

exchange      requests with their answers, from the frames of a conversation
answered      rules about one answer beside its question
lasting       rules about answers that come later
book          all rules, and the first that is broken
"""
