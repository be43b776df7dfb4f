"""The commands of `wireproof`, one module each; `wireproof.cli` imports the one that is asked for."""
