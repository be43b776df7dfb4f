"""What `wireproof explain` reads beside plain bytes: `capture` finds frames in captured bytes, `hexdump` reads a pasted
dump."""
