"""Never answers, and ignores what politely asks it to end."""

import signal
import time

from program import serve

signal.signal(signal.SIGQUIT, signal.SIG_IGN)
serve(lambda _: time.sleep(600))
