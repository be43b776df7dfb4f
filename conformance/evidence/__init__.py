"""Who agrees with an expectation, and which deviations are known.

attestation        what an implementation said of each expectation
consensus          the count of independent groups for and against each expectation
dissent            how expectations were decided that most groups contradict
known_deviations   files of known deviations: read, matched, found stale, drafted
"""
