"""Does not end when its stdin closes."""

import time

from program import answer, serve, value

serve(lambda question: answer(value(question)))
time.sleep(600)
