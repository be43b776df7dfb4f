"""Who agrees with an expectation, and which deviations are known.

attestation        what an implementation said of each expectation
consensus          the count of independent groups for and against each expectation, and how disputed ones were decided
known_deviations   files of known deviations: read, matched, found stale, drafted
"""
