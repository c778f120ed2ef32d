"""Files to sound bundles."""
