"""Real bytes in bulk: Kafka's log segments and captures, judged batch by batch and frame by frame.

segments      where the batches of a segment begin; its ranges; what lies between batches
batches       judges the batches of a range
columns       the records of many batches at once
messages      the short way for messages of magic 0 and 1
order         offsets from batch to batch
packets       the packets of a capture
tcp           the bytes of a connection, from its segments
exchange      requests and responses, matched and judged
frames        the frames in a capture, or in the two streams of a connection
findings      verdicts, and the reasons beside those of the reference
files         the paths given, and their bytes
rows          what was judged, as rows of tables
groups        files that are judged together, and kept
sources       the data sources `kafka_segments` and `kafka_frames`
job           the whole audit
"""
