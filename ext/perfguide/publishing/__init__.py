"""A site built aside and put into place in one step, and hashes of unchanged files."""
