"""LMBench: its programs and its summary."""
