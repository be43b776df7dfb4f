"""`python -m wireproof`: the commands, where the script is not on the PATH."""

from wireproof.cli import main

main()
