"""Questions are put to an implementation, and its answers are judged.

examiner          asks in blocks, each question with its positive control, and judges
blocks            questions that are asked together
process_end       how the process ends after one question
rows              questions and verdicts as rows of JSON
detect_readings   which other readings an implementation takes
"""

from wireproof.conformance.asking import rows
from wireproof.conformance.asking.examiner import Examiner, Judged

__all__ = ["Examiner", "Judged", "rows"]
