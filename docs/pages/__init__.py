"""The generated pages, a module each, and `markdown`, which all use."""
