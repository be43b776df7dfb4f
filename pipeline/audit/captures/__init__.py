"""Captures of packets: `packets` reads the files, `tcp` puts connections together, `frames` finds the frames in them,
`exchange` matches requests and responses and judges them."""
