"""An implementation in a process of its own: started, watched, limited and ended.

start        starts an implementation without waiting for it
child        asks a child, watches its limits, and restarts it after a crash
pipes        the three pipes of a child, without blocking; its end
endings      how a process ended, in a word and in a text
stderr       what it said, in bounded memory
limits       limits of memory and core files
guard        a process above each child, which ends it with all that it has started
guarded      a child below its guard
environment  in which a child can import the kit
supervisor   runs something in a copy of this process, for `--in-process`
worker       the child for a Python module; `copies` and `imports` serve it
"""
