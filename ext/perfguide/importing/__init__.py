"""Import of guides that were published before, as bundles."""
