"""Fuzz targets: an input, the questions about it, and the judged answers.

inputs               an input: its head names a type or an op, bytes follow
kinds                the kinds of targets: the questions about an input, and which answers are judged
from_bytes           examples of properties, drawn from bytes
fast_comparison      compares an answer without a question and a verdict, which nearly all inputs need no more than
session              runs inputs, has suspicious answers judged, reports findings; `session_start` opens one
dedup                of deviations that look alike only some are judged
simpler_records      simpler records with the same deviation
shrink               a smaller input with the same deviation
finding              all deviations of one group, with the smallest input
"""
