"""What is asked.

question           a case, its expectation and its positive control
lookup             the question of an id
positive_control   the valid question that an implementation must accept before its refusal counts
offered_types      the types that an implementation offers, and whether there are such
selection          the questions for one implementation, and what is left out
catalog_filter     which vectors hold under the catalogue of another Kafka version
announced_apis     what is expected of a broker that announces other versions than the vectors' settings
relays             what passes through a proxy
scripts            scripts for a client that runs
sweep              every version of every api that a broker announces, and versions beside those
"""

from wireproof.conformance.questions import selection
from wireproof.conformance.questions.lookup import UnknownId, find
from wireproof.conformance.questions.question import Derivation, Question, Questions

__all__ = ["Derivation", "Question", "Questions", "UnknownId", "find", "selection"]
