"""Words that every other folder uses."""
