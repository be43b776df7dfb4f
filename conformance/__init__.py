"""The judge and everything around it: cases, vectors, connections, verdicts, reports."""
