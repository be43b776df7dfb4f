"""The commands of `wireproof`, one module for each; `wireproof.cli` imports only the one that is called."""
