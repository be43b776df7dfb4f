"""What `wireproof explain` reads: `types` are a dialect's types; `capture` finds frames in captured bytes;
`hexdump` reads a pasted dump."""
