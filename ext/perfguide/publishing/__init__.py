"""Building a site in a separate folder, swapping it in, and remembering hashes of unchanged
files."""
