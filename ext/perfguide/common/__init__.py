"""Helpers used by every other folder."""
