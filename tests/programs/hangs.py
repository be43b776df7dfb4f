"""Never answers, and ignores what politely asks it to end."""

import signal

from program import hang, serve

signal.signal(signal.SIGQUIT, signal.SIG_IGN)
serve(lambda _: hang())
