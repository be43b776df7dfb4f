"""Real bytes in bulk: Kafka's log segments and captures, judged batch by batch and frame by frame.

logs          log segments: their batches, records and offsets
captures      captures: their connections and frames; written and judged while bytes pass
reading       a piece of either, read by the reference
findings      verdicts, and the reasons beside those of the reference
files         the paths given, and their bytes
rows          what was judged, as rows of tables
groups        files that are judged together, and kept
sources       the data sources `kafka_segments` and `kafka_frames`
job           the whole audit
"""
