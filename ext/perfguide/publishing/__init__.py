"""A site built aside and put into place in one step, and what is known to be unchanged."""
