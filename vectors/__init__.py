"""Golden vectors: data alone. FORMAT.md tells the format."""
