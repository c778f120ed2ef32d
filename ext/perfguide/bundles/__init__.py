"""From files to valid bundles."""
