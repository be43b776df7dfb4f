"""Pages for a browser: one file each, with nothing to load from elsewhere."""
