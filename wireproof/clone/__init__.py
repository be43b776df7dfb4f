"""What only a clone of the project has: its implementations.

registry       the list of implementations
matrix_runs    runs of all of them, side by side
attestations   asks one for its attestation
known_issues   what the files of known deviations say of released libraries
reproducers    programs that show a finding with the library alone
"""
