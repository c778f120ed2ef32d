"""Files to valid bundles."""
