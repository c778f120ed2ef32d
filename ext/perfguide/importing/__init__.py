"""Guides that were published before, read back as bundles."""
